"""The service as an administrator sees it: activation, sandbox, permissions, journal."""

import json
import os
import pwd
import signal
import subprocess
import tempfile
import unittest

import evdev

from bench import PATIENCE, SOCKET, KernelTest, Service, connected, run, wait_until


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
        self.assertEqual(line.split()[3:5], ["3000000", "5000000"])

    def test_no_connection_to_dbus(self):
        pad = self.pad()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        trace, path = f"{folder.name}/trace", f"{folder.name}/forced.sock"
        daemon = subprocess.Popen(
            ["strace", "-f", "-e", "trace=connect,sendto,sendmsg", "-o", trace, "forced",
             "--socket", path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.kill)

        def answer():
            done = run("forcectl", "--socket", path, "status", "--json", check=False)
            return done.stdout if done.returncode == 0 else None
        traced = json.loads(wait_until(answer, "it answers"))["pid"]
        pad.wait_event("upload")
        pad.wait_event("play", pad.do("press 1000"))
        pad.do("unplug")
        pad.do("plug")
        pad.do("wait 300")
        os.kill(traced, signal.SIGTERM)
        daemon.wait(PATIENCE)
        with open(trace) as file:
            text = file.read()
        self.assertIn("exited with 0", text)
        self.assertNotIn("dbus", text)
        self.assertNotIn("system_bus", text)


if __name__ == "__main__":
    unittest.main()
