"""The root filesystem of a sandbox, built from folders of the host."""
import os
import stat

import namespaces
import views
from c_library import perform
from layout import TERMINALS, Plan, create, write_setting
from namespaces import NO_DEVICES, NO_EXEC, NO_SUID, READ_ONLY

OLD = ".old"
PROTECTED = NO_SUID | NO_DEVICES
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
DEVICE_LINKS = (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2"))
ROOT_BYTES, DEVICES_BYTES = 4 << 20, 64 << 20
NAMESPACE_LIMIT = "/proc/sys/user/max_user_namespaces"


def open_below(top, path):
    """Opens a mount point without following links, which a run may have left in a host folder."""
    fd = os.open(top, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    for name in path.strip("/").split("/"):
        try:
            inner = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
        finally:
            os.close(fd)
        fd = inner
        if stat.S_ISLNK(os.fstat(fd).st_mode):
            os.close(fd)
            raise OSError(40, "a mount point is a symbolic link", path)
    return fd


def bind_below(source, top, path):
    fd = open_below(top, path)
    perform([namespaces.bind(os.fsencode(source), b"/proc/self/fd/%d" % fd)])
    os.close(fd)


def add_flags(top, path, flags):
    """Adds flags to a mount and to all mounts below it."""
    # Opened again: the descriptor of a mount point refers to what the mount covers.
    fd = open_below(top, path)
    try:
        namespaces.add_mount_flags(fd, flags)
    finally:
        os.close(fd)


def limit_watches(top):
    settings = namespaces.open_settings(top)
    namespaces.limit_watches(settings, *namespaces.RUN_WATCHES)
    os.close(settings)


class HostPlan(Plan):
    """`top` is the path of the new root while it is built. `is_nested` if the run gets a user
    namespace of its own, which is then the last one.
    """

    def __init__(self, steps, top, is_nested):
        self._is_nested = is_nested
        self._host_folders = []
        self._opened = []
        super().__init__(steps, top, "")

    def _bind(self, step):
        source, target = step["source"], step["target"]
        if step.get("writable"):
            source = self._open_source(source)
        if self._is_bound(target):
            # A folder of the host, in which a run may have replaced the mount point by a link.
            self._call(bind_below, source, self._top, target)
        else:
            self._make_mount_point(source, target)
            self.calls.append(namespaces.bind(os.fsencode(source), os.fsencode(self._top + target)))
        flags = step["flags"] if "flags" in step else PROTECTED | (0 if step.get("writable") else READ_ONLY)
        if flags:
            self._call(add_flags, self._top, target, flags)
        if flags & READ_ONLY:
            self.bound.append(target)
        self._host_folders.append(target + "/")

    def _open_source(self, source):
        """Opens a folder now: a view that is mounted later may cover its path."""
        fd = os.open(source, os.O_PATH | os.O_CLOEXEC)
        self._opened.append(fd)
        return "/proc/self/fd/%d" % fd

    def close_sources(self):
        for fd in self._opened:
            os.close(fd)

    def _make_mount_point(self, source, target):
        if stat.S_ISDIR(os.stat(source).st_mode):
            self._make_folder(target)
        else:
            self._make_folder(os.path.dirname(target))
            self._call(create, self._top + target)

    def _is_bound(self, path):
        return (path + "/").startswith(tuple(self._host_folders))

    def _proc(self, step):
        self._make_folder("/proc")
        self._file_system(b"proc", "/proc", NO_SUID | NO_DEVICES | NO_EXEC)

    def _limit_namespaces(self):
        super()._limit_namespaces()
        if self._is_nested:
            self._call(write_setting, self._top + NAMESPACE_LIMIT, b"1")
            self._call(limit_watches, self._top)

    def _devices(self, step):
        self._make_folder("/dev")
        self._file_system(b"tmpfs", "/dev", PROTECTED, b"mode=0755,size=%d" % DEVICES_BYTES)
        for name in DEVICES:
            path = "/dev/" + name
            self._call(create, self._top + path)
            self.calls.append(namespaces.bind(path.encode(), os.fsencode(self._top + path)))
        for name, target in DEVICE_LINKS:
            self._call(os.symlink, "/proc/self/" + target, self._top + "/dev/" + name)
        if step["terminals"]:
            self._make_folder("/dev/pts")
            options = b"newinstance,ptmxmode=0666,mode=620,max=%d" % TERMINALS
            self._file_system(b"devpts", "/dev/pts", NO_SUID | NO_EXEC, options)
            self._call(os.symlink, "pts/ptmx", self._top + "/dev/ptmx")

    def _seal(self, step):
        if step["target"] != "/":
            target = os.fsencode(self._top + step["target"])
            self.calls.append(namespaces.set_read_only(target, PROTECTED))
            self.bound.append(step["target"])


class HostRoot:
    """Mounts a plan at `top`, an empty folder of the host, and makes it the root.

    The plan binds read-only views of the folders in `viewed`.
    """

    def __init__(self, steps, top, is_nested=False, viewed=()):
        options = b"mode=0755,size=%d" % ROOT_BYTES
        plan = HostPlan(steps, top, is_nested)
        self._top = top
        self._viewed = viewed
        self._close_sources = plan.close_sources
        root = namespaces.new_file_system(b"tmpfs", os.fsencode(top), PROTECTED, options)
        self._calls = [root, *plan.calls, (os.mkdir, (os.path.join(top, OLD),))]
        self._calls += namespaces.enter_root(top, OLD.encode())
        self._calls += [namespaces.leave_behind(OLD.encode()), (os.rmdir, ("/" + OLD,))]
        self._calls.append(namespaces.set_read_only(b"/", PROTECTED))
        self._bound = ["/", *plan.bound]

    def enter(self):
        if self._viewed:
            empty = views.open_folder(self._top)
            views.mount_views(self._viewed, empty)
            os.close(empty)
        os.umask(0)
        perform(self._calls)
        os.umask(0o022)
        self._close_sources()

    def check(self):
        """Verifies by the kernel's state, independent of the calls above."""
        for path in self._bound:
            if not os.statvfs(path).f_flag & os.ST_RDONLY:
                raise PermissionError("%s can be written to" % path)
        if os.path.lexists("/" + OLD):
            raise PermissionError("the host's root is still visible")
