"""What motors of every kind are told on a real kernel, in order, and what becomes of trouble."""

import json
import os
import signal
import subprocess
import sys
import unittest

from bench import KernelTest, Service, connected, counters, named, run, wait_until

# Fills every effect slot of a node, until it is killed.
HOG = """
import evdev, signal, sys
from evdev import ecodes, ff
device = evdev.InputDevice(sys.argv[1])
try:
    while True:
        device.upload_effect(ff.Effect(ecodes.FF_RUMBLE, -1, 0, ff.Trigger(0, 0), ff.Replay(9, 0),
            ff.EffectType(ff_rumble_effect=ff.Rumble(strong_magnitude=1, weak_magnitude=1))))
except OSError:
    print("full", flush=True)
signal.pause()
"""


def told(events):
    """What a motor was told as (what, effect) pairs; a repeated stop counts once."""
    pairs = [(event["event"], event.get("id")) for event in events]
    return [pair for i, pair in enumerate(pairs)
            if not (pair[0] == "stop" and i > 0 and pairs[i - 1] == pair)]


class HapticTest(KernelTest):
    def serve(self, pad, uploads=1):
        """Starts the service and waits until the pad's motor holds what it should."""
        Service.start()
        device = connected(pad)
        self.wait_uploads(pad, uploads)
        return device

    def wait_uploads(self, pad, count, after=0):
        wait_until(lambda: sum(event["event"] == "upload" for event in pad.motor_events(after))
                   >= count, f"{count} uploads to {pad.name}")

    def wait_plays(self, pad, count, after=0):
        wait_until(lambda: sum(event["event"] == "play" for event in pad.motor_events(after))
                   >= count, f"{count} plays of {pad.name}")


