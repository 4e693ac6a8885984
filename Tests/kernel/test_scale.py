"""The scale on a real kernel and through the installed service: calibrating, taring and weighing, what
the state directory keeps of it, grams that a HID report descriptor gives, and a balance board."""

import glob
import json
import os
import pwd
import stat
import subprocess
import tempfile
import unittest

import evdev
from evdev import AbsInfo, UInput, ecodes

from bench import KernelTest, Pad, Service, connected, named, run, wait_until

STATE = "/var/lib/forced"


class Dialogue:
    """A command that says what to do next, and waits for it."""

    def __init__(self, test, *command):
        self.file = tempfile.NamedTemporaryFile("r+", suffix=".txt")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.file,
                                        stderr=subprocess.STDOUT)
        test.addCleanup(self.file.close)
        test.addCleanup(self.process.wait)
        test.addCleanup(self.process.kill)

    def text(self):
        with open(self.file.name) as file:
            return file.read()

    def wait(self, text):
        wait_until(lambda: text in self.text() or self.process.poll() is not None, text)
        if text not in self.text():
            raise AssertionError(f"it ended without saying {text!r}:\n{self.text()}")

    def end(self):
        wait_until(lambda: self.process.poll() is not None, f"it ends; so far:\n{self.text()}")
        return self.process.returncode, self.text()


class ScaleTest(KernelTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.forget)

    def forget(self):
        Service.stop()
        for file in glob.glob(f"{STATE}/*"):
            os.unlink(file)

    def files(self):
        return sorted(os.path.basename(file) for file in glob.glob(f"{STATE}/*"))

    def calibrate(self, device, *points):
        """Calibrates with pairs of a weight and what is done to make it; returns what was said."""
        dialogue = Dialogue(self, "forcectl", "calibrate", "--device", device["id"], "--time",
                            "300ms", *[str(grams) for grams, _ in points])
        for number, (_, act) in enumerate(points):
            dialogue.wait(f"({number + 1} of {len(points)})")
            act()
        status, text = dialogue.end()
        self.assertEqual(status, 0, text)
        return text

    def calibrate_pad(self, pad, *weights):
        """Calibrates with pairs of grams and raw values; 0 g is the empty pad."""
        return self.calibrate(connected(pad), *[
            (grams, (lambda raw=raw: pad.do(f"press {raw}")) if grams else (lambda: None))
            for grams, raw in weights])

    def weigh(self, device, *more):
        return run("forcectl", "weigh", "--device", device["id"], "--time", "300ms",
                   *more).stdout.strip()


