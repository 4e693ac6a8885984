"""systemd's own Varlink client against the service: it checks every message strictly and parses the
definition by itself."""

import json
import shutil
import tempfile
import unittest

from bench import SOCKET, KernelTest, Logged, Service, run

FORCE = "org.forced.Force"


def ctl(*arguments, check=True):
    return run("varlinkctl", *arguments, check=check)


@unittest.skipUnless(shutil.which("varlinkctl"),
                     "varlinkctl came with systemd 255: MACHINES=trixie make test-kernel has it")
class VarlinkctlTest(KernelTest):
    def test_it_describes_the_service(self):
        Service.start()
        info = ctl("info", SOCKET).stdout
        for line in ("Product: forced", FORCE):
            self.assertIn(line, info)
        self.assertEqual(sorted(ctl("list-interfaces", SOCKET).stdout.split()),
                         [FORCE, "org.varlink.service"])
        for interface, part in ((FORCE, "method Watch"), ("org.varlink.service", "method GetInfo")):
            text = ctl("introspect", SOCKET, interface).stdout
            self.assertIn(f"interface {interface}", text)
            self.assertIn(part, text)

        with tempfile.NamedTemporaryFile("w", suffix=".varlink") as file:
            file.write(ctl("introspect", SOCKET, FORCE).stdout)
            file.flush()
            ctl("validate-idl", file.name)

    def test_it_calls(self):
        pad = self.pad()
        Service.start()
        watch = Logged(["varlinkctl", "--json=short", "--more", "call", SOCKET, f"{FORCE}.Watch",
                        '{"events":["reading","device_added"]}'])
        self.addCleanup(watch.close)
        added = watch.wait_for(lambda event: event["event"] == "device_added", "the pad comes")
        self.assertEqual(added["device"]["name"], pad.name)
        pad.do("press 500")
        watch.wait_for(lambda event: event["event"] == "reading" and
                       event["reading"]["percent"] == 50, "its press")

        reply = ctl("--json=short", "call", SOCKET, f"{FORCE}.GetStatus", "{}").stdout
        self.assertEqual(json.loads(reply)["status"]["pid"], Service.pid())
        refused = ctl("call", SOCKET, f"{FORCE}.GetReading", '{"device":"none such"}', check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn(f"{FORCE}.NoSuchDevice", refused.stderr)


if __name__ == "__main__":
    unittest.main()