class EffectTest(HapticTest):
    def test_sixteen_slots_hold_an_effect_for_each_event(self):
        self.configure("[Haptics]\nOnMaximum=click\nOnPress=buzz\nOnRelease=double-click\n")
        pad = self.pad(effects=16)
        self.serve(pad, uploads=3)
        uploads = pad.motor_events()
        self.assertEqual([(event["id"], event["length"]) for event in uploads],
                         [(0, 60), (1, 200), (2, 40)])
        self.assertEqual([event["strong"] for event in uploads], [0xFFFF, 0xB333, 0xFFFF])
        before = pad.do("press 500")
        self.wait_plays(pad, 1, before)
        pad.do("press 1000")
        self.wait_plays(pad, 2, before)
        pad.do("release")
        self.wait_plays(pad, 4, before)
        self.assertEqual([event["id"] for event in pad.motor_events(before)
                          if event["event"] == "play"], [1, 0, 2, 2])

    def test_single_slot_is_changed_in_place(self):
        self.configure("[Haptics]\nOnMaximum=click\nOnRelease=buzz\n")
        pad = self.pad("One Slot Pad", effects=1)
        self.serve(pad)
        before = pad.do("press 1000")
        self.wait_plays(pad, 1, before)
        pad.do("release")
        self.wait_plays(pad, 2, before)
        self.wait_uploads(pad, 2, before)  # and back, for the next press
        events = pad.motor_events()
        self.assertEqual({event["id"] for event in events}, {0})
        uploads = [event for event in events if event["event"] == "upload"]
        self.assertEqual([(event["length"], event["update"]) for event in uploads[:3]],
                         [(60, False), (200, True), (60, True)])
        self.assertEqual(counters()["uploads_full"], 0)

    def test_vibrator_beside_a_touchscreen_plays_for_it(self):
        screen = self.pad("Bare Screen", motor="none", phys="screen/input0", multitouch=True)
        vibrator = self.pad("Bare Vibrator", motor_only=True, phys="vibrator/input0")
        self.serve(vibrator)
        wait_until(lambda: connected(screen).get("motor"), "the vibrator is paired")
        device = connected(screen)
        self.assertEqual(device["motor"], named("Bare Vibrator")["id"])
        self.assertIn("the vibrator of its seat", device["haptics_reason"])
        before = len(vibrator.lines())
        screen.do("press 1000")
        vibrator.wait_event("play", before)
        screen.do("release")

    def test_on_off_motor_is_switched_on_by_the_weakest_effect(self):
        self.configure("[Effect click]\nStrength=0.001%\n")
        pad = self.pad("Vibrator Pad")
        self.serve(pad)
        self.assertEqual(pad.motor_events()[0]["strong"], 1)

    def test_motor_none_switches_off(self):
        self.configure("[Haptics]\nMotor=none\n")
        pad = self.pad()
        Service.start()
        device = connected(pad)
        self.assertNotIn("motor", device)
        self.assertIn("Motor=none", device["haptics_reason"])
        before = pad.do("press 1000")
        pad.do("wait 300")
        self.assertNotIn("play", [event["event"] for event in pad.motor_events(before)])

    def test_ramp_follows_the_force_and_is_renewed_while_held(self):
        self.configure("[Haptics]\nOnPress=ramp\nOnMaximum=none\n"
                       "[Effect ramp]\nLength=600ms\n")
        pad = self.pad()
        Service.start()
        connected(pad)
        before = pad.do("press 400")
        # The kernel's ff core plays nothing for longer than its length: 600 ms.
        self.wait_plays(pad, 4, before)
        wait_until(lambda: pad.motor_events()[-1] and any(
            event["event"] == "upload" and abs(event["strong"] - 0.4 * 0xFFFF) < 700
            for event in pad.motor_events(before)), "it is as strong as the force")
        plays = [event["ms"] for event in pad.motor_events(before) if event["event"] == "play"]
        for one, next_one in zip(plays, plays[1:]):
            self.assertLess(next_one - one, 600, "renewed before its length runs out")
        middle = pad.do("press 800")
        wait_until(lambda: any(event["event"] == "upload" and event["update"]
                               and abs(event["strong"] - 0.8 * 0xFFFF) < 700
                               for event in pad.motor_events(middle)), "it grows with the force")
        self.assertEqual(len({event["id"] for event in pad.motor_events(before)}), 1)
        end = pad.do("release")
        pad.wait_event("stop", end)
        after = len(pad.lines())
        pad.do("wait 700")
        self.assertNotIn("play", [event["event"] for event in pad.motor_events(after)])

    def test_a_stop_is_repeated_once(self):
        self.configure("[Effect click]\nLength=5s\n")
        pad = self.pad()
        self.serve(pad)
        before = pad.do("press 1000")
        self.wait_plays(pad, 1, before)
        end = pad.do("release")
        wait_until(lambda: len(pad.motor_events(end)) >= 2, "two stops")
        pad.do("wait 200")
        events = pad.motor_events(end)
        self.assertEqual([event["event"] for event in events], ["stop", "stop"])
        self.assertGreaterEqual(events[1]["ms"] - events[0]["ms"], 10)

    def test_commands_keep_their_distance(self):
        self.configure("[Haptics]\nOnPress=click\nOnRelease=click\nMinimumInterval=0\n"
                       "CommandInterval=200ms\n")
        pad = self.pad()
        self.serve(pad)
        before = len(pad.lines())
        for _ in range(5):
            pad.do("press 500")
            pad.do("release")
        pad.do("wait 500")
        plays = [event["ms"] for event in pad.motor_events(before) if event["event"] == "play"]
        self.assertTrue(plays)
        for one, next_one in zip(plays, plays[1:]):
            self.assertGreaterEqual(next_one - one, 190)
        self.assertGreater(counters()["haptics_coalesced"] + counters()["haptics_failed"], 0)

    def test_named_effect_by_call(self):
        pad = self.pad()
        device = self.serve(pad)
        before = len(pad.lines())
        run("forcectl", "call", "PlayHaptic",
            '{"device":"%s","effect":"double-click"}' % device["id"])
        self.wait_plays(pad, 2, before)
        refused = run("forcectl", "call", "PlayHaptic", '{"effect":"boom"}', check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("buzz, click, double-click, ramp", refused.stdout + refused.stderr)


class GainTest(HapticTest):
    def test_device_with_a_gain_has_it_set_and_put_back(self):
        self.configure("[Motor Test Pad]\nGain=50%\n")
        pad = self.pad(gain=True)
        self.serve(pad)
        self.assertEqual(pad.wait_event("gain")["value"], 0x8000)
        self.assertEqual(pad.wait_event("upload")["strong"], 0xFFFF)
        before = len(pad.lines())
        Service.stop()
        self.assertEqual(pad.wait_event("gain", before)["value"], 0xFFFF)

    def test_device_without_one_gets_weaker_effects_and_no_gain(self):
        self.configure("[Motor Test Pad]\nGain=50%\n")
        pad = self.pad()
        self.serve(pad)
        self.assertEqual(pad.wait_event("upload")["strong"], 0x8000)
        Service.stop()
        self.assertNotIn("gain", [event["event"] for event in pad.motor_events()])

    def test_full_gain_is_written_once_before_the_first_effect(self):
        pad = self.pad(gain=True)
        self.serve(pad)
        Service.stop()
        events = [event for event in pad.motor_events() if event["event"] in ("gain", "upload")]
        self.assertEqual([event["event"] for event in events[:2]], ["gain", "upload"])
        self.assertEqual(
            [event["value"] for event in events if event["event"] == "gain"], [0xFFFF])


class TroubleTest(HapticTest):
    def test_full_device_says_so_counts_and_recovers(self):
        pad = self.pad("Full Pad", effects=16)
        hog = subprocess.Popen([sys.executable, "-c", HOG, pad.node()], stdout=subprocess.PIPE)
        self.addCleanup(hog.stdout.close)
        self.addCleanup(hog.wait)
        self.addCleanup(hog.kill)
        hog.stdout.readline()
        Service.start()
        device = connected(pad)
        self.wait_journal("other programs use all effect slots")
        self.assertGreaterEqual(counters()["uploads_full"], 1)
        self.assertIn("slots", connected(pad)["haptics_reason"])
        self.assertEqual(device["measure"], "force")
        hog.kill()
        hog.wait()
        before = len(pad.lines())
        pad.do("press 1000")  # lost, but it makes the daemon try again
        self.wait_uploads(pad, 1, before)
        pad.do("release")
        pad.do("wait 300")
        pad.do("press 1000")
        pad.wait_event("play", before)

    def test_slow_driver_is_told_and_counted_and_reading_goes_on(self):
        pad = self.pad("Slow Pad", upload_ms=3000)
        Service.start()
        pad.wait_event("upload-asked")
        watch = self.watch("--device", connected(pad)["id"])
        pad.do("ramp 0 1000 20 10")
        watch.wait_reading(lambda reading: reading["percent"] == 100, "the press")
        self.assertNotIn("upload", [event["event"] for event in pad.motor_events()],
                         "readings came while the motor still thought about it")
        self.wait_journal("has not taken an effect for 1.0 s")
        pad.wait_event("upload")
        self.wait_journal("took an effect after 3.")
        self.assertEqual(counters()["uploads_slow"], 1)
        pad.do("release")
        pad.do("wait 300")
        pad.wait_event("play", pad.do("press 1000"))

    def test_claim_that_is_refused_is_told_and_counted(self):
        pad = self.pad("Lying Pad", refuse=22)
        Service.start()
        pad.wait_event("refused")
        self.wait_journal("refuses the effects that it announces")
        self.assertGreaterEqual(counters()["uploads_refused"], 1)
        self.assertIn("which plays nothing", connected(pad)["haptics_reason"])
        journal = run("journalctl", "--unit", "forced.service", "--output", "json", "--no-pager",
                      "--after-cursor", self.since).stdout
        entry = next(entry for entry in map(json.loads, journal.splitlines())
                     if "refuses" in str(entry.get("MESSAGE")))
        self.assertTrue(entry.get("FORCED_DEVICE", "").startswith("lying-pad"), entry)
        self.assertEqual((entry["FORCED_COUNTER"], entry["ERRNO"], entry["PRIORITY"]),
                         ("uploads_refused", "22", "4"))

    def test_haptic_bit_alone_is_not_believed(self):
        # A kernel before 6.18 shows the bit and refuses the effect.
        pad = self.pad("Haptic Pad", motor="haptic", effects=4)
        Service.start()
        device = connected(pad)
        if int(os.uname().release.split(".")[0]) >= 7:
            pad.wait_event("upload")
            return
        self.wait_journal("refuses the effects that it announces")
        self.assertEqual(device["measure"], "force")

    def test_motor_that_vanishes_in_mid_effect(self):
        self.configure("[Haptics]\nOnPress=ramp\nOnMaximum=none\n")
        pad = self.pad()
        Service.start()
        connected(pad)
        self.wait_plays(pad, 1, pad.do("press 700"))
        pad.do("unplug")
        wait_until(lambda: not named(pad.name)["connected"], "it is known to be gone")
        self.assertEqual(counters()["motors_gone"], 1)
        self.wait_journal("its motor went in the middle of an effect")
        before = len(pad.lines())
        pad.do("plug")
        connected(pad)
        self.wait_plays(pad, 1, pad.do("press 700"))
        self.assertFalse(pad.motor_events(before)[0]["update"], "uploaded anew")

    def test_node_that_is_closed_after_a_replug_is_tried_again(self):
        rule = "/run/udev/rules.d/99-closed.rules"
        pad = self.pad("Closed Pad")
        device = self.serve(pad)
        self.assertEqual(counters()["nodes_denied"], 0)
        pad.do("unplug")
        wait_until(lambda: not named(pad.name)["connected"], "it is known to be gone")
        self.addCleanup(run, "udevadm", "control", "--reload")
        self.configure('ATTRS{name}=="Closed Pad", OWNER="root", GROUP="root", MODE="0600"\n', rule)
        run("udevadm", "control", "--reload")
        before = pad.do("plug")
        wait_until(lambda: counters()["nodes_denied"] > 0, "the node refuses")
        os.chown(pad.node(), int(run("id", "-u", "forced").stdout), -1)
        self.wait_uploads(pad, 1, before)
        self.assertEqual(connected(pad)["id"], device["id"])
        pad.wait_event("play", pad.do("press 1000"))

    def test_trouble_that_comes_again_and_again_is_counted_and_said_once(self):
        pad = self.pad("Lying Pad", refuse=22)
        Service.start()
        pad.wait_event("refused")
        self.wait_journal("refuses the effects that it announces")
        for _ in range(8):
            before = pad.do("press 1000")  # each makes the daemon try again
            pad.wait_event("refused", before)
            pad.do("release")
            pad.do("wait 150")
        self.assertGreaterEqual(counters()["uploads_refused"], 5)
        self.assertEqual(
            Service.journal(self.since).count("refuses the effects that it announces"), 1)


class EndTest(HapticTest):
    """Each in mid-rumble: the motor is told to stop, by the daemon or by the kernel."""

    def rumble(self, configuration="[Effect click]\nLength=20s\n"):
        self.configure(configuration)
        pad = self.pad()
        self.serve(pad)
        before = pad.do("press 1000")
        self.wait_plays(pad, 1, before)
        return pad

    def test_kill(self):
        pad = self.rumble()
        first, before = Service.pid(), len(pad.lines())
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: len(pad.motor_events(before)) >= 2, "the kernel clears up")
        self.assertEqual(told(pad.motor_events(before))[:2], [("stop", 0), ("erase", 0)])
        wait_until(lambda: Service.pid() not in (0, first), "systemd starts it again")
        self.wait_uploads(pad, 1, before)

    def test_stopped_for_longer_than_the_watchdog(self):
        self.configure_unit("[Service]\nWatchdogSec=2s\n")
        pad = self.rumble()
        first, before = Service.pid(), len(pad.lines())
        os.kill(first, signal.SIGSTOP)
        wait_until(lambda: len(pad.motor_events(before)) >= 2, "the watchdog bites")
        self.assertEqual(told(pad.motor_events(before))[:2], [("stop", 0), ("erase", 0)])
        wait_until(lambda: Service.pid() not in (0, first), "systemd starts it again")

    def test_reload(self):
        pad = self.rumble()
        before = len(pad.lines())
        run("systemctl", "reload", "forced.service")
        pad.wait_event("stop", before)
        self.assertEqual(told(pad.motor_events(before))[0], ("stop", 0))

    def test_shutdown(self):
        pad = self.rumble()
        before = len(pad.lines())
        run("systemctl", "stop", "forced.service")
        pad.wait_event("erase", before)
        self.assertEqual(told(pad.motor_events(before)), [("stop", 0), ("erase", 0)])

    def test_unplugged_screen_leaves_no_vibrator_running(self):
        self.configure("[Effect click]\nLength=20s\n")
        screen = self.pad("Bare Screen", motor="none", phys="screen/input0")
        vibrator = self.pad("Bare Vibrator", motor_only=True, phys="vibrator/input0")
        self.serve(vibrator)
        wait_until(lambda: connected(screen).get("motor"), "the vibrator is paired")
        screen.do("press 1000")
        self.wait_plays(vibrator, 1)
        before = len(vibrator.lines())
        screen.do("unplug")
        vibrator.wait_event("stop", before)
        self.assertEqual(told(vibrator.motor_events(before)), [("stop", 0)])

    def test_unplug_ends_the_press_and_the_daemon_goes_on(self):
        pad = self.rumble()
        pid = Service.pid()
        pad.do("unplug")
        wait_until(lambda: not named(pad.name)["connected"], "it is known to be gone")
        self.assertEqual(Service.pid(), pid)

    def test_silent_shutdown_of_a_motor_that_is_still_thinking(self):
        pad = self.pad("Slow Pad", upload_ms=3000)
        Service.start()
        pad.wait_event("upload-asked")
        run("systemctl", "stop", "forced.service")
        self.assertEqual(Service.property("Result"), "success")
        pad.wait_event("erase")

    def test_stopping_all_motors_by_call(self):
        pad = self.rumble()
        before = len(pad.lines())
        run("forcectl", "call", "StopHaptics", "{}")
        pad.wait_event("stop", before)


