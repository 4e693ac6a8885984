"""Every example of examples/README.md, by the command line that stands there."""

import json
import os
import re
import shutil
import socket
import tempfile
import time
import unittest

from bench import PATIENCE, ROOT, Running

LINE = re.compile(r"simulated-pad  (\d+(?:\.\d+)?) %  (\d+(?:\.\d+)?) g")


def documented():
    """File name: command line."""
    with open(os.path.join(ROOT, "examples/README.md"), encoding="utf-8") as file:
        rows = re.findall(r"^\| \[[^]]+\]\(([^)]+)\) \|.*\| `([^`]+)` \|$", file.read(), re.MULTILINE)
    return dict(rows)


def needs(*programs):
    missing = [program for program in programs if not shutil.which(program)]
    required = bool(os.environ.get("CI"))
    return unittest.skipIf(missing and not required, f"without {' and '.join(missing)}")


class ExamplesTest(unittest.TestCase):
    def start(self, command):
        running = Running(command)
        self.addCleanup(running.close)
        return running

    def check_lines(self, running):
        """It shows readings: whole lines, and the force changes."""
        printed = running.wait_for_output(lambda text: text.count("\n") > 30)
        forces = set()
        for line in printed.splitlines()[:30]:
            match = LINE.fullmatch(line)
            self.assertTrue(match, line)
            percent, grams = map(float, match.groups())
            self.assertAlmostEqual(grams, percent * 3.85, delta=0.03)
            forces.add(percent)
        self.assertGreater(len(forces), 5)

    def test_all_are_documented(self):
        files = set()
        for folder, _, names in os.walk(os.path.join(ROOT, "examples")):
            files |= {os.path.relpath(os.path.join(folder, name), os.path.join(ROOT, "examples"))
                      for name in names if not name.startswith(".")}
        self.assertEqual(files - {"README.md"}, set(documented()))

    def test_shell(self):
        self.check_lines(self.start(documented()["watch.sh"]))

    def test_python(self):
        self.check_lines(self.start(documented()["watch.py"]))

    def test_python_with_varlink(self):
        try:
            import varlink
        except ImportError:
            self.skipTest("without Python's varlink")
        self.check_lines(self.start(documented()["watch_varlink.py"]))

    @needs("cc")
    def test_c(self):
        with tempfile.TemporaryDirectory() as folder:
            command = documented()["watch.c"].replace("-o watch", f"-o {folder}/watch")
            command = command.replace("cc ", "cc -std=gnu11 -Wall -Wextra -Werror ")
            self.check_lines(self.start(command.replace("./watch", f"exec {folder}/watch")))

    def test_swift(self):
        # What `swift run` builds and starts is built: to look whether it is up to date takes long.
        command = documented()["swift/Watch.swift"]
        self.assertEqual(command, "swift run example-watch")
        self.check_lines(self.start("exec .build/debug/example-watch"))

    @needs("mosquitto", "mosquitto_pub", "mosquitto_sub")
    def test_mqtt(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as conf:
            conf.write(f"listener {port} 127.0.0.1\nallow_anonymous true\nlog_type none\n")
            conf.flush()
            self.start(f"exec mosquitto -c {conf.name}")
            wait_until_open(port)
            at = f"127.0.0.1 -p {port}"
            subscriber = self.start(f"exec mosquitto_sub -t forced/readings -h {at}")
            self.start(documented()["mqtt.sh"].replace("BROKER", at))
            printed = subscriber.wait_for_output(lambda text: text.count("\n") > 10)
        for line in printed.splitlines()[:10]:
            reading = json.loads(line)
            self.assertEqual(reading["device"], "simulated-pad")
            self.assertTrue(0 <= reading["percent"] <= 100)

    def test_without_a_daemon_each_ends_and_says_so(self):
        for name in ("watch.sh", "watch.py", "mqtt.sh"):
            with self.subTest(name):
                running = Running(documented()[name], FORCED_SOCKET="/nonexistent/forced.sock")
                self.addCleanup(running.close)
                status = running.wait_for_end()
                # A POSIX shell knows only how the end of a pipe ended.
                self.assertTrue(status != 0 or name.endswith(".sh"))
                self.assertIn("/nonexistent/forced.sock", running.text(running.errors))


def wait_until_open(port):
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


if __name__ == "__main__":
    unittest.main()
