"""The command lines of the documents that change a system, as they stand there."""

import os
import tempfile
import unittest

from bench import SOCKET, KernelTest, Service, run
from documents import commands, needs_machine


class DocumentsTest(KernelTest):
    def test_commands_that_change_the_system(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        sudo = os.path.join(folder.name, "sudo")
        with open(sudo, "w") as file:
            file.write('#!/bin/sh\nexec "$@"\n')
        os.chmod(sudo, 0o755)
        run("useradd", "reader")
        self.addCleanup(run, "userdel", "reader")
        self.addCleanup(run, "systemctl", "disable", "forced")
        environment = dict(os.environ, PATH=f"{folder.name}:{os.environ['PATH']}", USER="reader",
                           SYSTEMD_PAGER="cat")
        done = set()
        for document in ("README.md", "protocol.md"):
            for _, command in commands(document):
                if needs_machine(command) and command not in done:
                    done.add(command)
                    with self.subTest(command):
                        run("bash", "-euc", command, env=environment)
        self.assertGreater(len(done), 4)
        self.assertGreater(Service.pid(), 0)
        self.assertEqual(run("systemctl", "is-enabled", "forced").stdout.strip(), "enabled")
        self.assertIn(str(os.stat(SOCKET).st_gid), run("id", "-G", "reader").stdout.split(),
                      "the reader is in the group of the socket")


if __name__ == "__main__":
    unittest.main()
