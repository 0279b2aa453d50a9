"""Detects whether a process waits for input, by kernel state instead of its output."""
import os
import stat

# Operands of each system call: one descriptor, a list, sets, or an epoll.
CALLS = {
    "x86_64": {
        0: "one", 19: "one", 7: "list", 271: "list", 23: "sets", 270: "sets",
        232: "epoll", 281: "epoll", 441: "epoll",
    },
    "aarch64": {63: "one", 65: "one", 73: "list", 72: "sets", 22: "epoll", 441: "epoll"},
}.get(os.uname().machine, {})
MAX_FILES = 1024
TERMINAL_OF_SESSION = os.makedev(5, 0)


def is_waiting(session, source):
    """True if any process of the session waits. `source` is the device number of a terminal, or
    device and inode of a pipe.
    """
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if read_session(name) == session and any(reads(name, source)):
                    return True
            except (OSError, ValueError, IndexError):
                # It ended meanwhile, or cannot be inspected.
                pass
    return False


def read_session(pid):
    with open("/proc/%s/stat" % pid, "rb") as file:
        text = file.read()
    # The process name, in parentheses, may contain any character.
    return int(text[text.rindex(b")") + 2:].split()[3])


def reads(pid, source):
    for task in os.listdir("/proc/%s/task" % pid):
        with open("/proc/%s/task/%s/syscall" % (pid, task), encoding="ascii") as file:
            fields = file.read().split()
        kind = CALLS.get(int(fields[0])) if fields[0].isdigit() else None
        if kind is not None:
            numbers = [int(each, 16) for each in fields[1:7]]
            yield any(is_source(pid, fd, source) for fd in list_awaited(pid, kind, numbers))


def list_awaited(pid, kind, numbers):
    if kind == "one":
        return numbers[:1]
    if kind == "epoll":
        return epoll_files(pid, numbers[0])
    if kind == "list":
        data = memory(pid, numbers[0], min(numbers[1], MAX_FILES) * 8)
        return [int.from_bytes(data[at:at + 4], "little") for at in range(0, len(data), 8)]
    count = min(numbers[0], MAX_FILES)
    bits = int.from_bytes(memory(pid, numbers[1], (count + 7) // 8), "little")
    return [fd for fd in range(count) if bits >> fd & 1]


def epoll_files(pid, fd):
    with open("/proc/%s/fdinfo/%d" % (pid, fd), encoding="ascii") as lines:
        return [int(line.split()[1]) for line in lines if line.startswith("tfd:")]


def memory(pid, address, size):
    if address == 0 or size == 0:
        return b""
    fd = os.open("/proc/%s/mem" % pid, os.O_RDONLY)
    try:
        return os.pread(fd, size, address)
    finally:
        os.close(fd)


def is_source(pid, fd, source):
    try:
        status = os.stat("/proc/%s/fd/%d" % (pid, fd))
    except OSError:
        return False
    if stat.S_ISCHR(status.st_mode):
        return status.st_rdev in (source, TERMINAL_OF_SESSION)
    return (status.st_dev, status.st_ino) == source
