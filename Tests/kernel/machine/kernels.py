"""The kernels that a machine can boot, each made into a folder that holds what booting it takes.

    uml      User-Mode Linux as Debian ships it, with evdev and uinput built to match
    qemu     Debian's own kernel, in software emulation
    qemu, variant "backports"   the newest kernel of the suite's backports
    qemu, variant "haptic"      the same, with HID haptics, which Debian's configuration leaves out

Every folder gets mods/lib/modules/VERSION, for the machine's image; QEMU's also vmlinux and initrd.
"""

import glob
import gzip
import lzma
import os
import re
import shutil
import struct
import subprocess
import sys

from .tools import install_missing, output_of, run, say, unpack_package, write_file

QEMU_MODULES = """virtio_pci virtio_blk ext4 9pnet_virtio 9p overlay autofs4 evdev uinput uhid
hid_generic""".split()
# Kernels of the 6.x series need this one for ext4 images; it is gone from newer ones.
OLD_QEMU_MODULES = ["crc32c_generic"]
# Drivers that newer kernels are asked for: haptic touchpads and gamepads made with UHID.
HID_MODULES = "hid_multitouch hid_playstation ff_memless led_class_multicolor xpad".split()

INITRD_INIT = """#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc proc /proc; $b mount -t devtmpfs dev /dev
for m in $($b cat /m/list); do $b insmod /m/$m; done
$b mount -t ext4 -o noatime /dev/vda /root || $b poweroff -f
$b umount /proc; $b mount --move /dev /root/dev
exec $b switch_root /root /sbin/init
"""


# --- User-Mode Linux ------------------------------------------------------------------------------

# What `make modules_prepare` and two input drivers need of a kernel's source: not the whole of it.
UML_SOURCE = """Makefile Kbuild Kconfig */Kconfig* arch/um arch/x86 include scripts tools/include
tools/build tools/scripts drivers/input kernel/bounds.c kernel/time/timeconst.bc kernel/Makefile
security/selinux/include usr/include certs""".split()


def make_uml(folder):
    """Debian's UML kernel has the input core but neither evdev nor uinput: builds those two modules
    from the very source that it was built from, which takes seconds and not a kernel build."""
    install_missing({
        "linux.uml": "user-mode-linux", "gcc": "gcc", "make": "make", "flex": "flex",
        "bison": "bison", "bc": "bc", "xz": "xz-utils", "depmod": "kmod"})
    version = output_of("linux.uml", "--version").strip()
    series = ".".join(version.split(".")[:2])
    built_using = output_of("dpkg-query", "-W", "-f=${Built-Using}", "user-mode-linux")
    source_version = re.search(r"linux \(= ([^)]+)\)", built_using).group(1)
    say(f"building evdev and uinput for UML {version} from linux-source-{series}={source_version}")

    work = f"{folder}/work"
    os.makedirs(work)
    unpacked = unpack_package(f"linux-source-{series}={source_version}", work)
    top = f"linux-source-{series}"
    run("tar", "-xJf", f"{unpacked}/usr/src/{top}.tar.xz", "-C", work, "--wildcards",
        *[f"{top}/{part}" for part in UML_SOURCE])
    source, build, modules = f"{work}/{top}", f"{work}/build", f"{work}/modules"
    os.makedirs(build)
    os.makedirs(modules)

    config = output_of("linux.uml", "--showconfig")
    config = config.replace("# CONFIG_INPUT_EVDEV is not set", "CONFIG_INPUT_EVDEV=m")
    config = config.replace("# CONFIG_INPUT_MISC is not set",
                            "CONFIG_INPUT_MISC=y\nCONFIG_INPUT_UINPUT=m")
    write_file(f"{build}/.config", config)
    for file in (*glob.glob(f"{source}/drivers/input/*.h"), f"{source}/drivers/input/evdev.c",
                 f"{source}/drivers/input/misc/uinput.c"):
        shutil.copy(file, modules)
    with open(f"{modules}/uinput.c") as file:
        text = file.read()
    write_file(f"{modules}/uinput.c", text.replace('"../input-compat.h"', '"input-compat.h"'))
    write_file(f"{modules}/Makefile", "obj-m := evdev.o uinput.o\n")
    make = ["make", "-s", "-C", source, "ARCH=um", f"O={build}", "-j2"]
    with open(f"{folder}/build.log", "w") as log:
        for step in (["olddefconfig"], ["modules_prepare"],
                     [f"M={modules}", "KBUILD_MODPOST_WARN=1", "modules"]):
            run(*make, *step, stdout=log, stderr=log)

    target = f"{folder}/mods/lib/modules/{version}"
    os.makedirs(f"{target}/extra")
    for name in ("evdev.ko", "uinput.ko"):
        shutil.copy(f"{modules}/{name}", f"{target}/extra")
    shipped = f"/usr/lib/uml/modules/{version}"
    for name in ("fs/overlayfs/overlay.ko", "fs/autofs/autofs4.ko", "fs/fuse/fuse.ko"):
        if os.path.exists(f"{shipped}/kernel/{name}"):
            os.makedirs(os.path.dirname(f"{target}/kernel/{name}"), exist_ok=True)
            shutil.copy(f"{shipped}/kernel/{name}", f"{target}/kernel/{name}")
    for file in glob.glob(f"{shipped}/modules.*"):
        if file.endswith((".order", ".builtin", ".builtin.modinfo")):
            shutil.copy(file, target)
    run("depmod", "-b", f"{folder}/mods", version)
    shutil.rmtree(work)


