"""asyncvarlink against the daemon: it is told the types beforehand, in Python, and refuses every reply
that differs from them, so this also proves that the daemon sends what it declares and nothing else."""

import asyncio
import collections.abc
import dataclasses
import os
import typing
import unittest

try:
    from asyncvarlink import (GenericVarlinkErrorReply, TypedVarlinkErrorReply,
                              VarlinkClientProtocol, VarlinkInterface, connect_unix_varlink,
                              varlinkmethod)
    from asyncvarlink.serviceinterface import InterfaceNotFound, VarlinkServiceInterface
except ImportError:
    raise unittest.SkipTest("without Python's asyncvarlink") from None

FORCE = "org.forced.Force"
GramsSource = typing.Literal["calibrated", "profile", "device", "nominal"]


@dataclasses.dataclass
class Reading:
    device: str
    contact: int
    sequence: int
    time: int
    raw: int
    percent: float
    grams: float
    grams_source: GramsSource | None
    unsmoothed_percent: float
    at_maximum: bool
    state: typing.Literal["touching", "steady", "released"]


@dataclasses.dataclass
class DeviceCounters:
    events: int
    frames: int
    drops: int


@dataclasses.dataclass
class Device:
    id: str
    name: str
    kind: typing.Literal["pen", "touchpad", "touchscreen", "pressurepad", "gamepad",
                         "balance_board", "motor", "other"]
    measure: typing.Literal["force", "contact", "none"]
    reason: str | None
    connected: bool
    minimum: int | None
    maximum: int | None
    resolution: int | None
    span_grams: float | None
    grams_source: GramsSource | None
    haptics: str
    haptics_reason: str | None
    motor: str | None
    node: str | None
    bus: int
    vendor: int
    product: int
    counters: DeviceCounters


@dataclasses.dataclass
class Counters:
    events: int
    frames: int
    drops: int
    wakeups: int
    readings: int
    replaced: int
    requests: int
    errors: int
    haptics_played: int
    haptics_failed: int


@dataclasses.dataclass
class Realtime:
    name: str
    state: typing.Literal["got", "refused", "off"]
    reason: str | None


@dataclasses.dataclass
class Motor:
    device: str
    motor: str | None
    haptics: str
    reason: str | None


@dataclasses.dataclass
class Status:
    version: str
    pid: int
    uptime_s: float
    config: list[str]
    socket: str
    subscribers: int
    connections: int
    buffered_bytes: int
    counters: Counters
    realtime: list[Realtime]
    motors: list[Motor]


class Event(typing.TypedDict):
    event: typing.Literal["reading", "device_added", "device_removed", "heartbeat"]
    reading: Reading | None
    device: Device | None
    dropped: int | None


class NoSuchDevice(TypedVarlinkErrorReply, interface=FORCE):
    class Parameters:
        device: str


class Force(VarlinkInterface, name=FORCE):
    errors = (NoSuchDevice,)

    @varlinkmethod
    def Watch(self, *, devices: list[str] | None = None, contacts: list[int] | None = None,
              events: list[str] | None = None, max_hz: float | None = None,
              on_change: float | None = None,
              heartbeat_ms: int | None = None) -> collections.abc.Iterator[Event]:
        ...

    @varlinkmethod(return_parameter="readings")
    def GetReading(self, *, device: str | None = None,
                   contact: int | None = None) -> list[Reading]:
        ...

    @varlinkmethod(return_parameter="devices")
    def ListDevices(self) -> list[Device]:
        ...

    @varlinkmethod(return_parameter="status")
    def GetStatus(self) -> Status:
        ...

    @varlinkmethod(return_parameter="motor")
    def PlayHaptic(self, *, device: str | None = None, strength: float | None = None,
                   length_ms: int | None = None) -> str:
        ...


class AsyncVarlinkTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        # Closing while a watch waits leaves a future that nobody asks, which asyncio would report.
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)

    async def proxy(self, interface):
        transport, protocol = await connect_unix_varlink(
            VarlinkClientProtocol, os.environ["FORCED_SOCKET"])
        self.addCleanup(transport.close)
        return protocol.make_proxy(interface)

    async def test_service(self):
        service = await self.proxy(VarlinkServiceInterface)
        info = await service.GetInfo()
        self.assertEqual(info["product"], "forced")
        self.assertEqual(info["interfaces"], ["org.varlink.service", FORCE])
        described = await service.GetInterfaceDescription(interface=FORCE)
        self.assertIn("method Watch(", described["description"])
        with self.assertRaises(InterfaceNotFound) as raised:
            await service.GetInterfaceDescription(interface="com.example.None")
        self.assertEqual(raised.exception.p_interface, "com.example.None")

    async def test_devices_and_status(self):
        force = await self.proxy(Force)
        device, = (await force.ListDevices())["devices"]
        self.assertEqual((device.kind, device.measure), ("pressurepad", "force"))
        status = (await force.GetStatus())["status"]
        self.assertGreaterEqual(status.connections, 1)
        self.assertEqual(status.motors[0].device, device.id)

    async def test_watch_and_latest_reading(self):
        watching = await self.proxy(Force)
        events = watching.Watch(max_hz=100)
        first = await anext(events)
        self.assertEqual(first["event"], "device_added")
        self.assertEqual(first["device"].measure, "force")
        sequence = None
        for _ in range(10):
            event = await anext(events)
            reading = event["reading"]
            if sequence is not None:
                self.assertEqual(reading.sequence, sequence + (event.get("dropped") or 0) + 1)
            sequence = reading.sequence
        await events.aclose()
        latest = await (await self.proxy(Force)).GetReading(device=reading.device)
        self.assertGreaterEqual(latest["readings"][0].sequence, sequence)

    async def test_errors(self):
        force = await self.proxy(Force)
        with self.assertRaises(NoSuchDevice) as raised:
            await force.GetReading(device="none such")
        self.assertEqual(raised.exception.p_device, "none such")
        with self.assertRaises(GenericVarlinkErrorReply) as raised:
            await force.PlayHaptic(strength=101)
        self.assertEqual(raised.exception.name, f"{FORCE}.InvalidValue")
        self.assertEqual(raised.exception.parameters["found"], "101")

    async def test_calls_may_overlap(self):
        force = await self.proxy(Force)
        replies = await asyncio.gather(*(force.GetStatus() for _ in range(20)))
        counts = [reply["status"].counters.requests for reply in replies]
        self.assertEqual(counts, sorted(counts), "answered in their order")


if __name__ == "__main__":
    unittest.main()
