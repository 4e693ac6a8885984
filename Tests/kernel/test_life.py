"""The service as an administrator sees it: activation, sandbox, permissions, journal."""

import json
import os
import pty
import pwd
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import evdev

from bench import HERE, PATIENCE, SOCKET, KernelTest, Service, connected, run, wait_until


class ActivationTest(KernelTest):
    def setUp(self):
        super().setUp()
        Service.stop()
        run("systemctl", "start", "forced.socket")

    def test_first_client_starts_the_daemon_and_gets_its_answer(self):
        self.assertEqual(Service.property("ActiveState"), "inactive")
        status = json.loads(run("forcectl", "status", "--json").stdout)
        self.assertEqual(status["socket"], SOCKET)
        self.assertEqual(status["pid"], Service.pid())

    def test_clients_that_come_before_the_daemon_lose_nothing(self):
        line = "echo '{\"method\":\"org.forced.Force.GetStatus\"}' | socat -t 20 - UNIX:" + SOCKET
        clients = [subprocess.Popen(["sh", "-c", line], stdout=subprocess.PIPE, text=True)
                   for _ in range(8)]
        answers = [json.loads(client.communicate(timeout=30)[0]) for client in clients]
        self.assertEqual({answer["parameters"]["status"]["pid"] for answer in answers},
                         {Service.pid()})

    def test_socket_has_its_group_and_mode(self):
        self.assertEqual(run("stat", "-c", "%U:%G %a", SOCKET).stdout.strip(), "root:input 660")

    def test_socket_outlives_a_restart_and_so_do_clients_waiting(self):
        pad = self.pad()
        Service.start()
        connected(pad)
        first = Service.pid()
        inode = os.stat(SOCKET).st_ino
        run("systemctl", "restart", "forced.service")
        self.assertNotEqual(Service.pid(), first)
        self.assertEqual(os.stat(SOCKET).st_ino, inode)
        connected(pad)


class BadConfigurationTest(KernelTest):
    """A configuration that nobody could serve with, before the daemon runs."""

    def setUp(self):
        super().setUp()
        Service.stop()
        run("systemctl", "reset-failed", "forced.service", "forced.socket", check=False)
        self.configure("[Haptics]\nStrength=loud\n")
        run("systemctl", "start", "forced.socket")

    def ask(self):
        return run("timeout", "20", "forcectl", "status", check=False)

    def state(self, unit="forced.service"):
        text = run("systemctl", "show", "--property", "ActiveState,Result,NRestarts", unit).stdout
        return dict(line.split("=", 1) for line in text.split())

    def test_the_socket_stays_and_the_client_after_the_mending_is_served(self):
        for _ in range(6):  # one more than systemd's usual limit
            refused = self.ask()
            self.assertNotIn(refused.returncode, (0, 124), "told at once that nobody serves")
        self.wait_journal("Strength")
        wait_until(lambda: self.state()["ActiveState"] == "failed", "the service has failed")
        self.assertEqual(self.state()["NRestarts"], "0", "no restart mends a configuration")
        self.assertEqual(run("systemctl", "show", "--value", "--property", "ExecMainStatus",
                             "forced.service").stdout.strip(), "78")
        self.assertEqual(self.state("forced.socket")["ActiveState"], "active")
        self.configure("")
        served = self.ask()
        self.assertEqual(served.returncode, 0, served.stderr)

    def test_an_impatient_client_starts_it_at_most_once_a_second(self):
        starts = "Starting forced.service"
        impatient = subprocess.Popen(["sh", "-c", "while :; do forcectl status; done"],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                     start_new_session=True)
        self.addCleanup(impatient.wait)
        self.addCleanup(os.killpg, impatient.pid, signal.SIGKILL)
        began = time.monotonic()
        wait_until(lambda: Service.journal(self.since).count(starts) >= 6, "six tries")
        count, took = Service.journal(self.since).count(starts), time.monotonic() - began
        self.assertLessEqual(count, took + 2)
        self.assertEqual(self.state("forced.socket")["ActiveState"], "active")
        self.configure("")
        wait_until(lambda: self.state()["ActiveState"] == "active", "served once it is mended")

    def test_the_check_says_1(self):
        self.assertEqual(run("forced", "--check", check=False).returncode, 1)