class PadScaleTest(ScaleTest):
    def test_calibration_makes_grams_right_and_survives_a_restart(self):
        pad = self.pad(motor="none")
        Service.start()
        before = connected(pad)
        self.assertEqual((before["grams_source"], before["span_grams"]), ("nominal", 385))
        text = self.calibrate_pad(pad, (0, 0), (100, 200), (450, 900))
        self.assertIn("off by 0.00 g", text)
        after = connected(pad)
        self.assertEqual((after["grams_source"], after["span_grams"]), ("calibrated", 500))
        self.assertEqual(after["accuracy"]["calibration_residual_grams"], 0)
        self.assertEqual(self.weigh(after), "450.0 g")
        pad.do("press 300")
        self.assertEqual(self.weigh(after, "--unit", "oz"), "5.29 oz")
        pad.do("release")
        Service.stop()
        Service.start()
        again = connected(pad)
        self.assertEqual((again["grams_source"], again["span_grams"]), ("calibrated", 500))
        pad.do("press 500")
        self.assertEqual(self.weigh(again), "250.0 g")
        run("forcectl", "calibrate", "--remove", "--device", again["id"])
        self.assertEqual(connected(pad)["grams_source"], "nominal")

    def test_the_state_is_the_daemons_own_and_nobody_elses(self):
        pad = self.pad(motor="none")
        Service.start()
        self.calibrate_pad(pad, (0, 0), (100, 200))
        owner = pwd.getpwnam("forced")
        folder = os.stat(STATE)
        self.assertEqual((folder.st_uid, stat.S_IMODE(folder.st_mode)), (owner.pw_uid, 0o700))
        self.assertEqual(len(self.files()), 1)
        file = os.stat(f"{STATE}/{self.files()[0]}")
        self.assertEqual((file.st_uid, file.st_gid, stat.S_IMODE(file.st_mode)),
                         (owner.pw_uid, owner.pw_gid, 0o600))
        with open(f"{STATE}/{self.files()[0]}") as text:
            self.assertIn("device 0003 1209 0001 test-pad/input0\n", text.read())
        # The next one keeps the one before, and leaves nothing half-made.
        pad.do("release")
        self.calibrate_pad(pad, (0, 0), (100, 400))
        self.assertEqual([name.split(".", 1)[1] for name in self.files()],
                         ["calibration", "calibration.old"])

    def test_a_damaged_file_is_put_aside_and_the_one_before_counts(self):
        pad = self.pad(motor="none")
        Service.start()
        self.calibrate_pad(pad, (0, 0), (100, 200))
        pad.do("release")
        self.calibrate_pad(pad, (0, 0), (100, 400))
        pad.do("release")
        self.assertEqual(connected(pad)["span_grams"], 250)
        Service.stop()
        self.damage(".calibration")
        Service.start()
        self.wait_journal("its checksum is wrong; it was put aside as")
        self.assertEqual(connected(pad)["span_grams"], 500, "the one before is in force")
        self.assertIn("calibration.damaged", [name.split(".", 1)[1] for name in self.files()])
        Service.stop()
        self.damage(".old")
        Service.start()
        self.wait_journal(".calibration.old is damaged")
        device = connected(pad)
        self.assertEqual((device["grams_source"], device["span_grams"]), ("nominal", 385))

    def damage(self, ending):
        """Changes a weight in a file, as a disk or an editor would."""
        path = glob.glob(f"{STATE}/*{ending}")[0]
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(text.replace("100.0", "900.0"))

    def test_a_calibration_belongs_to_one_pad_wherever_its_node_is(self):
        pad = self.pad(motor="none")
        Service.start()
        self.calibrate_pad(pad, (0, 0), (100, 200))
        pad.do("unplug")
        # The same kind at another place takes the node that has become free.
        other = self.pad("Other Pad", motor="none", phys="other-pad/input0")
        self.assertEqual(connected(other)["grams_source"], "nominal")
        pad.do("plug")
        wait_until(lambda: named(pad.name)["connected"], "it is back")
        self.assertEqual(connected(pad)["grams_source"], "calibrated")

    def test_tare_ends_with_untare_and_with_the_daemon(self):
        pad = self.pad(motor="none")
        Service.start()
        self.calibrate_pad(pad, (0, 0), (100, 200))
        device = connected(pad)
        watch = self.watch("--device", device["id"])
        self.assertIn("100.0 g are taken off", run("forcectl", "tare").stdout)
        watch.wait_reading(lambda reading: reading["grams"] == 0 and reading["percent"] == 20,
                           "what lies there is nothing")
        pad.do("press 100")
        watch.wait_reading(lambda reading: reading["grams"] == -50, "less than nothing is negative")
        self.assertEqual(self.weigh(device), "-50.0 g")
        self.assertEqual(connected(pad)["accuracy"]["tare_grams"], 100)
        run("forcectl", "untare")
        watch.wait_reading(lambda reading: reading["grams"] == 50, "untared")
        run("forcectl", "tare")
        Service.stop()
        Service.start()
        self.assertNotIn("tare_grams", connected(pad)["accuracy"])

    def test_weights_that_make_no_line_are_refused_and_change_nothing(self):
        pad = self.pad(motor="none")
        Service.start()
        self.calibrate_pad(pad, (0, 0), (100, 200))
        dialogue = Dialogue(self, "forcectl", "calibrate", "--time", "300ms", "50", "100")
        dialogue.wait("(1 of 2)")
        pad.do("press 600")
        dialogue.wait("(2 of 2)")
        pad.do("press 300")
        status, text = dialogue.end()
        self.assertEqual(status, 1, text)
        self.assertEqual(connected(pad)["span_grams"], 500)


class Pen(Pad):
    """The pen of uhid-pen.c."""

    program = "uhid-pen"


def has_uhid():
    run("modprobe", "uhid", check=False)
    return os.path.exists("/dev/uhid")


