"""The pad itself: what the other tests believe of it is true."""

import os
import signal
import subprocess
import sys
import unittest

import evdev
from evdev import ecodes, ff

from bench import Pad

RUMBLE = ff.Effect(ecodes.FF_RUMBLE, -1, 0, ff.Trigger(0, 0), ff.Replay(60, 0), ff.EffectType(
    ff_rumble_effect=ff.Rumble(strong_magnitude=0xC000, weak_magnitude=0x4000)))


class PadTest(unittest.TestCase):
    def pad(self, **options):
        pad = Pad(**options)
        self.addCleanup(pad.close)
        return pad

    def open(self, pad):
        device = evdev.InputDevice(pad.node())
        self.addCleanup(device.close)
        return device

    def test_press_arrives_in_frames(self):
        pad = self.pad(maximum=1000)
        device = self.open(pad)
        pad.do("ramp 0 1200 3 5")
        pad.do("release")
        events = []
        try:
            while True:
                events += [(event.type, event.code, event.value) for event in device.read()]
        except BlockingIOError:
            pass
        absolute, key, report = ecodes.EV_ABS, ecodes.EV_KEY, (ecodes.EV_SYN, 0, 0)
        self.assertEqual(events, [
            (key, ecodes.BTN_TOUCH, 1), (key, ecodes.BTN_TOOL_FINGER, 1),
            (absolute, ecodes.ABS_PRESSURE, 400), report,
            (absolute, ecodes.ABS_PRESSURE, 800), report,
            (absolute, ecodes.ABS_PRESSURE, 1200), report,
            (absolute, ecodes.ABS_PRESSURE, 0), (key, ecodes.BTN_TOUCH, 0),
            (key, ecodes.BTN_TOOL_FINGER, 0), report])

    def test_motor_is_logged_in_order(self):
        pad = self.pad(gain=True)
        device = self.open(pad)
        effect = device.upload_effect(RUMBLE)
        device.write(ecodes.EV_FF, ecodes.FF_GAIN, 0x8000)
        device.write(ecodes.EV_FF, effect, 1)
        device.write(ecodes.EV_FF, effect, 0)
        device.erase_effect(effect)
        pad.wait_event("erase")
        events = pad.motor_events()
        self.assertEqual([event["event"] for event in events],
                         ["upload", "gain", "play", "stop",
                          "stop", "erase"])  # the kernel stops whatever it erases
        self.assertEqual((events[0]["type"], events[0]["strong"], events[0]["weak"],
                          events[0]["length"], events[0]["update"]),
                         ("rumble", 0xC000, 0x4000, 60, False))

    def test_effect_slots_run_out(self):
        device = self.open(self.pad(effects=1))
        device.upload_effect(RUMBLE)
        with self.assertRaises(OSError) as raised:
            device.upload_effect(RUMBLE)
        self.assertEqual(raised.exception.errno, 28)  # ENOSPC

    def test_motor_refuses_an_effect_that_it_lacks(self):
        device = self.open(self.pad(motor="haptic"))
        with self.assertRaises(OSError):
            device.upload_effect(RUMBLE)

    def test_slow_upload_does_not_stop_the_axes(self):
        pad = self.pad(upload_ms=700)
        device = self.open(pad)
        player = subprocess.Popen([sys.executable, "-c", f"""
import evdev, sys
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
from test_pad import RUMBLE
evdev.InputDevice({pad.node()!r}).upload_effect(RUMBLE)
"""])
        pad.wait_event("upload-asked")
        pad.do("press 500")
        self.assertNotIn("upload", [event["event"] for event in pad.motor_events()])
        self.assertEqual(device.absinfo(ecodes.ABS_PRESSURE).value, 500)
        self.assertEqual(player.wait(15), 0)
        pad.wait_event("upload")

    def test_killed_owner_makes_the_kernel_stop_and_erase(self):
        pad = self.pad()
        owner = subprocess.Popen([sys.executable, "-c", f"""
import evdev, sys, signal
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
from test_pad import RUMBLE
device = evdev.InputDevice({pad.node()!r})
device.write(evdev.ecodes.EV_FF, device.upload_effect(RUMBLE), 1)
signal.pause()
"""])
        pad.wait_event("play")
        owner.send_signal(signal.SIGKILL)
        owner.wait()
        pad.wait_event("erase")
        self.assertEqual([event["event"] for event in pad.motor_events()],
                         ["upload", "play", "stop", "erase"])

    def test_unplugged_pad_comes_back_under_its_name(self):
        pad = self.pad()
        device = self.open(pad)
        pad.do("unplug")
        with self.assertRaises(OSError) as raised:
            device.read_one()
        self.assertEqual(raised.exception.errno, 19)  # ENODEV
        pad.do("plug")
        self.assertEqual(self.open(pad).name, pad.name)

    def test_flood_drops_events_for_a_reader_that_sleeps(self):
        pad = self.pad()
        device = self.open(pad)
        pad.do("flood 2000")
        codes = [(event.type, event.code) for event in device.read()]
        self.assertIn((ecodes.EV_SYN, ecodes.SYN_DROPPED), codes)

    def test_vibrator_alone_has_no_axes(self):
        device = self.open(self.pad(motor_only=True))
        self.assertEqual(set(device.capabilities()), {ecodes.EV_SYN, ecodes.EV_FF})


if __name__ == "__main__":
    unittest.main()
