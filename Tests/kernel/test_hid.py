"""Pads and motors behind the kernel's own HID drivers: a touchpad whose feedback the host drives
(hid-haptic) and a DualSense (hid-playstation). `make test-kernel-haptic` has a kernel with
both; the machines of the other tests have no HID."""

import os
import signal
import unittest

from bench import KernelTest, Pad, Service, connected, counters, named, run, wait_until

STOP, CLICK, BUZZ, RUMBLE = 0x1002, 0x1003, 0x1004, 0x1005
FULL = 250  # what uhid-pad calls its full intensity
HAPTICS_REPORT = 4  # of uhid-pad: which waveform it plays by itself


class HapticPad(Pad):
    """The touchpad of uhid-pad.c. It stays until the machine ends, so there is one of each name."""

    program = "uhid-pad"
    motor_words = ("trigger",)
    made = {}

    def __new__(cls, name, **options):
        if name not in cls.made:
            cls.made[name] = super().__new__(cls)
        return cls.made[name]

    def __init__(self, name, **options):
        if not hasattr(self, "process"):
            super().__init__(name, phys=f"{name.lower().replace(' ', '-')}/input0", **options)
            self.name = f"{name} Touchpad"  # the driver's word for the node
            self._let_contacts_rest()

    def _let_contacts_rest(self):
        """hid-multitouch takes a contact away that has not been reported for 100 ms, which no test
        could keep up with: takes that quirk (MT_QUIRK_STICKY_FINGERS) from the device."""
        path = f"/sys/class/input/{os.path.basename(self.node())}/device/device/quirks"
        wait_until(lambda: os.path.exists(path), "the driver has come to its attributes")
        with open(path) as file:
            quirks = int(file.read())
        with open(path, "w") as file:
            file.write(str(quirks & ~(1 << 16)))

    def told(self, after=0):
        """What it was told to play, as (waveform, intensity) pairs."""
        return [(event["waveform"], event["intensity"]) for event in self.motor_events(after)]


class Gamepad(Pad):
    """The DualSense of uhid-gamepad.c."""

    program = "uhid-gamepad"
    motor_words = ("rumble",)

    def told(self, after=0):
        """How strong its heavy and its light motor were told to run."""
        return [(event["left"], event["right"]) for event in self.motor_events(after)]


class HIDTest(KernelTest):
    def wait_told(self, device, expected, after=0):
        """The motor was told exactly this, in this order."""
        wait_until(lambda: len(device.told(after)) >= len(expected),
                   f"{device.name} is told {expected}; it was {device.told(after)}")
        self.assertEqual(device.told(after), expected)


