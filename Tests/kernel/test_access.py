"""Who may steer the daemon, by the accounts of a real system."""

import os
import unittest

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


if __name__ == "__main__":
    unittest.main()
