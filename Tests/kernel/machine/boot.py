"""Booting a machine, streaming what it says, and leaving nothing of it behind."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from .tools import say, write_file

TIMED_OUT, DIED = 124, 125


class Machine:
    """One boot of an image. `command` runs in it as root, in a copy of `folder`."""

    def __init__(self, image, kernel, backend, memory, append):
        self.image = image
        self.kernel = kernel
        self.backend = backend
        self.memory = memory  # MiB
        self.append = append

    def run(self, folder, command, out, limit, start_limit, console):
        """Boots and returns the command's exit status; TIMED_OUT after `limit` seconds; DIED when
        the machine ended without a status; None when it hung before the command was started: when
        its kernel said nothing for `start_limit` seconds."""
        run_folder = tempfile.mkdtemp(prefix="vm-run.", dir=self._memory_backed_folder())
        console = console or f"{run_folder}/console"
        reaper = None
        try:
            self._lay_out(run_folder, folder, command, out)
            # UML keeps its memory's file and its control socket in these two.
            environment = dict(os.environ, TMPDIR=run_folder, HOME=run_folder)
            with open(console, "wb") as errors:
                process = subprocess.Popen(
                    self._command_line(run_folder, console), stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=errors, start_new_session=True,
                    env=environment)
            reaper = Reaper(process.pid, run_folder)
            return self._follow(process, run_folder, limit, start_limit, console)
        finally:
            if reaper:
                reaper.end()
                process.wait()
            shutil.rmtree(run_folder, ignore_errors=True)

    def _memory_backed_folder(self):
        """/dev/shm where the machine's memory fits in and may be executed, as UML wants."""
        if not os.access("/dev/shm", os.W_OK):
            return None
        about = os.statvfs("/dev/shm")
        fits = about.f_bavail * about.f_frsize > (self.memory + 256) << 20
        return "/dev/shm" if fits and not about.f_flag & os.ST_NOEXEC else None

    def _lay_out(self, run_folder, folder, command, out):
        os.mkdir(f"{run_folder}/control")
        os.symlink(os.path.abspath(folder), f"{run_folder}/in")
        if out:
            os.makedirs(out, exist_ok=True)
            os.symlink(os.path.abspath(out), f"{run_folder}/out")
        else:
            os.mkdir(f"{run_folder}/out")
        line = command[0] if len(command) == 1 else shlex.join(command)
        write_file(f"{run_folder}/control/command", line + "\n")

    def _command_line(self, run_folder, console):
        options = ["panic=-1", "systemd.show_status=0", "net.ifnames=0", *self.append.split()]
        if self.backend == "uml":
            return ["linux.uml", "quiet", f"mem={self.memory}M", f"ubd0={run_folder}/cow,{self.image}",
                    "root=/dev/ubda", "rootfstype=ext4", "rw", "con=null", "con0=null,fd:2",
                    "con1=null,fd:1", "ssl=null", "console=tty0", *options,
                    f"vmrun.shared={run_folder}", "vmrun.terminal=/dev/tty1",
                    "umid=" + os.path.basename(run_folder)]
        # It talks, so that one that hangs can be told from one that is slow.
        words = ["console=ttyS0", "loglevel=7", "mitigations=off", *options, "vmrun.shared=",
                 "vmrun.terminal=/dev/ttyS1"]
        line = ["qemu-system-x86_64", "-accel", "tcg,thread=multi,tb-size=512", "-cpu", "max",
                "-smp", "2", "-M", "q35,i8042=off", "-m", str(self.memory), "-display", "none",
                "-nodefaults", "-no-reboot", "-serial", f"file:{console}", "-serial", "stdio",
                "-kernel", f"{self.kernel}/vmlinux", "-initrd", f"{self.kernel}/initrd",
                "-append", " ".join(words),
                "-drive", f"if=none,id=r,file={self.image},format=raw,snapshot=on,cache=unsafe",
                "-device", "virtio-blk-pci,drive=r"]
        for name, options in (("in", ",readonly=on"), ("control", ""), ("out", "")):
            path = os.path.realpath(f"{run_folder}/{name}")
            line += ["-virtfs",
                     f"local,path={path},mount_tag={name},security_model=none{options}"]
        return line

    def _follow(self, process, run_folder, limit, start_limit, console):
        """Streams the command's output until the machine has ended or run out of time."""
        began = time.monotonic()
        os.set_blocking(process.stdout.fileno(), False)
        started, timed_out, hung = None, False, False
        said, said_at = 0, 0.0  # the kernel's words: how many bytes, and when the last ones came
        while True:
            output = process.stdout.read(65536)
            if output:
                sys.stdout.buffer.write(output)
                sys.stdout.buffer.flush()
                continue
            if process.poll() is not None:  # looked at after the read: its last words are out
                break
            elapsed = time.monotonic() - began
            if started is None and os.path.exists(f"{run_folder}/control/started"):
                started = elapsed
            if started is None and os.path.getsize(console) != said:
                said, said_at = os.path.getsize(console), elapsed
            timed_out = elapsed > limit
            hung = started is None and elapsed > said_at + start_limit
            if timed_out or hung:
                break
            time.sleep(0.02)
        took = time.monotonic() - began
        when = "never started" if started is None else f"started after {started:.1f} s"
        say(f"{self.backend}: the command {when}; the machine ran for {took:.1f} s")
        status = f"{run_folder}/control/status"
        if os.path.exists(status):
            with open(status) as file:
                return int(file.read())
        if hung:
            return None
        if timed_out:
            say(f"the time limit of {limit:g} s is over")
            return TIMED_OUT
        say("the machine ended without a status; the end of its console:")
        with open(console, "rb") as file:
            sys.stderr.buffer.write(file.read()[-2000:])
        return DIED


class Reaper:
    """A process that ends the machine when told to, or when we die. UML makes process groups of its
    own, so it goes by session: the one that we started, and nothing else."""

    def __init__(self, session, run_folder):
        reading, self._writing = os.pipe()
        self._pid = os.fork()
        if self._pid:
            os.close(reading)
            return
        try:
            os.setsid()
            os.close(self._writing)
            os.read(reading, 1)
            for _ in range(100):
                members = self._members(session)
                for pid in members:
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                if not members:
                    break
                time.sleep(0.05)
            shutil.rmtree(run_folder, ignore_errors=True)
        finally:
            os._exit(0)

    def end(self):
        os.close(self._writing)
        os.waitpid(self._pid, 0)

    @staticmethod
    def _members(session):
        members = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if fields[3] == str(session) and fields[0] != "Z":
                members.append(int(pid))
        return members
