"""Counters of the sandbox's control group and filesystems, as the first process sees them, for
hosts that cannot read them.
"""
import os

TOP = "/sys/fs/cgroup"
FOLDERS = ("/tmp", "/blobs", "/workspace", "/dev/shm")
UNKNOWN = -1
# Each value: files of version 2 and 1, and the field in the file.
COUNTERS = (
    ("memory.max", "memory/memory.limit_in_bytes", None, None),
    ("pids.max", "pids/pids.max", None, None),
    ("memory.events", "memory/memory.oom_control", "oom_kill", "oom_kill"),
    ("pids.events", "pids/pids.events", "max", "max"),
    ("cpu.stat", "cpuacct/cpuacct.usage", "usage_usec", None),
)


def read_file(path):
    try:
        fd = os.open(TOP + "/" + path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(fd, 4096).decode("ascii").split()
    except OSError:
        return None
    finally:
        os.close(fd)


def read_counter(version2, version1, field2, field1):
    words, field = read_file(version2), field2
    if words is None:
        words, field = read_file(version1), field1
    if not words:
        return UNKNOWN
    if field is not None:
        words = words[words.index(field) + 1 :] if field in words else []
    return int(words[0]) if words and words[0].isdigit() else UNKNOWN


def find_folders():
    """Filesystems of this run in memory; a folder of the host counts its own files."""
    found = []
    with open("/proc/self/mountinfo", encoding="utf-8") as lines:
        for line in lines:
            words = line.split()
            if words[3] == "/" and words[4] in FOLDERS and words[words.index("-") + 1] == "tmpfs":
                found.append(words[4])
    return found


def count_files(folders):
    total = 0
    for folder in folders:
        status = os.statvfs(folder)
        total += max(0, status.f_files - status.f_ffree - 1)
    return total


def read(folders):
    """Returns the version of control groups, numbers in the order of COUNTERS, and the files."""
    values = [read_counter(*each) for each in COUNTERS]
    version = 1 if read_file("cpu.stat") is None else 2
    # Version 1 counts nanoseconds.
    if version == 1 and values[4] != UNKNOWN:
        values[4] //= 1000
    return " ".join(map(str, [version, *values, count_files(folders)])).encode()
