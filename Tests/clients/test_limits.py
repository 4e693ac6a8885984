"""The daemon where it may have next to nothing: it says so and ends."""

import os
import resource
import shutil
import subprocess
import tempfile
import unittest

from bench import ROOT

NOBODY = 65534


class LimitsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.chmod(self.folder, 0o777)
        # Where other users reach it too.
        self.daemon = shutil.copy(os.path.join(ROOT, ".build", "debug", "forced"), self.folder)

    def run_as(self, confine, *arguments):
        return subprocess.run([self.daemon, *arguments], preexec_fn=confine, capture_output=True,
                              text=True, timeout=60, cwd=self.folder,
                              env={"STATE_DIRECTORY": self.folder})

    def serve(self, confine):
        """What a daemon says that is confined so, once it has failed to start."""
        done = self.run_as(confine, "--no-evdev", "--simulate", "--socket",
                           os.path.join(self.folder, "s.sock"))
        self.assertEqual(done.returncode, 1, done.stderr)
        return done.stderr

    def test_without_descriptors(self):
        for most in (8, 9, 12):
            said = self.serve(
                lambda most=most: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
            self.assertIn("16 open descriptors (ulimit -n)", said)

    @unittest.skipIf(os.getuid(), "only root can become a user who has no other process")
    def test_without_threads(self):
        if self.run_as(lambda: os.setuid(NOBODY), "--version").returncode:
            self.skipTest("Swift's libraries are closed to other users")

        def confine():
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
            os.setuid(NOBODY)
        self.assertIn("start a thread, which ulimit -u", self.serve(confine))


if __name__ == "__main__":
    unittest.main()
