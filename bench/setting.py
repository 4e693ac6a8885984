"""The programs of the benchmark and how they are put together for one run."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAMS = os.path.join(ROOT, ".build", "bench")
# What `make` has built, and the copy that is measured: older valgrinds stop at its debug information.
BUILT = os.environ.get("BENCH_DAEMON", os.path.join(ROOT, ".build", "release", "forced"))
DAEMON = os.path.join(PROGRAMS, "forced")
PATIENCE = 30  # seconds until what must happen counts as not happening

CONFIGURATION = """[Server]
SocketGroup=none
MaxConnections=4096
MaxConnectionsPerUser=4096
[Realtime]
Priority={priority}
LockMemory=no
"""
# Nothing is to stand between reaching the maximum and the motor but the program itself.
AT_ONCE = """[Smoothing]
Filter=none
RiseRate=1000000
FallRate=1000000
[Haptics]
MinimumInterval=0
OnMaximum=click
"""


def may_be_realtime():
    """Whether SCHED_FIFO is ours to take, as the service's unit gives it to the daemon."""
    return subprocess.run(["chrt", "-f", "20", "true"], stderr=subprocess.DEVNULL).returncode == 0


def build():
    """Compiles the C programs where they are older than their sources."""
    os.makedirs(PROGRAMS, exist_ok=True)
    here = os.path.join(ROOT, "bench")
    newest = max(os.path.getmtime(os.path.join(here, name)) for name in os.listdir(here)
                 if name.endswith((".c", ".h")))
    for name, options in (("floor", ()), ("relay-mqtt", ()), ("relay-dbus", ("-lsystemd",)),
                          ("load", ("-pthread", "-lsystemd")),
                          ("allocations.so", ("-shared", "-fPIC"))):
        target = os.path.join(PROGRAMS, name)
        if os.path.exists(target) and os.path.getmtime(target) > newest:
            continue
        source = os.path.join(here, name.removesuffix(".so") + ".c")
        subprocess.run(["cc", "-O2", "-Wall", "-o", target, source, *options], check=True)
    subprocess.run(["strip", "--strip-debug", "-o", DAEMON, BUILT], check=True)


def accepts(family, address):
    """Whether somebody listens there."""
    with socket.socket(family) as probe:
        try:
            return probe.connect_ex(address) == 0
        except FileNotFoundError:
            return False


