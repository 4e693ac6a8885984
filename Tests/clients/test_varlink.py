"""Varlink's own Python package against the daemon: it parses the definition that the daemon hands out,
and takes from replies only what is declared there."""

import os
import unittest

try:
    import varlink
except ImportError:
    raise unittest.SkipTest("without Python's varlink") from None

FORCE = "org.forced.Force"


class VarlinkTest(unittest.TestCase):
    def setUp(self):
        self.client = varlink.Client(address="unix:" + os.environ["FORCED_SOCKET"])
        self.addCleanup(self.client.cleanup)

    def open(self, interface=FORCE):
        connection = self.client.open(interface)
        self.addCleanup(connection.close)
        return connection

    def test_info(self):
        with self.open("org.varlink.service") as service:
            info = service.GetInfo()
        self.assertEqual(info["product"], "forced")
        self.assertEqual(info["interfaces"], ["org.varlink.service", FORCE])

    def test_definitions_are_parsed(self):
        service = self.client.get_interface("org.varlink.service")
        self.assertIn("GetInfo", service.members)
        members = self.client.get_interface(FORCE).members
        for name in ("Watch", "GetReading", "ListDevices", "GetStatus", "GetLatency", "PlayHaptic",
                     "StopHaptics", "Reload", "SetSmoothing", "Reading", "Device", "Status",
                     "NoSuchDevice", "InvalidValue"):
            self.assertIn(name, members)

    def test_devices_status_and_readings(self):
        force = self.open()
        device, = force.ListDevices()["devices"]
        self.assertEqual((device["kind"], device["measure"]), ("pressurepad", "force"))
        self.assertTrue(force.GetStatus()["status"]["socket"])
        next(readings(self.open()))  # there is one from now on
        reading, *_ = force.GetReading(device=device["id"])["readings"]
        self.assertEqual(reading["device"], device["id"])
        self.assertIn(reading["state"], ("touching", "steady", "released"))

    def test_watch(self):
        events = self.open().Watch(_more=True)
        first = next(events)
        self.assertEqual(first["event"], "device_added")
        sequence = None
        for _ in range(20):
            event = next(events)
            self.assertEqual(event["event"], "reading")
            reading = event["reading"]
            self.assertEqual(reading["device"], first["device"]["id"])
            self.assertTrue(0 <= reading["percent"] <= 100)
            if sequence is not None:
                self.assertEqual(reading["sequence"], sequence + event.get("dropped", 0) + 1)
            sequence = reading["sequence"]

    def test_errors_carry_their_parameters(self):
        force = self.open()
        for error, parameters, call in (
            (f"{FORCE}.NoSuchDevice", {"device": "none such"},
             lambda: force.GetReading(device="none such")),
            (f"{FORCE}.InvalidValue",
             {"parameter": "length_ms", "found": "99999", "allowed": "1 to 32767 ms"},
             lambda: force.PlayHaptic(length_ms=99999)),
            ("org.varlink.service.ExpectedMore", {}, lambda: force.Watch()),
        ):
            with self.assertRaises(varlink.VarlinkError) as raised:
                call()
            self.assertEqual(raised.exception.error(), error)
            self.assertEqual(raised.exception.parameters() or {}, parameters)

    def test_interface_that_is_not_there(self):
        with self.assertRaises(varlink.InterfaceNotFound) as raised:
            self.client.get_interface("com.example.None")
        self.assertEqual(raised.exception.parameters(namespaced=True).interface, "com.example.None")

    def test_steering(self):
        force = self.open()
        smoothing = force.SetSmoothing(rise_rate=3000)["smoothing"]
        self.assertEqual(smoothing["rise_rate"], 3000)
        self.assertEqual(force.PlayHaptic(strength=50, length_ms=20)["motor"],
                         force.ListDevices()["devices"][0]["motor"])
        self.assertEqual(force.StopHaptics(), {})
        self.assertEqual(force.Reload(), {})


def readings(force):
    for event in force.Watch(_more=True, events=["reading"]):
        yield event["reading"]


if __name__ == "__main__":
    unittest.main()
