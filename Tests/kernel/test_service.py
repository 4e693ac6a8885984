"""The installed service on a real kernel: from a finger on a pad to what forcectl prints, and what
the pad's motor is told."""

import os
import signal
import socket
import subprocess
import tempfile
import unittest

from bench import (DROP_IN, PATIENCE, SOCKET, KernelTest, Service, connected, named, run,
                   wait_until)

RISE_RATE = 2_000.0  # per cent a second: the configuration's default
REACHED_AT = 99.5  # per cent, likewise


class ServiceTest(KernelTest):
    def press_to_maximum(self, pad):
        """Presses and returns the pad's log's length before it."""
        return pad.do("press 1000")


class PressTest(ServiceTest):
    def assert_slewed(self, readings):
        """They rise, and no faster than the configuration allows. Percentages are rounded to 0.01,
        and what has reached the maximum counts as 100."""
        for before, after in zip(readings, readings[1:]):
            self.assertGreaterEqual(after["percent"], before["percent"])
            allowed = RISE_RATE * (after["time"] - before["time"]) / 1e6 + 0.02
            if after["at_maximum"]:
                allowed += 100 - REACHED_AT
            self.assertLessEqual(after["percent"] - before["percent"], allowed)

    def test_press_past_the_maximum_and_release(self):
        pad = self.pad(maximum=1000)
        Service.start()
        device = connected(pad)
        self.assertEqual((device["measure"], device["haptics"], device["minimum"],
                          device["maximum"]), ("force", "FF_RUMBLE", 0, 1000))
        pad.wait_event("upload")
        watch = self.watch("--device", device["id"])
        pad.do("ramp 0 1200 40 10")
        watch.wait_reading(lambda reading: reading["at_maximum"], "the maximum")
        pad.do("release")
        watch.wait_reading(lambda reading: reading["state"] == "released", "the release")
        self.assertEqual(watch.end(signal.SIGINT), 0)

        readings = watch.readings()
        top = next(i for i, reading in enumerate(readings) if reading["at_maximum"])
        rising, released = readings[:top + 1], readings[-1]
        self.assertGreater(len(rising), 5)
        self.assert_slewed(rising)
        for reading in rising[:-1]:
            self.assertLess(reading["percent"], 100)
            self.assertLessEqual(reading["percent"], reading["unsmoothed_percent"] + 0.01,
                                 "smoothing lags behind a rise")
        self.assertTrue(any(reading["percent"] + 1 < reading["unsmoothed_percent"]
                            for reading in rising), "smoothing can be seen")
        for reading in rising:
            self.assertAlmostEqual(reading["grams"], reading["percent"] * 3.85, delta=0.03)
            self.assertEqual(reading["grams_source"], "nominal")
        self.assertEqual((rising[-1]["percent"], rising[-1]["grams"]), (100, 385))
        past = [reading for reading in readings if reading["raw"] > 1000]
        self.assertTrue(past, "values past the declared maximum arrive as they are")
        self.assertTrue(all(reading["unsmoothed_percent"] == 100 for reading in past))
        self.assertEqual((released["percent"], released["grams"], released["at_maximum"],
                          released["unsmoothed_percent"]), (0, 0, False, 0))
        self.assertTrue(all(reading["state"] != "released" for reading in readings[:-1]))
        numbers = [reading["sequence"] for reading in readings]
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))), "no gap")

    def test_sudden_press_is_slewed_while_the_device_is_silent(self):
        pad = self.pad()
        Service.start()
        watch = self.watch("--device", connected(pad)["id"])
        pad.do("press 1000")
        watch.wait_reading(lambda reading: reading["percent"] == 100, "the smoothing arrives")
        readings = [reading for reading in watch.readings() if reading["raw"] == 1000]
        self.assertEqual(readings[0]["unsmoothed_percent"], 100)
        self.assertLess(readings[0]["percent"], 50)
        self.assert_slewed(readings)
        watch.wait_reading(lambda reading: reading["state"] == "steady", "it rests")

    def test_multitouch_contact_is_one_contact(self):
        pad = self.pad("Touch Pad", multitouch=True)
        Service.start()
        watch = self.watch("--device", connected(pad)["id"])
        pad.do("ramp 0 500 10 10")
        watch.wait_reading(lambda reading: reading["percent"] == 50, "half")
        pad.do("release")
        watch.wait_reading(lambda reading: reading["state"] == "released", "the release")
        self.assertEqual({reading["contact"] for reading in watch.readings()}, {0})

    def test_overflow_is_counted_and_the_value_is_right_after_it(self):
        pad = self.pad()
        Service.start()
        device = connected(pad)
        watch = self.watch("--device", device["id"])
        # A stopped daemon does not read; the kernel's queue runs over. Shorter than the watchdog.
        os.kill(Service.pid(), signal.SIGSTOP)
        try:
            pad.do("flood 3000")
            pad.do("press 640")
        finally:
            os.kill(Service.pid(), signal.SIGCONT)
        watch.wait_reading(lambda reading: reading["percent"] == 64, "the value after the loss")
        self.assertGreater(connected(pad)["counters"]["drops"], 0)