# --- QEMU -----------------------------------------------------------------------------------------


class Archive:
    """Where kernel packages come from: apt options, and lines for a sources file of the same."""

    def __init__(self, options=(), lines=()):
        self.options = options
        self.lines = lines

    def newest_kernel(self):
        """The version of the newest kernel for amd64, and of its source package."""
        depends = output_of("apt-cache", *self.options, "depends", "linux-image-amd64")
        package = re.search(r"Depends: (linux-image-\S+)", depends).group(1)
        policy = output_of("apt-cache", *self.options, "policy", package)
        return (package[len("linux-image-"):],
                re.search(r"Candidate: (\S+)", policy).group(1))

    def has(self, package):
        return bool(output_of("apt-cache", *self.options, "pkgnames", package).strip())


def backports(cache, suite):
    """SUITE and its backports, with lists and options in a folder of our own: the host's apt stays
    as it is. The mirror is the one that the host uses."""
    def mirrors():
        targets = output_of("apt-get", "indextargets", "--format", "$(ORIGIN) $(REPO_URI)",
                            "Created-By: Packages")
        return [line.split()[1] for line in targets.splitlines()
                if re.match(r"Debian \S+/debian/?$", line)]
    if not mirrors():
        run("apt-get", "update")
    mirror = mirrors()[0]
    keys = "signed-by=/usr/share/keyrings/debian-archive-keyring.gpg"
    lines = [f"deb [{keys}] {mirror} {name} main" for name in (suite, f"{suite}-backports")]

    folder = f"{cache}/apt-{suite}-backports"
    os.makedirs(f"{folder}/lists/partial", exist_ok=True)
    os.makedirs(f"{folder}/cache/archives/partial", exist_ok=True)
    write_file(f"{folder}/sources.list", lines[1] + "\n")
    write_file(f"{folder}/apt.conf", f"""Dir::Etc::sourcelist "{folder}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State::lists "{folder}/lists";
Dir::State::status "/dev/null";
Dir::Cache "{folder}/cache";
APT::Sandbox::User "root";
""")
    options = ("-c", f"{folder}/apt.conf")
    run("apt-get", *options, "update")
    return Archive(options, lines)


def make_qemu(folder, cache, suite, variant):
    install_missing({
        "qemu-system-x86_64": "qemu-system-x86", "cpio": "cpio", "/bin/busybox": "busybox-static",
        "depmod": "kmod", "zstd": "zstd", "xz": "xz-utils"})
    archive = backports(cache, suite) if variant else Archive()
    version, source_version = archive.newest_kernel()
    say("fetching the kernel", version)
    work = f"{folder}/work"
    os.makedirs(work)
    # Since 7.x the image package is a shell around the other three.
    for part in ("image", "binary", "modules", "base"):
        if part == "image" or archive.has(f"linux-{part}-{version}"):
            tree = unpack_package(f"linux-{part}-{version}", work, archive.options)
    os.makedirs(f"{tree}/lib", exist_ok=True)
    if not os.path.isdir(f"{tree}/lib/modules"):
        os.symlink("../usr/lib/modules", f"{tree}/lib/modules")

    if variant == "haptic":
        drivers = f"{tree}/lib/modules/{version}/kernel/drivers/hid"
        built = haptic_modules(archive, suite, version, source_version, work)
        for name, file in built.items():
            for original in glob.glob(f"{drivers}/{name}.ko*"):
                os.unlink(original)
            shutil.copy(file, f"{drivers}/{name}.ko")

    images = (f"{tree}/boot/vmlinuz-{version}", f"{tree}/lib/modules/{version}/vmlinuz")
    unpack_kernel(next(file for file in images if os.path.exists(file)), f"{folder}/vmlinux")
    run("depmod", "-b", tree, version)
    early = ["virtio_pci", "virtio_blk", "ext4"] + ([] if variant else OLD_QEMU_MODULES)
    wanted = QEMU_MODULES + (HID_MODULES if variant else OLD_QEMU_MODULES)
    keep_modules(tree, version, wanted, folder)
    make_initrd(tree, version, early, work, f"{folder}/initrd")
    shutil.rmtree(work)