class FollowEndTest(HapticTest):
    """An effect that follows the force, held: nobody renews it any more, and it is stopped."""

    def follow(self, pad, pressed=None):
        self.configure("[Haptics]\nOnPress=ramp\nOnMaximum=none\n[Effect ramp]\nLength=20s\n")
        Service.start()
        wait_until(lambda: connected(pressed or pad).get("motor"), "a motor is paired")
        (pressed or pad).do("press 700")
        # As strong as the force, and the smoothing has come to rest.
        wait_until(lambda: any(event["event"] == "upload"
                               and abs(event["strong"] - 0.7 * 0xFFFF) < 100
                               for event in pad.motor_events()), "it has the force's strength")
        self.wait_plays(pad, 1)
        return len(pad.lines())

    def assert_stopped(self, pad, after):
        wait_until(lambda: pad.motor_events(after), "it is told something")
        self.assertEqual(pad.motor_events(after)[0]["event"], "stop")
        self.assertNotIn("play", [event["event"] for event in pad.motor_events(after)])

    def test_reload(self):
        pad = self.pad()
        before = self.follow(pad)
        run("systemctl", "reload", "forced.service")
        self.assert_stopped(pad, before)

    def test_terminated(self):
        pad = self.pad()
        before = self.follow(pad)
        run("systemctl", "stop", "forced.service")
        pad.wait_event("erase", before)
        self.assert_stopped(pad, before)

    def test_device_is_lost(self):
        screen = self.pad("Bare Screen", motor="none", phys="screen/input0")
        vibrator = self.pad("Bare Vibrator", motor_only=True, phys="vibrator/input0")
        before = self.follow(vibrator, screen)
        screen.do("unplug")
        self.assert_stopped(vibrator, before)

    def test_stalled_loop(self):
        self.configure_unit("[Service]\nWatchdogSec=2s\n")
        pad = self.pad()
        before = self.follow(pad)
        lengths = {event["length"] for event in pad.motor_events() if event["event"] == "upload"}
        self.assertNotIn(0, lengths, "what nobody stops ends by itself")
        os.kill(Service.pid(), signal.SIGSTOP)
        pad.wait_event("erase", before)  # the kernel, when the watchdog has bitten
        events = pad.motor_events(before)
        self.assertEqual(told(events)[0][0], "stop")


if __name__ == "__main__":
    unittest.main()
