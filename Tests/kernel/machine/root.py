"""The machine's root tree: a minimal Debian with systemd, and the unit that runs the command."""

import sys

from .tools import install_missing, replace_link, run, say, write_file

PACKAGES = """systemd systemd-sysv udev dbus kmod libevdev2 libsystemd0 evtest python3
python3-evdev socat jq strace procps iproute2""".split()

# Units that cost boot time and that nothing here needs.
MASKED = """systemd-networkd.service systemd-timesyncd.service systemd-logind.service
systemd-user-sessions.service systemd-random-seed.service systemd-journal-flush.service
systemd-update-utmp.service systemd-update-utmp-runlevel.service systemd-machine-id-commit.service
systemd-remount-fs.service systemd-hwdb-update.service ldconfig.service systemd-sysusers.service
systemd-pstore.service systemd-firstboot.service systemd-pcrphase.service systemd-repart.service
systemd-pcrphase-sysinit.service systemd-boot-system-token.service systemd-update-done.service
systemd-ask-password-wall.path systemd-ask-password-console.path systemd-initctl.socket
systemd-tmpfiles-clean.timer apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer
e2scrub_all.timer e2scrub_reap.service fstrim.timer motd-news.timer getty.target getty@tty1.service
serial-getty@ttyS0.service modprobe@.service modprobe@drm.service modprobe@efi_pstore.service
modprobe@dm_mod.service modprobe@loop.service modprobe@fuse.service modprobe@configfs.service
dev-hugepages.mount dev-mqueue.mount sys-kernel-debug.mount sys-kernel-tracing.mount
sys-kernel-config.mount sys-fs-fuse-connections.mount proc-sys-fs-binfmt_misc.automount
proc-sys-fs-binfmt_misc.mount""".split()

# Runs the command in the machine. Three folders are shared with the outside: `in` (what to copy to
# /root/work), `control` (the command; its exit status comes back there) and `out` ($OUT). The
# kernel's command line says how they are reached: a folder of the host under UML, 9p under QEMU.
GUEST = r"""#!/bin/bash
exec </dev/null
read -r since_boot _ </proc/uptime
for word in $(cat /proc/cmdline); do case $word in vmrun.*) declare "${word#vmrun.}" ;; esac; done
exec >"$terminal" 2>&1
stty -F "$terminal" raw -echo 2>/dev/null
mkdir -p /vm/in /vm/control /vm/out /root/work
for name in in control out; do
  if [ -n "$shared" ]; then
    mount -t hostfs -o "$shared/$name" none /vm/$name
  else
    mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 $name /vm/$name
  fi || echo "vm-run: the machine could not mount /vm/$name"
done
cp -a /vm/in/. /root/work/
cd /root/work
modprobe -a evdev uinput
echo "$since_boot" >/vm/control/started
HOME=/root OUT=/vm/out bash /vm/control/command
echo $? >/vm/control/status.new
mv /vm/control/status.new /vm/control/status
sync
exec >/dev/null 2>&1 # closing the terminal drains it
systemctl poweroff -ff
"""
GUEST_UNIT = """[Unit]
Description=The command that this machine was started for
After=basic.target
[Service]
ExecStart=/usr/lib/vm-run-guest
StandardOutput=null
TimeoutStopSec=2
[Install]
WantedBy=multi-user.target
"""
# Cold-plugging every device takes seconds under emulation; these subsystems are enough.
TRIGGER = """[Service]
ExecStart=
ExecStart=-udevadm trigger --type=devices --action=add --subsystem-match=misc \
--subsystem-match=input --subsystem-match=mem
"""


def make_root(folder, suite):
    """Makes the tree of SUITE in FOLDER/root."""
    install_missing({"mmdebstrap": "mmdebstrap"})
    say("making a tree of", suite)
    unneeded = [f"--dpkgopt=path-exclude=/usr/share/{name}/*"
                for name in ("man", "doc", "locale", "info")]
    run("mmdebstrap", "--quiet", "--mode=root", "--variant=minbase",
        "--include=" + ",".join(PACKAGES), '--aptopt=APT::Install-Recommends "false"', *unneeded,
        suite, f"{folder}/root", stderr=sys.stderr)

    root = f"{folder}/root"
    units = f"{root}/etc/systemd/system"
    write_file(f"{root}/usr/lib/vm-run-guest", GUEST, 0o755)
    write_file(f"{units}/vm-run.service", GUEST_UNIT)
    write_file(f"{units}/systemd-udev-trigger.service.d/vm-run.conf", TRIGGER)
    replace_link("../vm-run.service", f"{units}/multi-user.target.wants/vm-run.service")
    replace_link("/lib/systemd/system/multi-user.target", f"{units}/default.target")
    for unit in MASKED:
        replace_link("/dev/null", f"{units}/{unit}")
    for name in ("etc/.updated", "var/.updated", "etc/fstab"):
        write_file(f"{root}/{name}", "")
    write_file(f"{root}/etc/hostname", "machine\n")
    write_file(f"{root}/etc/machine-id", "0123456789abcdef0123456789abcdef\n")


def make_image(folder, root, modules):
    """Makes FOLDER/root.ext4 from a tree and the kernel modules that belong in it."""
    install_missing({"mke2fs": "e2fsprogs"})
    # The tree is shared by all kernels; each one's modules have a folder of their own version.
    run("cp", "-a", "--reflink=auto", modules, f"{root}/usr/lib/")
    run("mke2fs", "-q", "-t", "ext4", "-O", "^has_journal,^metadata_csum", "-m", "0", "-F",
        "-d", root, f"{folder}/root.ext4", "2G")