class MotorTest(ServiceTest):
    def test_one_rumble_at_the_maximum_and_nothing_left_at_the_end(self):
        pad = self.pad()
        Service.start()
        connected(pad)
        upload = pad.wait_event("upload")
        self.assertEqual((upload["type"], upload["length"], upload["update"]),
                         ("rumble", 60, False))
        self.assertGreater(upload["strong"], 0)
        before = self.press_to_maximum(pad)
        pad.wait_event("play", before)
        pad.do("ramp 1000 970 5 10")  # above the level that arms it again
        pad.do("ramp 970 1000 5 10")
        pad.do("wait 300")
        self.assertEqual([event["event"] for event in pad.motor_events(before)
                          if event["event"] == "play"], ["play"])
        pad.do("release")
        Service.stop()
        pad.wait_event("erase", before)
        events = [event["event"] for event in pad.motor_events()]
        self.assertEqual(events[:2] + events[-1:], ["upload", "play", "erase"])
        self.assertIn("stop", events[2:-1])

    def test_second_press_rumbles_again(self):
        pad = self.pad()
        Service.start()
        watch = self.watch("--device", connected(pad)["id"])
        for _ in range(2):
            before = self.press_to_maximum(pad)
            seen = len(watch.lines())
            pad.wait_event("play", before)
            pad.do("release")
            watch.wait_reading(lambda reading: reading["state"] == "released", "a release", seen)
            pad.do("wait 200")  # longer than the shortest time between two rumbles

    def test_periodic_motor(self):
        pad = self.pad("Periodic Pad", motor="periodic")
        Service.start()
        # The kernel shows FF_RUMBLE for every motor with FF_PERIODIC, and translates.
        self.assertEqual(connected(pad)["haptics"], "FF_RUMBLE")
        upload = pad.wait_event("upload")
        self.assertEqual((upload["type"], upload["waveform"]), ("periodic", 0x5A))
        pad.wait_event("play", self.press_to_maximum(pad))


class PlugTest(ServiceTest):
    def test_unplug_in_mid_press_releases_and_replug_is_the_same_device(self):
        pad = self.pad()
        Service.start()
        device = connected(pad)
        pad.wait_event("upload")
        watch = self.watch()
        pad.do("ramp 0 600 20 10")
        watch.wait_reading(lambda reading: reading["percent"] == 60, "the press")
        seen, before = len(watch.lines()), pad.do("unplug")
        last = watch.wait_reading(lambda reading: reading["state"] == "released",
                                  "the unplugged press ends", seen)
        self.assertEqual((last["percent"], last["grams"]), (0, 0))
        wait_until(lambda: not named(pad.name)["connected"], "it is known to be gone")
        pad.do("plug")
        self.assertEqual(connected(pad)["id"], device["id"])
        pad.wait_event("upload", before)
        seen, before = len(watch.lines()), self.press_to_maximum(pad)
        again = watch.wait_reading(lambda reading: reading["at_maximum"], "a press after", seen)
        self.assertEqual(again["device"], device["id"])
        pad.wait_event("play", before)

    def test_pad_that_comes_later_is_found(self):
        Service.start()
        watch = self.watch()
        pad = self.pad("Late Pad")
        connected(pad)
        pad.do("press 500")
        watch.wait_reading(lambda reading: reading["percent"] == 50, "its press")


