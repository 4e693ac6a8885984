"""The daemon where it may have next to nothing: it says so and ends."""

import os
import resource
import subprocess
import tempfile
import unittest

from bench import ROOT

NOBODY = 65534


class LimitsTest(unittest.TestCase):
    def start(self, limit, most, user=None):
        """What a daemon says that may have at most so many of something, and its status."""
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o777)

            def confine():
                resource.setrlimit(limit, (most, most))
                if user is not None:
                    os.setuid(user)
            done = subprocess.run(
                [os.path.join(ROOT, ".build", "debug", "forced"), "--no-evdev", "--simulate",
                 "--socket", os.path.join(folder, "s.sock")],
                preexec_fn=confine, capture_output=True, text=True, timeout=60,
                env={"STATE_DIRECTORY": folder})
        return done.returncode, done.stderr

    def test_without_descriptors(self):
        for most in (8, 9, 12):
            status, said = self.start(resource.RLIMIT_NOFILE, most)
            self.assertEqual(status, 1, said)
            self.assertIn("16 open descriptors (ulimit -n)", said)

    @unittest.skipIf(os.getuid(), "only root can become a user who has no other process")
    def test_without_threads(self):
        status, said = self.start(resource.RLIMIT_NPROC, 1, user=NOBODY)
        self.assertEqual(status, 1, said)
        self.assertIn("start a thread, which ulimit -u", said)


if __name__ == "__main__":
    unittest.main()