def haptic_modules(archive, suite, version, source_version, work):
    """HID haptics are an option inside hid.ko and an #if inside hid-multitouch.ko. Builds these two
    again with it, from the source of that very kernel, with its own headers and compiler, in a tree
    of the suite they come from. Returns their files by name."""
    series = ".".join(version.split(".")[:2])
    say(f"building hid and hid-multitouch with haptics from linux-source-{series}={source_version}")
    install_missing({"mmdebstrap": "mmdebstrap", "xz": "xz-utils"})
    tree = f"{work}/tree"
    # binutils: without it Kbuild's tests of the compiler fail and blame the compiler.
    run("mmdebstrap", "--quiet", "--mode=root", "--variant=minbase",
        '--aptopt=APT::Install-Recommends "false"',
        f"--include=make,binutils,linux-headers-{version}", suite, tree, *archive.lines,
        stderr=sys.stderr)
    unpacked = unpack_package(f"linux-source-{series}={source_version}", work, archive.options)
    top = f"linux-source-{series}"
    build = f"{tree}/modules"
    os.makedirs(build)
    run("tar", "-xJf", f"{unpacked}/usr/src/{top}.tar.xz", "-C", build, "--strip-components=3",
        "--wildcards", "--no-wildcards-match-slash", f"{top}/drivers/hid/*.c",
        f"{top}/drivers/hid/*.h")
    write_file(f"{build}/Makefile", """ccflags-y += -DCONFIG_HID_HAPTIC=1
obj-m := hid.o hid-multitouch.o
hid-y := hid-core.o hid-input.o hid-quirks.o hid-debug.o hidraw.o hid-haptic.o
""")
    inside = f"make -C /lib/modules/{version}/build M=/modules -j2 modules"
    with open(f"{os.path.dirname(work)}/build.log", "w") as log:
        run("unshare", "-m", "sh", "-ec",
            f"mount --bind /dev {tree}/dev; mount -t proc proc {tree}/proc; "
            f"exec chroot {tree} {inside}", stdout=log, stderr=log)
    files = {name: f"{build}/{name}.ko" for name in ("hid", "hid-multitouch")}
    for file in files.values():
        run("chroot", tree, "strip", "-d", file[len(tree):])
    return files


def unpack_kernel(vmlinuz, target):
    """Takes the kernel proper out of a bzImage, since unpacking itself is slow under emulation. The
    boot protocol's header says where it lies (Documentation/arch/x86/boot.rst: setup_sects at
    0x1f1, payload_offset and payload_length from 0x248 on)."""
    with open(vmlinuz, "rb") as file:
        image = file.read()
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = ((image[0x1F1] or 4) + 1) * 512 + offset
    payload = image[start:start + length]
    if payload.startswith(b"\xfd7zX"):
        kernel = lzma.LZMADecompressor(format=lzma.FORMAT_XZ).decompress(payload)
    elif payload.startswith(b"\x28\xb5\x2f\xfd"):  # zstd, then four bytes of the size
        kernel = run("zstd", "-dcq", input=payload[:-4], stdout=subprocess.PIPE).stdout
    else:
        kernel = gzip.decompress(payload)
    with open(target, "wb") as file:
        file.write(kernel)


def with_dependencies(tree, version, names):
    """The files of these modules and of those that they need, in the order to load them."""
    files = []
    for name in names:
        for line in output_of("modprobe", "-d", tree, "-S", version, "--show-depends",
                              name).splitlines():
            if line.startswith("insmod") and line.split()[1] not in files:
                files.append(line.split()[1])
    return files


def keep_modules(tree, version, names, folder):
    target = f"{folder}/mods/lib/modules"
    for file in with_dependencies(tree, version, names):
        place = target + file.split("/lib/modules", 1)[1]
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copy(file, place)
    for kind in ("order", "builtin", "builtin.modinfo"):
        shutil.copy(f"{tree}/lib/modules/{version}/modules.{kind}", f"{target}/{version}/")
    run("depmod", "-b", f"{folder}/mods", version)


def make_initrd(tree, version, names, work, target):
    """A first root that loads the disk's modules and goes on to the real one."""
    root = f"{work}/initrd"
    for name in ("bin", "m", "proc", "dev", "root"):
        os.makedirs(f"{root}/{name}")
    shutil.copy("/bin/busybox", f"{root}/bin/")
    write_file(f"{root}/init", INITRD_INIT, 0o755)
    loaded = []
    for file in with_dependencies(tree, version, names):
        name = os.path.basename(file).removesuffix(".xz")
        if file.endswith(".xz"):  # busybox loads plain files only
            with lzma.open(file) as packed, open(f"{root}/m/{name}", "wb") as plain:
                shutil.copyfileobj(packed, plain)
        else:
            shutil.copy(file, f"{root}/m/")
        loaded.append(name)
    write_file(f"{root}/m/list", "\n".join(loaded) + "\n")
    paths = [os.path.relpath(os.path.join(folder, name), root)
             for folder, folders, files in os.walk(root) for name in folders + files]
    with open(target, "wb") as file:
        run("cpio", "-o", "-H", "newc", "--quiet", cwd=root, stdout=file,
            input="\n".join(paths).encode())