class UnitTest(KernelTest):
    def test_systemd_has_nothing_against_the_units_but_keys_that_it_is_too_old_for(self):
        said = run("systemd-analyze", "verify", "--man=no", "forced.service", "forced.socket")
        lines = [line for line in said.stderr.splitlines() if "forced" in line]
        version = int(run("systemctl", "--version").stdout.split()[1])
        new = [line for line in lines if "RestartSteps" in line or "RestartMaxDelaySec" in line]
        self.assertEqual([line for line in lines if line not in new], [])
        if version >= 254:
            self.assertEqual(new, [])
            self.assertEqual(Service.property("RestartSteps"), "5")
            self.assertEqual(Service.property("RestartMaxDelayUSec"), "1min")

    def test_every_connection_and_device_that_can_be_allowed_has_a_descriptor(self):
        Service.start()
        with open(f"/proc/{Service.pid()}/limits") as limits:
            line = next(line for line in limits if line.startswith("Max open files"))
        self.assertEqual(line.split()[3:5], ["66560", "66560"])

    def test_a_refused_reload_is_in_the_units_journal_with_its_reasons_each_time(self):
        Service.start()
        for number in range(3):
            self.configure(f"[Haptics]\nStrength=loud{number}\n")
            refused = run("systemctl", "reload", "forced.service", check=False)
            self.assertNotEqual(refused.returncode, 0)
            self.wait_journal(f"loud{number}")


class PlugTroubleTest(KernelTest):
    """Devices that come when the daemon cannot take them."""

    def test_a_pad_that_no_descriptor_was_left_for_is_taken_when_there_is_one(self):
        # The watchdog wants to be fed while no descriptor is left for that.
        self.configure_unit("[Service]\nLimitNOFILE=40\nWatchdogSec=4s\n")
        Service.start()
        pid = Service.pid()
        clients = []
        self.addCleanup(lambda: [client.close() for client in clients])

        def is_full():
            client = socket.socket(socket.AF_UNIX)
            client.connect(SOCKET)
            clients.append(client)
            return len(os.listdir(f"/proc/{Service.pid()}/fd")) >= 40
        wait_until(is_full, "every descriptor is taken")
        pad = self.pad("Late Pad")
        self.wait_journal(f"cannot open {pad.node()}: Too many open files")
        while clients:
            clients.pop().close()
        connected(pad)
        self.assertEqual(Service.pid(), pid)

    def test_many_pads_at_once_are_all_known_and_no_thread_is_refused(self):
        # Each is opened on a thread of its own; where one is refused, Dispatch lets the loop sleep.
        # While the daemon is stopped nobody feeds the watchdog.
        self.configure_unit("[Service]\nWatchdogSec=120s\n")
        Service.start()
        os.kill(Service.pid(), signal.SIGSTOP)
        pads = [subprocess.Popen([os.path.join(HERE, "pad"), "--name", f"Many {number}", "--phys",
                                  f"many/{number}"], stdin=subprocess.PIPE,
                                 stdout=subprocess.DEVNULL) for number in range(90)]
        for pad in pads:
            self.addCleanup(pad.wait)
            self.addCleanup(pad.kill)
            self.addCleanup(pad.stdin.close)
        run("udevadm", "settle", "--timeout=20", check=False)
        os.kill(Service.pid(), signal.SIGCONT)

        def known():
            lines = map(json.loads, run("forcectl", "devices", "--json").stdout.splitlines())
            return sum(line["connected"] and line["name"].startswith("Many ") for line in lines)
        wait_until(lambda: known() == len(pads), "every pad is known")
        with open("/sys/fs/cgroup" + Service.property("ControlGroup") + "/pids.events") as events:
            self.assertEqual(events.read().split(), ["max", "0"])

    def test_a_node_that_was_taken_away_is_said_to_be_there_and_closed(self):
        pad = self.pad()
        Service.start()
        connected(pad)
        rules = "/run/udev/rules.d/99-closed.rules"
        self.configure('SUBSYSTEM=="input", KERNEL=="event*", OWNER="root", GROUP="root", '
                       'MODE="0600"\n', rules)
        self.addCleanup(run, "udevadm", "control", "--reload")
        run("udevadm", "control", "--reload")
        pad.do("unplug")
        pad.do("plug")
        self.wait_journal("permission denied for user forced; 65-forced.rules")
        self.assertNotIn("usermod", Service.journal(self.since))
        shown = run("forcectl", "devices").stdout
        self.assertIn(f"cannot open {pad.node()}", shown)
        self.assertNotIn("gone", shown)
        os.unlink(rules)
        run("udevadm", "control", "--reload")
        run("udevadm", "trigger", "--subsystem-match=input")
        self.assertNotIn("cannot open", json.dumps(connected(pad)))