class LifeTest(ServiceTest):
    def run_daemon(self, *arguments):
        daemon = subprocess.Popen(["forced", *arguments], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(daemon.stdout.close)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.kill)
        return daemon

    def answers(self, path=SOCKET):
        return run("forcectl", "--socket", path, "status", check=False).returncode == 0

    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    def test_terminated_daemon_leaves_no_socket(self):
        path = os.path.join(self.folder(), "forced.sock")
        daemon = self.run_daemon("--socket", path, "--no-evdev")
        wait_until(lambda: self.answers(path), "it answers")
        daemon.terminate()
        self.assertEqual(daemon.wait(PATIENCE), 0)
        self.assertFalse(os.path.exists(path))

    def test_stopped_service_leaves_no_socket(self):
        Service.start()
        self.assertTrue(os.path.exists(SOCKET))
        run("systemctl", "stop", "forced.service")
        self.assertTrue(os.path.exists(SOCKET), "the next client would start it again")
        run("systemctl", "stop", "forced.socket")
        self.assertFalse(os.path.exists(SOCKET))
        self.assertEqual(Service.property("Result"), "success")

    def test_second_daemon_refuses_and_names_the_first(self):
        path = os.path.join(self.folder(), "forced.sock")
        first = self.run_daemon("--socket", path, "--no-evdev")
        wait_until(lambda: self.answers(path), "it answers")
        second = run("forced", "--socket", path, "--no-evdev", check=False)
        self.assertEqual(second.returncode, 1)
        self.assertIn(str(first.pid), second.stdout + second.stderr)
        self.assertTrue(self.answers(path))

    def test_daemon_of_a_user_leaves_the_services_socket_alone(self):
        Service.start()
        second = run("forced", "--socket", SOCKET, "--no-evdev", check=False)
        self.assertEqual(second.returncode, 1)
        self.assertIn("the service manager listens on", second.stdout + second.stderr)
        self.assertTrue(self.answers())

    def test_stale_socket_is_replaced(self):
        path = os.path.join(self.folder(), "forced.sock")
        with socket.socket(socket.AF_UNIX) as stale:
            stale.bind(path)
        self.run_daemon("--socket", path, "--no-evdev")
        wait_until(lambda: self.answers(path), "it answers on the stale socket's path")

    def test_reload_takes_a_good_configuration(self):
        pad = self.pad()
        Service.start()
        watch = self.watch("--device", connected(pad)["id"])
        self.configure("[Scale]\nNominalGrams=1000\n")
        run("systemctl", "reload", "forced.service")
        pad.do("press 1000")
        watch.wait_reading(lambda reading: reading["grams"] == 1000, "the new scale")

    def test_bad_configuration_keeps_the_old_one(self):
        pad = self.pad()
        Service.start()
        pid = Service.pid()
        watch = self.watch("--device", connected(pad)["id"])
        self.configure("[Scale]\nNominalGrams=heavy\n")
        self.assertNotEqual(run("systemctl", "reload", "forced.service", check=False).returncode,
                            0, "the guard refuses")
        os.kill(pid, signal.SIGHUP)  # past the guard
        wait_until(lambda: "the old one stays in force" in Service.journal(self.since),
                   "the daemon says that it keeps the old one")
        self.assertIn(f"{DROP_IN}:2", Service.journal(self.since))
        pad.do("press 1000")
        watch.wait_reading(lambda reading: reading["grams"] == 385, "the old scale")
        self.assertEqual(Service.pid(), pid)

    def test_user_outside_the_group_is_told_which(self):
        Service.start()
        refused = run("setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups",
                      "forcectl", "watch", "--count", "1", check=False)
        self.assertEqual(refused.returncode, 3)
        self.assertIn("usermod -aG input nobody", refused.stderr)
        self.assertEqual(refused.stdout, "")

    def test_member_of_the_group_is_let_in(self):
        Service.start()
        run("setpriv", "--reuid", "nobody", "--regid", "nogroup", "--groups", "input", "forcectl",
            "devices")

    def test_without_a_daemon_forcectl_says_how_to_start_it(self):
        alone = run("forcectl", "status", check=False)
        self.assertEqual(alone.returncode, 3)
        self.assertIn("systemctl start forced", alone.stderr)

    def test_sandbox(self):
        run("systemd-analyze", "verify", "--man=no", "forced.service", "forced.socket")
        Service.start()
        table = run("systemd-analyze", "security", "--no-pager", "forced.service").stdout
        score = float(table.rsplit("Overall exposure level for forced.service:", 1)[1].split()[0])
        self.assertLessEqual(score, 1.0)

    def test_socat_and_jq_can_watch(self):
        pad = self.pad()
        Service.start()
        connected(pad)
        pad.do("press 500")
        # What the README shows, ended by the first line.
        watch = subprocess.Popen(
            ["sh", "-c", """echo '{"method":"org.forced.Force.Watch","more":true}' |
               socat STDIO,ignoreeof UNIX-CONNECT:/run/forced/forced.sock |
               jq -r --unbuffered '.parameters.reading // empty | "\\(.percent) %  \\(.grams) g"'
            """], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
            start_new_session=True)
        self.addCleanup(watch.wait)
        self.addCleanup(os.killpg, watch.pid, signal.SIGKILL)
        self.addCleanup(watch.stdout.close)
        self.assertEqual(watch.stdout.readline(), "50 %  192.5 g\n")


if __name__ == "__main__":
    unittest.main()
