"""Who may steer the daemon, by the accounts of a real system."""

import os
import pwd
import unittest

import evdev
from evdev import ecodes

from bench import SOCKET, KernelTest, Service, run

DROP_IN = "/etc/forced/forced.conf.d/access.conf"


class AccessTest(KernelTest):
    def as_reader(self, *command):
        """A user who may read the socket, and is nothing else."""
        return run("setpriv", "--reuid", "nobody", "--regid", "nogroup", "--groups", self.group,
                   *command, check=False)

    def test_reader_may_steer_only_as_a_member_of_the_control_group(self):
        Service.start()
        self.group = str(os.stat(SOCKET).st_gid)
        allowed = self.as_reader("forcectl", "status")
        self.assertEqual(allowed.returncode, 0, allowed.stderr)
        refused = self.as_reader("forcectl", "call", "StopHaptics")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("root", refused.stderr)
        os.makedirs(os.path.dirname(DROP_IN), exist_ok=True)
        self.addCleanup(os.unlink, DROP_IN)
        with open(DROP_IN, "w") as file:
            file.write(f"[Server]\nControlGroup={self.group}\n")
        run("systemctl", "reload", "forced.service")
        self.assertEqual(self.as_reader("forcectl", "call", "StopHaptics").stdout.strip(), "{}")


class KeyboardTest(KernelTest):
    """Which nodes of real udev's the service's user gets."""

    def made(self, name, keys, axes=()):
        device = evdev.UInput({
            ecodes.EV_KEY: keys,
            **({ecodes.EV_ABS: [(axis, evdev.AbsInfo(0, 0, 255, 0, 0, 0)) for axis in axes]}
               if axes else {})}, name=name)
        self.addCleanup(device.close)
        run("udevadm", "settle", "--timeout=20")
        facts = dict(line[3:].split("=", 1) for line in
                     run("udevadm", "info", device.device.path).stdout.splitlines()
                     if line.startswith("E: "))
        return facts, pwd.getpwuid(os.stat(device.device.path).st_uid).pw_name

    def test_a_keyboard_stays_closed_whatever_axes_it_has(self):
        letters = list(range(1, 120))
        facts, owner = self.made("Keyboard With Pressure", letters, [ecodes.ABS_PRESSURE])
        self.assertEqual((facts.get("ID_INPUT_KEYBOARD"), owner), ("1", "root"))
        facts, owner = self.made("Keyboard With Joystick", [*letters, ecodes.BTN_TRIGGER],
                                 [ecodes.ABS_X, ecodes.ABS_Y])
        # Newer versions of udev take it for no joystick any more.
        self.assertEqual((facts.get("ID_INPUT_KEYBOARD"), owner), ("1", "root"))

    def test_what_has_some_keys_beside_its_axes_is_open(self):
        facts, owner = self.made("Gamepad With Menu Keys", [
            ecodes.BTN_SOUTH, ecodes.BTN_EAST, ecodes.KEY_MENU, ecodes.KEY_HOMEPAGE],
            [ecodes.ABS_X, ecodes.ABS_Y, ecodes.ABS_Z])
        self.assertEqual((facts.get("ID_INPUT_JOYSTICK"), owner), ("1", "forced"))
        _, owner = self.made("Pad With Keys", [ecodes.BTN_TOUCH, ecodes.KEY_PROG1, ecodes.KEY_PROG2],
                             [ecodes.ABS_X, ecodes.ABS_Y, ecodes.ABS_PRESSURE])
        self.assertEqual(owner, "forced")


if __name__ == "__main__":
    unittest.main()
