"""Throwaway virtual machines with a real kernel and a real systemd, made from Debian's packages."""
