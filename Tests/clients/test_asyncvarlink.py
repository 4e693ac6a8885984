"""asyncvarlink against the daemon: it is told all types beforehand and refuses every reply that differs
from them. It is told them as the daemon's own definition has them, which the other package parses: so
this also proves that the daemon sends what it declares and nothing else."""

import asyncio
import collections.abc
import dataclasses
import inspect
import os
import typing
import unittest

try:
    import varlink
    from asyncvarlink import (GenericVarlinkErrorReply, TypedVarlinkErrorReply,
                              VarlinkClientProtocol, VarlinkInterface, connect_unix_varlink,
                              varlinkmethod)
    from asyncvarlink.serviceinterface import InterfaceNotFound, VarlinkServiceInterface
    from varlink import scanner
except ImportError:
    raise unittest.SkipTest("without Python's varlink and asyncvarlink") from None

FORCE = "org.forced.Force"


class Types:
    """The types of a parsed definition, as Python annotations."""

    def __init__(self, definition):
        self.members = definition.members
        self.made = {}

    def named(self, name):
        if name not in self.made:
            self.made[name] = self.python(self.members[name].type, name)
        return self.made[name]

    def python(self, declared, name):
        match declared:
            case scanner._Maybe(): return self.python(declared.element_type, name) | None
            case scanner._Array(): return list[self.python(declared.element_type, name)]
            case scanner._CustomType(): return self.named(declared.name)
            case scanner._Enum(): return typing.Literal[tuple(declared.fields)]
            case scanner._Struct():
                return dataclasses.make_dataclass(name, list(self.fields(declared).items()))
        return type(declared)  # a value of the type stands for bool, int, float and str

    def fields(self, structure):
        return {name: self.python(declared, name.title())
                for name, declared in structure.fields.items()}

    def method(self, name, many=False):
        """A method as asyncvarlink wants it: a function with annotations. It takes what is optional
        as None, and sends null for it."""
        declared = self.members[name]

        def method(self):
            ...

        method.__name__ = name
        method.__signature__ = inspect.Signature(
            [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
            + [inspect.Parameter(field, inspect.Parameter.KEYWORD_ONLY, default=None,
                                 annotation=annotation)
               for field, annotation in self.fields(declared.in_type).items()],
            return_annotation=self.result(name, declared, many))
        return varlinkmethod(method)

    def result(self, name, declared, many):
        result = typing.TypedDict(name + "Result", self.fields(declared.out_type))
        return collections.abc.Iterator[result] if many else result


def force_interface():
    client = varlink.Client(address="unix:" + os.environ["FORCED_SOCKET"])
    types = Types(client.get_interface(FORCE))
    client.cleanup()
    methods = {name: types.method(name, many=name == "Watch")
               for name in ("Watch", "GetReading", "ListDevices", "GetStatus", "GetLatency",
                            "PlayHaptic", "SetSmoothing")}
    return type(VarlinkInterface)("Force", (VarlinkInterface,),
                                  {"errors": (NoSuchDevice,), **methods}, name=FORCE)


class NoSuchDevice(TypedVarlinkErrorReply, interface=FORCE):
    class Parameters:
        device: str


class AsyncVarlinkTest(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        cls.force = force_interface()

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
        force = await self.proxy(self.force)
        device, = (await force.ListDevices())["devices"]
        self.assertEqual((device.kind, device.measure), ("pressurepad", "force"))
        status = (await force.GetStatus())["status"]
        self.assertGreaterEqual(status.connections, 1)
        self.assertEqual(status.motors[0].device, device.id)

    async def test_watch_and_latest_reading(self):
        watching = await self.proxy(self.force)
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
        latest = await (await self.proxy(self.force)).GetReading(device=reading.device)
        self.assertGreaterEqual(latest["readings"][0].sequence, sequence)

    async def test_errors(self):
        force = await self.proxy(self.force)
        with self.assertRaises(NoSuchDevice) as raised:
            await force.GetReading(device="none such")
        self.assertEqual(raised.exception.p_device, "none such")
        with self.assertRaises(GenericVarlinkErrorReply) as raised:
            await force.PlayHaptic(strength=101)
        self.assertEqual(raised.exception.name, f"{FORCE}.InvalidValue")
        self.assertEqual(raised.exception.parameters["found"], "101")

    async def test_calls_may_overlap(self):
        force = await self.proxy(self.force)
        replies = await asyncio.gather(*(force.GetStatus() for _ in range(20)))
        counts = [reply["status"].counters.requests for reply in replies]
        self.assertEqual(counts, sorted(counts), "answered in their order")


if __name__ == "__main__":
    unittest.main()
