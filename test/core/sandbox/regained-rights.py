"""Attempts what a process inside of a run could do with all rights, as if a guard had failed.

It enters the namespaces of the process `pid` as root, in which the kernel gives it all rights. With "run"
these are the rights in the user namespace of the run, with "host" those in that of the host.
"""
import ctypes
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)
pid, where, outside, stranger = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
names = ["mnt", "uts", "net", "ipc", *(["user"] if where == "run" else [])]
namespaces = [os.open("/proc/%d/ns/%s" % (pid, name), os.O_RDONLY) for name in names]
user = int(open("/proc/%d/status" % pid).read().split("\nUid:\t")[1].split()[0])
folder = os.open(outside, os.O_RDONLY | os.O_DIRECTORY)


def check(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), "")


for each in namespaces:
    check(libc.setns(each, 0))
if where == "run":
    # The user of the run. As in a run, the change clears the effective rights, which are taken again.
    libc.prctl(8, 1, 0, 0, 0)
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
header = (0x20080522).to_bytes(4, sys.byteorder) + bytes(4)
rights = ctypes.create_string_buffer(24)
check(libc.capget(header, rights))
permitted = rights.raw[4:8], rights.raw[16:20]
check(libc.capset(header, b"".join(each * 2 + bytes(4) for each in permitted)))
print("rights", "all" if int.from_bytes(permitted[0], sys.byteorder) == 0xFFFFFFFF else "some")


def read_secret():
    os.close(os.open("secret", os.O_RDONLY, dir_fd=folder))


def take_owner():
    os.chown("other", user, user, dir_fd=folder)


def become(number):
    child = os.fork()
    if child == 0:
        try:
            os.setresuid(number, number, number)
            os._exit(0)
        finally:
            os._exit(1)
    if os.waitpid(child, 0)[1] != 0:
        raise OSError(1, "")


ATTEMPTS = {
    "read": read_secret,
    "own": take_owner,
    "root": lambda: become(0),
    "user": lambda: become(stranger),
    "mount": lambda: check(libc.mount(b"x", b"/tmp", b"tmpfs", 0, None)),
    "uncover": lambda: check(libc.umount2(b"/proc/sys", 2)),
    "remount": lambda: check(libc.mount(b"none", b"/usr", b"none", 4096 | 32, None)),
    "device": lambda: os.mknod("/tmp/memory", 0o20666, os.makedev(1, 1)),
    "name": lambda: check(libc.sethostname(b"other", 5)),
    "kill": lambda: os.kill(os.getppid(), 0),
}
for name, attempt in ATTEMPTS.items():
    try:
        attempt()
        print(name, "through")
    except OSError:
        print(name, "held")
