"""The mounts that the kernel lists for this process."""
import os

# A backslash last: the others contain one.
ESCAPES = ("\\040", "\\011", "\\012", "\\134")


def read_mounts():
    with open("/proc/self/mountinfo", "rb") as file:
        return file.read().splitlines()


def list_mounts(top):
    """Lists a mount and those below it."""
    prefix = escape(os.fsencode(top))
    targets = (line.split(b" ", 5)[4] for line in read_mounts())
    return [unescape(each) for each in targets if each == prefix or each.startswith(prefix + b"/")]


def list_overlays():
    """Lists the mount points of all overlays."""
    lines = (line.partition(b" - ") for line in read_mounts())
    return [unescape(mount.split(b" ", 5)[4]) for mount, _, kind in lines if kind.startswith(b"overlay ")]


def escape(path):
    for code in reversed(ESCAPES):
        path = path.replace(bytes((int(code[1:], 8),)), code.encode())
    return path


def unescape(path):
    text = os.fsdecode(path)
    for code in ESCAPES:
        text = text.replace(code, chr(int(code[1:], 8)))
    return text
