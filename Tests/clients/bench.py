"""Runs commands beside the daemon that FORCED_SOCKET names, as a user would type them."""

import os
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATIENCE = 20  # seconds until what must happen counts as not happening


class Running:
    """A command line under bash, from the root of the project. Ends with everything it started."""

    def __init__(self, command, **variables):
        self.command = command
        self.output = tempfile.TemporaryFile()
        self.errors = tempfile.TemporaryFile()
        # python3 is the one that has the packages.
        path = os.path.dirname(sys.executable) + ":" + os.environ["PATH"]
        self.process = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", command], cwd=ROOT, stdin=subprocess.DEVNULL,
            stdout=self.output, stderr=self.errors, start_new_session=True,
            env={**os.environ, "PATH": path, **variables})

    def text(self, file):
        # Not read(): the place in the file is the command's own too, and it writes there.
        return os.pread(file.fileno(), 1 << 24, 0).decode(errors="replace")

    def wait_for_output(self, condition=lambda text: text.endswith("\n")):
        """Waits until what was printed meets the condition; fails where the command complains, or
        ends badly, or says nothing."""
        end = time.monotonic() + PATIENCE
        while True:
            status, printed, said = self.process.poll(), self.text(self.output), self.text(self.errors)
            if not said and status in (None, 0) and condition(printed):
                return printed
            if said or status is not None or time.monotonic() > end:
                raise AssertionError(f"{self.command}\nstatus: {status}\nprinted: {printed[-500:]}\n"
                                     f"said: {said[-2000:]}")
            time.sleep(0.02)

    def wait_for_end(self):
        return self.process.wait(PATIENCE)

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.output.close()
        self.errors.close()