@unittest.skipUnless(has_uhid(), "this kernel has no UHID")
class DescriptorTest(ScaleTest):
    def pen(self, name="Test Pen", **options):
        pen = Pen(name, **options)
        self.addCleanup(pen.close)
        return pen

    def resolution(self, pen):
        """Units per gram as the kernel tells them; 0: it does not."""
        device = evdev.InputDevice(pen.node())
        self.addCleanup(device.close)
        return device.absinfo(ecodes.ABS_PRESSURE).resolution

    def assert_weighs(self, pen, raw, percent, grams):
        watch = self.watch("--device", connected(pen)["id"])
        pen.do(f"press {raw}")
        reading = watch.wait_reading(lambda reading: reading["percent"] == percent, "the press")
        self.assertEqual(reading["grams_source"], "device")
        self.assertAlmostEqual(reading["grams"], grams, delta=0.05)
        pen.do("hover")
        watch.wait_reading(lambda reading: reading["state"] == "released", "the tip is lifted")

    def test_a_pen_in_newtons_of_which_the_kernel_says_nothing(self):
        # 4,016 hundreds of dynes are 4.016 N: 409.5 g.
        pen = self.pen()
        Service.start()
        device = connected(pen)
        self.assertEqual(self.resolution(pen), 0)
        self.assertEqual((device["kind"], device["grams_source"]), ("pen", "device"))
        self.assertAlmostEqual(device["span_grams"], 409.5, delta=0.1)
        self.assert_weighs(pen, 2048, 50.01, 204.8)

    def test_a_pen_in_grams(self):
        pen = self.pen(unit=0x0101, exponent=0, logical=2000, physical=500)
        Service.start()
        self.assertIn(self.resolution(pen), (0, 4))  # the kernel tells it from 6.18 on
        self.assertEqual(connected(pen)["span_grams"], 500)
        self.assert_weighs(pen, 400, 20, 100)

    def test_a_pen_without_a_unit_has_nominal_grams(self):
        pen = self.pen(unit=0)
        Service.start()
        self.assertEqual(connected(pen)["grams_source"], "nominal")

    def test_the_users_calibration_comes_before_the_descriptor_and_follows_the_serial_number(self):
        pen = self.pen(uniq="PEN-0001")
        Service.start()
        self.calibrate(connected(pen), (0, lambda: None), (100, lambda: pen.do("press 1000")))
        self.assertEqual(connected(pen)["grams_source"], "calibrated")
        pen.do("release")
        pen.close()
        wait_until(lambda: not named(pen.name)["connected"], "it is gone")
        moved = self.pen(uniq="PEN-0001", phys="another-port/input0")
        wait_until(lambda: connected(moved)["grams_source"] == "calibrated",
                   "the same pen at another port is known by its serial number")
        moved.close()
        wait_until(lambda: not named(pen.name)["connected"], "it is gone")
        other = self.pen(name="Other Pen", uniq="PEN-0002")
        self.assertEqual(connected(other)["grams_source"], "device",
                         "another pen at the first one's port is another")


class Board:
    """A balance board's node, as hid-wiimote presents it: four cells in units of 10 g."""

    name = "Nintendo Wii Remote Balance Board"
    cells = (ecodes.ABS_HAT0X, ecodes.ABS_HAT0Y, ecodes.ABS_HAT1X, ecodes.ABS_HAT1Y)

    def __init__(self):
        info = AbsInfo(value=0, min=0, max=65535, fuzz=2, flat=4, resolution=0)
        self.device = UInput({ecodes.EV_KEY: [ecodes.BTN_A],
                              ecodes.EV_ABS: [(code, info) for code in self.cells]},
                             name=self.name, vendor=0x057E, product=0x0306,
                             bustype=ecodes.BUS_BLUETOOTH, phys="test-board/input0")

    def stand(self, *cells):
        for code, value in zip(self.cells, cells):
            self.device.write(ecodes.EV_ABS, code, value)
        self.device.syn()

    def close(self):
        self.device.close()


class BoardTest(ScaleTest):
    def board(self):
        board = Board()
        self.addCleanup(board.close)
        return board

    def readings(self):
        lines = run("forcectl", "call", "GetReading").stdout
        return {reading["contact"]: reading for reading in json.loads(lines)["readings"]}

    def test_four_cells_and_their_sum(self):
        board = self.board()
        Service.start()
        device = connected(board)
        self.assertEqual((device["kind"], device["measure"]), ("balance_board", "force"))
        self.assertEqual((device["grams_source"], device["span_grams"]), ("device", 136_000))
        board.stand(340, 680, 1020, 1360)
        wait_until(lambda: self.readings().get(4, {}).get("raw") == 3400, "the sum")
        readings = self.readings()
        self.assertEqual([readings[cell]["raw"] for cell in range(4)], [340, 680, 1020, 1360])
        wait_until(lambda: [self.readings()[cell]["percent"] for cell in range(5)]
                   == [10, 20, 30, 40, 25], "per cent of a cell's 34 kg, and of 136 kg")
        self.assertEqual(self.readings()[4]["grams"], 34_000)

    def test_calibrated_with_its_offset_and_tared_it_weighs(self):
        board = self.board()
        Service.start()
        device = connected(board)
        # An empty board reads an offset of up to 1.5 kg.
        board.stand(40, 30, 50, 30)
        self.calibrate(device, (0, lambda: None), (20_000, lambda: board.stand(540, 530, 550, 530)))
        self.assertEqual(self.weigh(device), "20000.0 g")
        board.stand(540, 530, 550, 630)
        self.assertEqual(self.weigh(device, "--unit", "lb"), "46.297 lb")
        run("forcectl", "tare", "--contact", "4")
        board.stand(540, 530, 550, 730)
        self.assertEqual(self.weigh(device), "1000.0 g")
        Service.stop()
        Service.start()
        self.assertEqual(connected(board)["kind"], "balance_board")
        board.stand(290, 280, 300, 280)
        self.assertEqual(self.weigh(connected(board)), "10000.0 g")


if __name__ == "__main__":
    unittest.main()
