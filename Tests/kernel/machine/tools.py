"""Running other programs, and getting packages."""

import contextlib
import glob
import os
import shutil
import subprocess
import sys
import tempfile


class MachineError(Exception):
    """Something about the machine itself went wrong; the text is a sentence for people."""


def say(*words):
    print("vm-run:", *words, file=sys.stderr, flush=True)


def run(*command, **options):
    """Runs a command that must succeed; it sees no input and its output is dropped."""
    options.setdefault("stdout", subprocess.DEVNULL)
    if "input" not in options:
        options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([str(word) for word in command], check=True, **options)


def output_of(*command):
    return run(*command, stdout=subprocess.PIPE).stdout.decode()


def write_file(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)


def replace_link(target, path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.lexists(path):
        os.unlink(path)
    os.symlink(target, path)


@contextlib.contextmanager
def scratch_folder(beside):
    """A folder that is gone afterwards, whatever happens."""
    path = tempfile.mkdtemp(dir=beside)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def install_missing(packages_by_tool):
    """Installs the package of every tool that is not on the PATH; apt's lists are fetched when it
    cannot be done without."""
    missing = sorted({package for tool, package in packages_by_tool.items()
                      if not shutil.which(tool)})
    if not missing:
        return
    say("installing", *missing)
    quiet = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                 env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"))
    install = ["apt-get", "-o", "DPkg::Lock::Timeout=300", "install", "-y",
               "--no-install-recommends", *missing]
    if subprocess.run(install, **quiet).returncode != 0:
        subprocess.run(["apt-get", "update"], **quiet)
        quiet.pop("stderr")
        if subprocess.run(install, **quiet).returncode != 0:
            raise MachineError(f"apt-get could not install {' '.join(missing)}")


def unpack_package(name, folder, apt_options=()):
    """Fetches a Debian package and unpacks it, without installing, into FOLDER/unpacked."""
    with scratch_folder(folder) as download:
        run("apt-get", *apt_options, "-q", "-o", "APT::Sandbox::User=root", "download", name,
            cwd=download)
        unpacked = f"{folder}/unpacked"
        os.makedirs(unpacked, exist_ok=True)
        run("dpkg-deb", "-x", glob.glob(f"{download}/*.deb")[0], unpacked)
    return unpacked
