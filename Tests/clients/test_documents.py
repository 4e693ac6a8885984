"""Every command line of the documents does what it says. Those that change the system are run by
Tests/kernel/test_documents.py, those of `make` by .ci/run."""

import os
import re
import sys
import tempfile
import unittest

from bench import ROOT, Running

sys.path.insert(1, os.path.join(ROOT, "Tests", "kernel"))
from documents import commands, needs_machine

DOCUMENTS = ("README.md", "docs/protocol.md")
RECORDING = """# EVEMU 1.3
N: Recorded pen
I: 0003 1234 5678 0111
P: 00 00 00 00 00 00 00 00
B: 00 0b 00 00 00 00 00 00 00
B: 01 00 00 00 00 00 00 00 00
B: 01 00 00 00 00 00 00 00 00
B: 01 00 00 00 00 00 00 00 00
B: 01 00 00 00 00 00 00 00 00
B: 01 00 00 00 00 00 00 00 00
B: 01 01 04 00 00 00 00 00 00
B: 03 00 00 00 01 00 00 00 00
A: 18 0 255 0 0 0
E: 10.000000 0001 0140 0001
E: 10.000000 0001 014a 0001
E: 10.000000 0003 0018 0100
E: 10.000000 0000 0000 0000
E: 10.012500 0001 014a 0000
E: 10.012500 0000 0000 0000
"""


MEASURING = ("calibrate", "tare", "weigh")


class DocumentsTest(unittest.TestCase):
    def all(self):
        for document in DOCUMENTS:
            for number, command in commands(os.path.join(ROOT, document)):
                yield f"{document}:{number}", command

    def test_commands(self):
        recording = tempfile.NamedTemporaryFile("w", suffix=".evemu")
        self.addCleanup(recording.close)
        recording.write(RECORDING)
        recording.flush()
        running = []
        for place, command in self.all():
            if needs_machine(command) or command.split()[0] in ("make", "man"):
                continue
            if command.split()[:2][-1] in MEASURING:
                continue  # they change what grams are, for everybody at this daemon
            process = Running(re.sub(r"\bFILE\b", recording.name, command))
            self.addCleanup(process.close)
            running.append((place, process))
        self.assertGreater(len(running), 8)
        for place, process in running:
            with self.subTest(place):
                process.wait_for_output()

    def test_measuring_commands(self):
        """Each beside a daemon of its own, with something lying on the pad."""
        measuring = [(place, command) for place, command in self.all()
                     if command.split()[:2][-1] in MEASURING]
        self.assertEqual({command.split()[1] for _, command in measuring}, set(MEASURING))
        for place, command in measuring:
            with self.subTest(place), tempfile.TemporaryDirectory() as folder:
                recording = os.path.join(folder, "lies.evemu")
                with open(recording, "w") as file:
                    file.write(RECORDING.split("E: 10.012500")[0])
                    file.write("E: 60.000000 0001 014a 0000\nE: 60.000000 0000 0000 0000\n")
                path = os.path.join(folder, "forced.sock")
                variables = {"FORCED_SOCKET": path, "STATE_DIRECTORY": folder}
                daemon = Running(f"exec forced --no-evdev --socket {path} --replay {recording}",
                                 **variables)
                self.addCleanup(daemon.close)
                lies = Running("until forcectl watch --count 1 --for 1s 2>/dev/null | grep .; "
                               "do sleep 0.1; done", **variables)
                self.addCleanup(lies.close)
                lies.wait_for_output()
                process = Running(command + " 2>&1", **variables)
                self.addCleanup(process.close)
                process.wait_for_output(lambda text: any(
                    words in text for words in ("Take everything off", " oz", "taken off")))

    def test_make(self):
        """What `make` is told in the documents, CI does as well."""
        scripts = ""
        for name in (".ci/run", "scripts/test-install"):
            with open(os.path.join(ROOT, name)) as file:
                scripts += file.read()
        for place, command in self.all():
            for words in re.findall(r"\bmake\b([^&|;]*)", command if "make" in command else ""):
                for target in words.split() or ["build"]:
                    with self.subTest(place):
                        self.assertRegex(scripts, rf"(?m)^[^#\n]*\bmake (\S+ )*{re.escape(target)}\b")

    def test_manual_pages(self):
        for place, command in self.all():
            if command.startswith("man "):
                with self.subTest(place):
                    page = command.split()[-1]
                    pages = [name.rsplit(".", 1)[0] for name in os.listdir(os.path.join(ROOT, "man"))]
                    self.assertIn(page, pages)

    def test_a_command_that_nobody_knows_is_noticed(self):
        with tempfile.NamedTemporaryFile("w", suffix=".md") as file:
            file.write("Text.\n\n    unheard-of --now\n")
            file.flush()
            with self.assertRaises(ValueError):
                commands(file.name)


if __name__ == "__main__":
    unittest.main()