class Relay:
    """What stands between the devices and the subscribers, running in a folder of its own."""

    # What a variant is started with, and how the load reaches it.
    kind = "varlink"

    def __init__(self, folder, address, feeds, under=(), environment=None, priority=0,
                 at_once=False):
        self.folder = folder
        self.address = address
        self.feeds = feeds
        self.under = list(under)
        if priority and not isinstance(self, Forced):
            self.under = ["chrt", "-f", str(priority), *self.under]
        self.environment = {**os.environ, **(environment or {})}
        self.priority = priority
        self.at_once = at_once
        self.processes = []
        self.log = open(os.path.join(folder, "log"), "ab")
        begun = time.monotonic()
        self.start()
        # From the start to the first connection that is possible, in seconds.
        self.ready_after = time.monotonic() - begun

    def spawn(self, *command, under=True):
        command = [*(self.under if under else ()), *command]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log,
                                   stderr=self.log, env=self.environment)
        self.processes.append(process)
        return process

    def wait_for(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            if any(process.poll() is not None for process in self.processes):
                raise RuntimeError(f"{what}: it ended: {self.said()}")
            if time.monotonic() > end:
                raise RuntimeError(f"{what}: nothing after {PATIENCE} s: {self.said()}")
            time.sleep(0.0005)

    def said(self):
        with open(os.path.join(self.folder, "log"), errors="replace") as file:
            return file.read()[-2000:]

    def pids(self):
        return [process.pid for process in self.processes]

    def end(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.log.close()


class Forced(Relay):
    name = "forced"

    def start(self):
        configuration = os.path.join(self.folder, "forced.conf")
        with open(configuration, "w") as file:
            file.write(CONFIGURATION.format(priority=self.priority))
            file.write(AT_ONCE if self.at_once else "")
        feeds = [word for path in self.feeds for word in ("--feed", path)]
        self.spawn(DAEMON, "--no-evdev", "--config", configuration, "--socket", self.address, *feeds)
        self.wait_for(lambda: accepts(socket.AF_UNIX, self.address), "forced")


class Floor(Relay):
    name = "floor"

    def start(self):
        self.spawn(os.path.join(PROGRAMS, "floor"), self.address, *self.feeds)
        self.wait_for(lambda: accepts(socket.AF_UNIX, self.address), "floor")


class DBus(Relay):
    name, kind = "dbus", "dbus"

    def start(self):
        path = self.address.removeprefix("unix:path=")
        configuration = os.path.join(self.folder, "bus.conf")
        with open(configuration, "w") as file:
            file.write(f"""<busconfig><type>session</type><listen>{self.address}</listen>
<auth>EXTERNAL</auth><policy context="default"><allow send_destination="*" eavesdrop="true"/>
<allow eavesdrop="true"/><allow own="*"/></policy>
<limit name="max_completed_connections">100000</limit>
<limit name="max_connections_per_user">100000</limit>
<limit name="max_incomplete_connections">10000</limit></busconfig>""")
        self.spawn("dbus-daemon", f"--config-file={configuration}", "--nofork")
        self.wait_for(lambda: accepts(socket.AF_UNIX, path), "dbus-daemon")
        self.spawn(os.path.join(PROGRAMS, "relay-dbus"), self.address, *self.feeds)


class Mosquitto(Relay):
    name, kind = "mosquitto", "mqtt"

    def start(self):
        port = int(self.address)
        configuration = os.path.join(self.folder, "mosquitto.conf")
        with open(configuration, "w") as file:
            file.write(f"listener {port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n")
        self.spawn(shutil.which("mosquitto") or "/usr/sbin/mosquitto", "-c", configuration)
        self.wait_for(lambda: accepts(socket.AF_INET, ("127.0.0.1", port)), "mosquitto")
        self.spawn(os.path.join(PROGRAMS, "relay-mqtt"), self.address, *self.feeds)


class Run:
    """One load beside one relay. `with Run(Forced, ...) as run: run.measure()`."""

    def __init__(self, relay, feeds=1, fifo=0, under=(), environment=None, priority=0,
                 at_once=False, **options):
        self.relay_class = relay
        self.feeds = feeds
        self.options = options
        self.fifo = fifo
        self.relay_options = dict(under=under, environment=environment, priority=priority,
                                  at_once=at_once)

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="forced-bench.")
        self.address = self._address()
        at = os.path.join(self.folder, "feed")
        command = [os.path.join(PROGRAMS, "load"), "--feeds", str(self.feeds), "--at", at,
                   "--kind", self.relay_class.kind, "--to", self.address, "--fifo", str(self.fifo)]
        for key, value in self.options.items():
            command.append("--" + key)
            if value is not True:
                command.append(str(value))
        self.command = command
        self.relay = self.load = None
        paths = [f"{at}.{index}" for index in range(self.feeds)]
        try:
            self._start_load()
            self.relay = self.relay_class(self.folder, self.address, paths, **self.relay_options)
        except BaseException:
            self.__exit__()
            raise
        return self

    def _address(self):
        if self.relay_class is DBus:
            return f"unix:path={self.folder}/bus"
        if self.relay_class is Mosquitto:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                return str(free.getsockname()[1])
        return os.path.join(self.folder, "socket")

    def _start_load(self):
        self.load = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     text=True)
        if self.load.stdout.readline() != "listening\n":
            raise RuntimeError("load did not start: " + " ".join(self.command))

    def go(self):
        """Starts the load; the first line that it says."""
        self.load.stdin.write(" ".join(map(str, self.relay.pids())) + "\n")
        self.load.stdin.flush()
        line = self.load.stdout.readline()
        if not line:
            raise RuntimeError(f"the load failed, status {self.load.wait(PATIENCE)}; {self.relay.name} said: {self.relay.said()}")
        return line

    def measure(self):
        return json.loads(self.go())

    def __exit__(self, *_):
        if self.load:
            self.load.stdin.close()
            self.load.wait(PATIENCE)
            self.load.stdout.close()
        if self.relay:
            self.relay.end()
        shutil.rmtree(self.folder, ignore_errors=True)