@unittest.skipUnless(os.path.exists("/dev/uhid"), "this kernel has no UHID: make test-kernel-haptic")
class HapticPadTest(HIDTest):
    def haptic_pad(self, name="Haptic Pad", **options):
        pad = HapticPad(name, **options)
        pad.do("release")
        self.addCleanup(self.assert_left_alone, pad)
        return pad

    def assert_left_alone(self, pad):
        """Nobody took the pad's own click away, which no driver gives back."""
        pad.do("release")
        taken = [line for line in pad.lines()
                 if line["event"] == "set" and line["report"] == HAPTICS_REPORT]
        self.assertEqual(taken, [])

    def served(self, pad):
        """Starts the service; the pad's device record once an effect has been taken."""
        Service.start()
        device = connected(pad)
        self.assertEqual(device["haptics"], "FF_HAPTIC")
        return device

    def press_until_told(self, pad, value=2000):
        """Presses; returns the log's length before it, when the motor has been told something."""
        before = pad.do(f"press {value}")
        wait_until(lambda: pad.told(before), "it is told to play")
        return before

    def test_press_to_the_maximum_clicks_once_as_strong_as_configured(self):
        self.configure("[Effect click]\nStrength=60%\n")
        pad = self.haptic_pad()
        device = self.served(pad)
        self.assertIn("its own motor, by FF_HAPTIC", device["haptics_reason"])
        watch = self.watch("--device", device["id"])
        quiet = len(pad.lines())
        pad.do("press 1000")
        watch.wait_reading(lambda reading: reading["percent"] == 50, "half")
        self.assertEqual(pad.told(quiet), [], "nothing before the maximum")
        before = pad.do("press 2000")
        self.wait_told(pad, [(STOP, 0), (CLICK, FULL * 60 // 100)], before)
        seen = len(watch.lines())
        pad.do("release")
        watch.wait_reading(lambda reading: reading["state"] == "released", "the release", seen)
        pad.do("wait 300")
        self.wait_told(pad, [(STOP, 0), (CLICK, FULL * 60 // 100)], before)

    def test_what_is_longer_than_a_click_is_a_row_of_them_and_a_release_stops_it(self):
        self.configure("[Effect click]\nLength=4s\n")
        pad = self.haptic_pad()
        self.served(pad)
        before = self.press_until_told(pad)
        wait_until(lambda: len(pad.told(before)) >= 2, "it plays")
        click = pad.motor_events(before)[1]
        self.assertEqual((click["waveform"], click["intensity"], click["repeats"],
                          click["period"]), (CLICK, FULL, 199, 20), "4 s, counted by the pad")
        end = pad.do("release")
        self.wait_told(pad, [(STOP, 0), (STOP, 0)], end)  # the second in case it missed the first

    def test_double_click_is_two(self):
        self.configure("[Haptics]\nOnMaximum=double-click\n")
        pad = self.haptic_pad()
        self.served(pad)
        before = self.press_until_told(pad)
        self.wait_told(pad, [(STOP, 0), (CLICK, FULL), (STOP, 0), (CLICK, FULL)], before)

    def test_ramp_is_felt_to_grow_with_the_force(self):
        self.configure("[Haptics]\nOnPress=ramp\nOnMaximum=none\n[Effect ramp]\nLength=20s\n")
        pad = self.haptic_pad()
        self.served(pad)
        before = self.press_until_told(pad, 600)
        wait_until(lambda: (CLICK, FULL * 30 // 100) in pad.told(before), "30 %")
        middle = pad.do("press 1600")
        # Its renewal is 10 s away: a change of strength must reach the pad by itself.
        wait_until(lambda: (CLICK, FULL * 80 // 100) in pad.told(middle), "80 %")
        strengths = [intensity for waveform, intensity in pad.told(before) if waveform == CLICK]
        self.assertEqual(strengths, sorted(strengths))
        end = pad.do("release")
        wait_until(lambda: (STOP, 0) in pad.told(end), "it stops")
        after = len(pad.lines())
        pad.do("wait 300")
        self.assertNotIn(CLICK, [waveform for waveform, _ in pad.told(after)])

    def test_pad_without_a_click_buzzes_and_is_stopped_at_the_end(self):
        pad = self.haptic_pad("Buzzing Pad", waveforms="1004,1006,1007")
        self.served(pad)
        before = self.press_until_told(pad)
        self.wait_told(pad, [(STOP, 0), (BUZZ, FULL), (STOP, 0), (STOP, 0)], before)
        events = pad.motor_events(before)
        self.assertGreaterEqual(events[2]["ms"] - events[1]["ms"], 40, "a click of 60 ms")

    def test_pad_that_buzzes_on_is_stopped_by_the_release(self):
        self.configure("[Effect click]\nLength=20s\n")
        pad = self.haptic_pad("Buzzing Pad", waveforms="1004,1006,1007")
        self.served(pad)
        before = self.press_until_told(pad)
        wait_until(lambda: pad.told(before)[-1] == (BUZZ, FULL), "it plays")
        end = pad.do("release")
        self.wait_told(pad, [(STOP, 0), (STOP, 0)], end)

    def test_pad_with_rumble_alone_rumbles_and_is_stopped_at_the_end(self):
        pad = self.haptic_pad("Rumbling Pad", waveforms="1005,1006,1007")
        self.served(pad)
        before = self.press_until_told(pad)
        self.wait_told(pad, [(STOP, 0), (RUMBLE, FULL), (STOP, 0), (STOP, 0)], before)

    def test_pad_with_nothing_to_play_says_so_and_is_read(self):
        pad = self.haptic_pad("Silent Pad", waveforms="1006,1007")
        Service.start()
        device = connected(pad)
        self.wait_journal("refuses the effects that it announces")
        self.assertIn("which plays nothing", connected(pad)["haptics_reason"])
        watch = self.watch("--device", device["id"])
        pad.do("press 2000")
        watch.wait_reading(lambda reading: reading["at_maximum"], "the maximum")
        self.assertEqual(pad.told(), [])

    def rumbling(self):
        self.configure("[Effect click]\nLength=5s\n")
        pad = self.haptic_pad()
        self.served(pad)
        self.press_until_told(pad)
        wait_until(lambda: pad.told()[-1] == (CLICK, FULL), "it plays")
        return pad, len(pad.lines())

    def assert_stopped(self, pad, after):
        wait_until(lambda: pad.told(after), "it is told to stop")
        self.assertEqual(pad.told(after)[0], (STOP, 0))

    def test_reload_stops_it(self):
        pad, before = self.rumbling()
        run("systemctl", "reload", "forced.service")
        self.assert_stopped(pad, before)

    def test_end_of_the_service_stops_it(self):
        pad, before = self.rumbling()
        run("systemctl", "stop", "forced.service")
        self.assert_stopped(pad, before)
        self.assertEqual(set(pad.told(before)), {(STOP, 0)})

    def test_killed_daemon_leaves_it_to_the_kernel_which_stops_it(self):
        pad, before = self.rumbling()
        os.kill(Service.pid(), signal.SIGKILL)
        self.assert_stopped(pad, before)

    def test_stopped_daemon_is_killed_by_its_watchdog_and_the_kernel_stops_it(self):
        self.configure_unit("[Service]\nWatchdogSec=2s\n")
        pad, before = self.rumbling()
        os.kill(Service.pid(), signal.SIGSTOP)
        self.assert_stopped(pad, before)

    def test_call_stops_it(self):
        pad, before = self.rumbling()
        run("forcectl", "call", "StopHaptics", "{}")
        self.wait_told(pad, [(STOP, 0), (STOP, 0)], before)

    def test_grams_come_from_the_units_that_it_declares(self):
        pad = self.haptic_pad()
        device = self.served(pad)
        self.assertEqual((device["kind"], device["measure"], device["resolution"],
                          device["grams_source"], device["span_grams"]),
                         ("pressurepad", "force", 1, "device", 2000))
        watch = self.watch("--device", device["id"])
        pad.do("press 500")
        reading = watch.wait_reading(lambda reading: reading["percent"] == 25, "a quarter")
        self.assertEqual((reading["grams"], reading["grams_source"], reading["raw"]),
                         (500, "device", 500))

    def test_grams_of_a_pad_in_newtons_come_from_its_report_descriptor(self):
        # The kernel takes HID's dyne for a newton and rounds what is left to no resolution.
        pad = self.haptic_pad("Newton Pad", unit="newton", maximum=4000)
        Service.start()
        device = connected(pad)
        self.assertNotIn("resolution", device)
        self.assertEqual(device["grams_source"], "device")
        self.assertAlmostEqual(device["span_grams"], 407.89, delta=0.02)  # 4 N

    def test_pad_without_units_is_nominal(self):
        pad = self.haptic_pad("Plain Pad", unit="none")
        Service.start()
        device = connected(pad)
        self.assertEqual((device["grams_source"], device["span_grams"]), ("nominal", 385))


@unittest.skipUnless(os.path.exists("/dev/uhid"), "this kernel has no UHID: make test-kernel-haptic")
class GamepadTest(HIDTest):
    def served(self, uploads=True):
        pad = Gamepad("Test Gamepad")
        self.addCleanup(pad.close)
        Service.start()
        device = connected(pad)
        self.assertEqual((device["kind"], device["measure"], device["haptics"]),
                         ("gamepad", "force", "FF_RUMBLE"))
        return pad, device

    def pull_until_told(self, pad):
        """Pulls the right trigger; what the motors are told first, and the log's length before."""
        before = pad.do("triggers 0 255")
        wait_until(lambda: pad.told(before), "its motors run")
        return pad.told(before)[0], before

    def test_trigger_pulled_to_its_end_rumbles_and_the_kernel_ends_it(self):
        self.configure("[Effect click]\nStrength=60%\n")
        pad, device = self.served()
        self.assertIn("FF_HAPTIC: the device has none", device["haptics_reason"])
        watch = self.watch("--device", device["id"])
        quiet = len(pad.lines())
        pad.do("triggers 0 128")
        watch.wait_reading(lambda reading: reading["raw"] == 128, "half a pull")
        self.assertEqual(pad.told(quiet), [])
        before = pad.do("triggers 0 255")
        self.wait_told(pad, [(0x99, 0x99), (0, 0)], before)  # 60 % of 0xff
        pad.do("triggers 0 0")
        watch.wait_reading(lambda reading: reading["state"] == "released", "the trigger is let go")

    def test_both_triggers_are_two_contacts_with_one_motor(self):
        pad, device = self.served()
        watch = self.watch("--device", device["id"])
        pad.do("triggers 64 255")
        watch.wait_reading(lambda reading: reading["at_maximum"], "the right one")
        watch.wait_reading(lambda reading: reading["raw"] == 64, "the left one")
        self.assertEqual(len({reading["contact"] for reading in watch.readings()}), 2)

    def test_gain_is_the_devices_own_and_put_back(self):
        self.configure("[Motor Test Gamepad]\nGain=50%\n")
        pad, _ = self.served()
        first, _ = self.pull_until_told(pad)
        self.assertAlmostEqual(first[0], 0x80, delta=1)
        Service.stop()
        self.configure("", path="/etc/forced/forced.conf.d/test.conf")
        pad.do("triggers 0 0")
        Service.start()
        connected(pad)
        self.assertEqual(self.pull_until_told(pad)[0], (0xFF, 0xFF), "full again")

    def test_ramp_grows_with_the_pull(self):
        self.configure("[Haptics]\nOnPress=ramp\nOnMaximum=none\n")
        pad, _ = self.served()
        before = pad.do("triggers 0 102")
        wait_until(lambda: any(abs(left - 102) <= 6 for left, _ in pad.told(before)), "40 %")
        middle = pad.do("triggers 0 204")
        wait_until(lambda: any(abs(left - 204) <= 6 for left, _ in pad.told(middle)), "80 %")
        pad.do("triggers 0 0")
        wait_until(lambda: pad.told(middle)[-1] == (0, 0), "it ends with the pull")

    def rumbling(self):
        self.configure("[Effect click]\nLength=20s\n")
        pad, device = self.served()
        first, _ = self.pull_until_told(pad)
        self.assertEqual(first, (0xFF, 0xFF))
        return pad, device, len(pad.lines())

    def test_release_stops_it(self):
        pad, _, before = self.rumbling()
        pad.do("triggers 0 0")
        self.wait_told(pad, [(0, 0)], before)

    def test_reload_stops_it(self):
        pad, _, before = self.rumbling()
        run("systemctl", "reload", "forced.service")
        self.wait_told(pad, [(0, 0)], before)

    def test_end_of_the_service_stops_it(self):
        pad, _, before = self.rumbling()
        run("systemctl", "stop", "forced.service")
        self.wait_told(pad, [(0, 0)], before)

    def test_killed_daemon_leaves_it_to_the_kernel_which_stops_it(self):
        pad, _, before = self.rumbling()
        os.kill(Service.pid(), signal.SIGKILL)
        self.wait_told(pad, [(0, 0)], before)

    def test_stopped_daemon_is_killed_by_its_watchdog_and_the_kernel_stops_it(self):
        self.configure_unit("[Service]\nWatchdogSec=2s\n")
        pad, _, before = self.rumbling()
        os.kill(Service.pid(), signal.SIGSTOP)
        self.wait_told(pad, [(0, 0)], before)

    def test_unplugged_in_mid_rumble_it_plays_again_when_it_is_back(self):
        pad, device, _ = self.rumbling()
        pad.do("unplug")
        wait_until(lambda: not named(pad.name)["connected"], "it is known to be gone")
        self.assertEqual(counters()["motors_gone"], 1)
        pad.do("plug")
        self.assertEqual(connected(pad)["id"], device["id"])
        self.assertEqual(self.pull_until_told(pad)[0], (0xFF, 0xFF))


if __name__ == "__main__":
    unittest.main()