class SandboxTest(KernelTest):
    def test_keyboard_is_closed_to_the_daemon_and_no_news(self):
        keyboard = evdev.UInput({evdev.ecodes.EV_KEY: [evdev.ecodes.KEY_A, evdev.ecodes.KEY_B]},
                                name="Test Keyboard")
        self.addCleanup(keyboard.close)
        pad = self.pad()
        Service.start()
        device = connected(pad)
        forced = pwd.getpwnam("forced")
        self.assertEqual(os.stat(device["node"]).st_uid, forced.pw_uid)
        node = keyboard.device.path
        self.assertEqual(os.stat(node).st_uid, 0)
        self.assertEqual(run("id", "-G", "forced").stdout.split(), [str(forced.pw_gid)])
        self.assertNotIn(node, Service.journal(self.since))
        self.assertNotIn("permission", Service.journal(self.since).lower())

    def test_real_time_is_got_inside_the_sandbox(self):
        Service.start()
        status = json.loads(run("forcectl", "status", "--json").stdout)
        self.assertEqual({measure["name"]: measure["state"] for measure in status["realtime"]},
                         {"scheduler": "got", "run_time_limit": "got", "memory_lock": "got",
                          "timer_slack": "got"})
        with open(f"/proc/{Service.pid()}/limits") as limits:
            line = next(line for line in limits if line.startswith("Max realtime timeout"))
        self.assertEqual(line.split()[3:5], ["5000000", "8000000"])

    def test_no_connection_to_dbus(self):
        trace = "/run/forced/trace"
        self.addCleanup(lambda: os.path.exists(trace) and os.unlink(trace))
        # The service as it is, traced: strace needs calls of its own. It is the main process then, and
        # what systemd gave that one is handed on.
        self.configure_unit(f"""[Service]
ExecStart=
ExecStart=/usr/bin/strace -f -e trace=connect,sendto,sendmsg -o {trace} \\
  /bin/sh -c "LISTEN_PID=$$$$ WATCHDOG_PID=$$$$ exec /usr/bin/forced"
SystemCallFilter=@debug @setuid
NotifyAccess=all
""")
        pad = self.pad()
        Service.start()
        traced = json.loads(run("forcectl", "status", "--json").stdout)["pid"]
        pad.wait_event("upload")
        pad.wait_event("play", pad.do("press 1000"))
        pad.do("unplug")
        pad.do("plug")
        connected(pad)
        self.configure("[Haptics]\nStrength=50%\n")
        os.kill(traced, signal.SIGHUP)
        pad.do("wait 300")
        os.kill(traced, signal.SIGTERM)
        wait_until(lambda: Service.property("ActiveState") == "inactive", "it ends")
        with open(trace) as file:
            lines = file.read().splitlines()
        self.assertTrue(any("exited with 0" in line for line in lines), lines[-3:])
        self.assertTrue(any("/run/systemd/notify" in line for line in lines), "it was traced")
        # At the start and at a reload the daemon looks up who may steer it: the C library asks the cache
        # of accounts first, where one runs.
        others = [line for line in lines if "connect(" in line
                  and not any(place in line for place in ("/run/systemd/", "/run/nscd/"))]
        self.assertEqual(others, [])
        self.assertFalse([line for line in lines if "bus" in line])


class UserTest(KernelTest):
    """The daemon as a user starts it: no service, no sandbox."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        nobody = pwd.getpwnam("nobody")
        os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
        self.socket = f"{self.folder}/forced/forced.sock"

    def start(self, *limits):
        """Starts it on a terminal of its own, as a member of the group input."""
        master, terminal = pty.openpty()
        self.addCleanup(os.close, master)
        environment = dict(os.environ, XDG_RUNTIME_DIR=self.folder, HOME=self.folder,
                           TERM="linux")
        daemon = subprocess.Popen(
            ["prlimit", *limits, "setpriv", "--reuid", "nobody", "--regid", "nogroup", "--groups",
             "input", "forced"], stdin=terminal, stdout=terminal, stderr=terminal,
            env=environment, start_new_session=True)
        os.close(terminal)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.kill)
        self.status = wait_until(self.ask, "it answers")
        return daemon

    def ask(self):
        done = run("forcectl", "--socket", self.socket, "status", "--json", check=False)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def realtime(self):
        return {measure["name"]: (measure["state"], measure.get("reason", ""))
                for measure in self.status["realtime"]}

    def test_started_in_a_terminal_it_reads_and_plays_and_ends_with_ctrl_c(self):
        pad = self.pad()
        daemon = self.start()
        pad.wait_event("upload")
        before = pad.do("press 1000")
        pad.wait_event("play", before)
        line = run("forcectl", "--socket", self.socket, "watch", "--json", "--count", "1").stdout
        self.assertEqual(json.loads(line)["raw"], 1000)
        os.kill(daemon.pid, signal.SIGINT)
        self.assertEqual(daemon.wait(PATIENCE), 0)
        pad.wait_event("erase", before)
        self.assertFalse(os.path.exists(self.socket))

    def test_real_time_is_refused_with_the_reason_where_the_limits_forbid_it(self):
        self.start("--rtprio=0", "--memlock=0")
        realtime = self.realtime()
        self.assertEqual({name: state for name, (state, _) in realtime.items()},
                         {"scheduler": "refused", "run_time_limit": "off",
                          "memory_lock": "refused", "timer_slack": "got"})
        self.assertIn("real-time priority 10", realtime["scheduler"][1])
        self.assertIn("lock memory", realtime["memory_lock"][1])

    def test_real_time_is_got_where_the_limits_allow_it(self):
        self.start("--rtprio=20", "--memlock=unlimited")
        self.assertEqual({state for state, _ in self.realtime().values()}, {"got"})


if __name__ == "__main__":
    unittest.main()
