"""What the kernel tests work with: a pad that is pressed by script, the service, and a watcher."""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SOCKET = "/run/forced/forced.sock"
STATE = "/var/lib/forced"
PATIENCE = 30  # seconds until a thing that must happen counts as not happening


def wait_until(condition, what):
    """Polls until `condition()` is true and returns what it returned. The machine has one slow CPU:
    tests wait for what they need and never for a time."""
    end = time.monotonic() + PATIENCE
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise AssertionError(f"still waiting for this after {PATIENCE} s: {what}")
        time.sleep(0.02)


def run(*command, check=True, **options):
    """Runs a command to its end; its output, both kinds, is in the result."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, **options)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}"
                             f"{done.stderr}")
    return done


class Logged:
    """A program whose standard output is a JSON object a line."""

    def __init__(self, command):
        self.file = tempfile.NamedTemporaryFile("rb", suffix=".jsonl")
        self.errors = tempfile.NamedTemporaryFile("r", suffix=".err")
        with open(self.file.name, "wb") as out, open(self.errors.name, "wb") as err:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=err)

    def lines(self):
        self.file.seek(0)
        text = self.file.read()
        whole = text[:text.rfind(b"\n") + 1]  # the last line may still be under way
        # varlinkctl puts a record separator before each of several replies.
        return [json.loads(line.lstrip(b"\x1e")) for line in whole.splitlines()]

    def wait_for(self, condition, what, after=0):
        """The first line from number `after` on that meets the condition."""
        def found():
            return next((line for line in self.lines()[after:] if condition(line)), None)
        try:
            return wait_until(found, what)
        except AssertionError as error:
            tail = "\n".join(json.dumps(line) for line in self.lines()[-8:])
            raise AssertionError(f"{error}; its last lines:\n{tail}\n{self.said()}") from None

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def end(self, sign=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(sign)
        status = self.process.wait(PATIENCE)
        self.process.stdin.close()
        return status

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if not self.process.stdin.closed:
            self.process.stdin.close()
        self.file.close()
        self.errors.close()


class Pad(Logged):
    """The uinput pad of pad.c. Its lines are what happened to it."""

    program = "pad"
    # What its motor can be told.
    motor_words = ("upload", "play", "stop", "gain", "erase")

    def __init__(self, name="Test Pad", **options):
        words = []
        for key, value in options.items():
            words.append("--" + key.replace("_", "-"))
            if value is not True:
                words.append(str(value))
        self.name = name
        super().__init__([os.path.join(HERE, self.program), "--name", name, *words])
        self.wait_for(lambda line: line["event"] == "plugged", "the pad is plugged in")

    def begin(self, command):
        """Hands over a command and goes on; returns the log's length before it."""
        before = len(self.lines())
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()
        return before

    def do(self, command):
        """Hands over a command and returns when it is done; returns the log's length before it."""
        before = self.begin(command)
        self.wait_for(lambda line: line["event"] == "done" and line["command"] == command,
                      f"the pad does: {command}", before)
        return before

    def wait_event(self, event, after=0):
        return self.wait_for(lambda line: line["event"] == event, f"the pad sees: {event}", after)

    def motor_events(self, after=0):
        """What the motor was told, in order, from line `after` on."""
        return [line for line in self.lines()[after:]
                if line["event"] in self.motor_words]

    def node(self):
        """/dev/input/eventN of the pad, found by its name, never by a number."""
        def find():
            for entry in sorted(os.listdir("/sys/class/input")):
                if not entry.startswith("event"):
                    continue
                try:
                    with open(f"/sys/class/input/{entry}/device/name") as file:
                        if file.read().strip() == self.name:
                            return f"/dev/input/{entry}"
                except OSError:
                    pass
            return None
        return wait_until(find, f"a node named {self.name}")


class Watch(Logged):
    """`forcectl watch --json`, from when it has subscribed on. Its lines are readings."""

    def __init__(self, *arguments):
        before = self._subscribers()
        super().__init__(["forcectl", "watch", "--json", *arguments])
        wait_until(lambda: self._subscribers() > before, "forcectl watch subscribes")

    @staticmethod
    def _subscribers():
        return json.loads(run("forcectl", "status", "--json").stdout)["subscribers"]

    def readings(self):
        return [line for line in self.lines() if "percent" in line]

    def wait_reading(self, condition, what, after=0):
        return self.wait_for(lambda line: "percent" in line and condition(line), what, after)


class Service:
    """forced.service, as systemctl steers it."""

    @staticmethod
    def start():
        run("systemctl", "reset-failed", "forced.service", check=False)
        run("systemctl", "start", "forced.service")

    @staticmethod
    def stop():
        """Ends the daemon; its socket goes too, or the next client would start it again."""
        run("systemctl", "stop", "forced.socket", "forced.service")

    @staticmethod
    def property(name):
        return run("systemctl", "show", "--value", "--property", name, "forced.service").stdout.strip()

    @staticmethod
    def pid():
        return int(Service.property("MainPID"))

    @staticmethod
    def journal(since=""):
        return run("journalctl", "--unit", "forced.service", "--output", "cat", "--no-pager",
                   *(("--after-cursor", since) if since else ())).stdout

    @staticmethod
    def cursor():
        """Where the journal is now, for `journal(since=…)`."""
        text = run("journalctl", "--lines", "0", "--show-cursor", "--no-pager").stdout
        return text.rsplit("-- cursor: ", 1)[-1].strip()


DROP_IN = "/etc/forced/forced.conf.d/test.conf"
UNIT_DROP_IN = "/run/systemd/system/forced.service.d/test.conf"


def named(name):
    """The device record of this name, or None while there is none."""
    lines = run("forcectl", "devices", "--json").stdout.splitlines()
    return next((device for device in map(json.loads, lines) if device["name"] == name), None)


def connected(pad):
    def device():
        found = named(pad.name)
        return found if found and found["connected"] else None
    return wait_until(device, f"forced knows {pad.name}")


def counters():
    return json.loads(run("forcectl", "status", "--json").stdout)["counters"]


class KernelTest(unittest.TestCase):
    """Closes what a test opened and, when it failed, shows what the service said."""

    def setUp(self):
        self.since = Service.cursor()
        self.addCleanup(self._forget)
        self.addCleanup(self._show_journal)
        self.addCleanup(Service.stop)

    def configure(self, text, path=DROP_IN):
        """Writes a drop-in of the configuration, or of a unit, for this test."""
        self.addCleanup(lambda: os.path.exists(path) and os.unlink(path))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def configure_unit(self, text):
        self.addCleanup(run, "systemctl", "daemon-reload")
        self.configure(text, UNIT_DROP_IN)
        run("systemctl", "daemon-reload")

    def wait_journal(self, text):
        wait_until(lambda: text in Service.journal(self.since), f"the journal says: {text}")

    def _forget(self):
        """What the daemon remembers of a pad, such as a maximum above the declared one, is no matter
        of the next test."""
        for name in os.listdir(STATE) if os.path.isdir(STATE) else ():
            os.unlink(os.path.join(STATE, name))

    def _show_journal(self):
        outcome = getattr(self._outcome, "result", None) or self._outcome
        problems = getattr(outcome, "errors", []) + getattr(outcome, "failures", [])
        if any(test is self and trace for test, trace in problems):
            print(f"--- journal of forced.service during {self.id()}\n{Service.journal(self.since)}")

    def pad(self, name="Test Pad", **options):
        pad = Pad(name, **options)
        self.addCleanup(pad.close)
        return pad

    def watch(self, *arguments):
        watch = Watch(*arguments)
        self.addCleanup(watch.close)
        return watch
