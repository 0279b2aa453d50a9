"""Kernel interface of a forked guest: a process in its own namespaces, and mounts."""
import _ctypes
import os
import struct
import sys

import mount_table
from c_library import Library, UnsignedLong, ask, call, perform, prepare

CLONE = {"x86_64": 56, "aarch64": 220}
SIGCHLD = 17
NEW_MOUNTS, NEW_CGROUP, NEW_UTS, NEW_IPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
NEW_USER, NEW_PROCESSES, NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
# Inotify objects of a run, and of all forks of an ordinary user's zygote. The kernel allows a user 128
# instances by default.
RUN_WATCHES, FORK_WATCHES = (16, 8192), (64, 65536)
# Each run also has a PID namespace, which is created before the fork, and one of control groups,
# which is created when it is in its group.
RUN_NAMESPACES = NEW_MOUNTS | NEW_UTS | NEW_IPC | NEW_NETWORK

READ_ONLY, NO_SUID, NO_DEVICES, NO_EXEC, REMOUNT = 1, 2, 4, 8, 32
BIND, RECURSIVE, PRIVATE = 4096, 16384, 1 << 18
DETACH = 2

MOUNT_SETATTR = 442
AT_FDCWD = 2**64 - 100
AT_EMPTY_PATH, AT_RECURSIVE = 0x1000, 0x8000
ENOSYS = 38

AF_INET, SOCK_DGRAM = 2, 2
SIOCSIFFLAGS = 0x8914
UP_AND_RUNNING = 0x41
LOOPBACK_UP = struct.pack("16sH14x", b"lo", UP_AND_RUNNING)


class Long(_ctypes._SimpleCData):
    _type_ = "l"


class LongFunction(_ctypes.CFuncPtr):
    _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO
    _restype_ = Long


LIBRARY = Library()
SYSCALL = LongFunction(("syscall", LIBRARY))
NUMBER = CLONE[os.uname().machine]


def build_fork_arguments(flags):
    return tuple(UnsignedLong(each) for each in (NUMBER, flags | SIGCHLD, 0, 0, 0, 0))


def fork_into(arguments):
    """Forks into new namespaces: returns 0 in the child, and the pid in the parent.

    The zygote has one thread, so the fork hooks of Python are unnecessary. They would cost
    each run copies of shared pages.
    """
    pid = SYSCALL(*arguments)
    if pid < 0:
        error = _ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return pid


def mount(source, target, kind, flags, options=b""):
    """Prepares the call that mounts it."""
    return prepare("mount", source, target, kind, flags, options or 0)


def bind(source, target):
    """Binds with submounts: in a user namespace, the kernel does not allow uncovering what they
    hide.
    """
    return mount(source, target, b"none", BIND | RECURSIVE)


def new_file_system(kind, target, flags, options=b""):
    return mount(kind, target, kind, flags, options)


def set_read_only(target, existing_flags):
    """Existing flags of the mount may be locked and must be repeated."""
    return mount(b"none", target, b"none", BIND | REMOUNT | READ_ONLY | existing_flags)


def read_mount_flags(path):
    return os.statvfs(path).f_flag & (NO_SUID | NO_DEVICES | NO_EXEC)


def prefer_for_out_of_memory_killer():
    """If memory runs out, the kernel kills a run before other processes of this machine.

    /proc inside is read-only, so that a run cannot undo this.
    """
    try:
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
        os.write(fd, b"1000")
        os.close(fd)
    except OSError:
        # A container's /proc may be read-only.
        pass


MAKE_PRIVATE = mount(b"none", b"/", b"none", PRIVATE | RECURSIVE)


def enter_root(folder, old):
    """Makes `folder` the root; the previous root is then in its folder `old`."""
    return [
        (os.chdir, (folder,)),
        prepare("pivot_root", b".", old),
        (os.chroot, (".",)),
        (os.chdir, ("/",)),
    ]


def leave_behind(old):
    return prepare("umount2", old, DETACH)


def add_mount_flags(fd, flags):
    """Adds flags to the mount that a descriptor refers to, and to all mounts below it."""
    attributes = b"".join(each.to_bytes(8, sys.byteorder) for each in (flags, 0, 0, 0))
    try:
        ask("syscall", MOUNT_SETATTR, fd, b"", AT_EMPTY_PATH | AT_RECURSIVE, attributes, len(attributes))
    except OSError as error:
        # Before Linux 5.12.
        if error.errno != ENOSYS:
            raise
        add_flags_one_by_one(os.readlink("/proc/self/fd/%d" % fd), flags)


def add_flags_one_by_one(top, flags):
    for target in mount_table.list_mounts(top):
        existing = read_mount_flags(target) | os.statvfs(target).f_flag & READ_ONLY
        remount = BIND | REMOUNT | existing | flags
        perform([mount(b"none", os.fsencode(target), b"none", remount)])


def open_own_entry():
    """Opens the folder of this process in a procfs that can be written to."""
    return os.open("/proc/self/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)


def write_id_maps(users, groups, own_entry):
    """Maps one user and one group: pairs of the id inside and outside. The kernel does not allow
    setting groups in such a user namespace.
    """
    maps = (("setgroups", b"deny"), ("uid_map", b"%d %d 1" % users), ("gid_map", b"%d %d 1" % groups))
    for name, text in maps:
        fd = os.open(name, os.O_WRONLY | os.O_CLOEXEC, dir_fd=own_entry)
        os.write(fd, text)
        os.close(fd)


def limit_watches(settings, instances, watches):
    """Limits the inotify objects of each user in this user namespace, and so their part of what the
    user outside may have. `settings` is the folder /proc/sys.
    """
    for name, most in (("instances", instances), ("watches", watches)):
        try:
            fd = os.open("user/max_inotify_" + name, os.O_WRONLY | os.O_CLOEXEC, dir_fd=settings)
        except FileNotFoundError:
            # The kernel is built without it.
            return
        os.write(fd, b"%d" % most)
        os.close(fd)


def open_settings(top=""):
    return os.open(top + "/proc/sys", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)


def enter_user_namespace(user, outside, own_entry):
    """Enters a new user namespace with one user, after /proc was made read-only."""
    call("unshare", NEW_USER)
    write_id_maps((user, outside), (user, outside), own_entry)


# The path of its control group is then "/", for all files of /proc that show it.
HIDE_GROUP = prepare("unshare", NEW_CGROUP)


def bring_loopback_up():
    control = ask("socket", AF_INET, SOCK_DGRAM, 0)
    call("ioctl", control, SIOCSIFFLAGS, LOOPBACK_UP)
    os.close(control)


class PidNamespaces:
    """A PID namespace for each run: a process that is forked between `begin` and `leave` is in
    it.
    """

    def __init__(self, first_program):
        self._first_program = first_program
        self._enter = (prepare("unshare", NEW_PROCESSES),)
        own = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        self._leave = (prepare("setns", own, NEW_PROCESSES),)

    def begin(self):
        """Returns the pid of its first process, whose death ends the namespace."""
        perform(self._enter)
        return os.posix_spawn(self._first_program, ("init",), {}, setsid=True)

    def leave(self):
        try:
            perform(self._leave)
        except OSError as error:
            # Later forks would be in the wrong namespace.
            raise SystemExit("the namespace of a run could not be left: %s" % error) from None
