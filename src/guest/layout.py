"""The root filesystem of a run, built from the mount plan that the host sends to every sandbox.

The plan is first compiled to a list of calls. The zygote compiles the common part once for
all runs.
"""
import os
import stat

import namespaces
import views
from c_library import perform
from namespaces import NO_DEVICES, NO_EXEC, NO_SUID

NEW = "/new"
OLD = "/.old"
ROOT_BYTES = 4 << 20
# The kernel has 3072 for all file systems but the host's own.
TERMINALS = 16
FIRST_PROCESS_FILES = [
    "/proc/1/" + name
    for name in ("cgroup", "mountinfo", "mounts", "task/1/cgroup", "task/1/mountinfo", "task/1/mounts")
]
# Least, first and most bytes of a buffer: not every kernel counts them as memory of the run.
TCP_BUFFERS = (
    ("/proc/sys/net/ipv4/tcp_rmem", b"4096 131072 262144"),
    ("/proc/sys/net/ipv4/tcp_wmem", b"4096 16384 262144"),
)


def create(path):
    os.close(os.open(path, os.O_CREAT | os.O_RDONLY | os.O_CLOEXEC, 0o444))


def write(path, text):
    fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o444)
    os.write(fd, text)
    os.close(fd)


def write_setting(path, text):
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    os.write(fd, text)
    os.close(fd)


def limit_buffers(path, text):
    try:
        write_setting(path, text)
    except FileNotFoundError:
        # Before Linux 4.15, only the first network namespace has it.
        pass


class Plan:
    """`top` is the path of the new root while it is built, `sources` the path of the zygote's
    root.
    """

    def __init__(self, steps, top, sources, after=None):
        self.calls = []
        self.bound = []
        self.accounts = []
        self._top = top
        self._sources = sources
        self._folders = {"", "/"} if after is None else set(after._folders)
        self._bound_before = () if after is None else after.bound
        for step in steps:
            getattr(self, "_" + step["kind"])(step)

    def _call(self, function, *arguments):
        self.calls.append((function, arguments))

    def _make_folder(self, path):
        """Creates a folder with its parents. No other process writes to them."""
        if path not in self._folders and not self._is_bound(path):
            self._make_folder(os.path.dirname(path))
            self._folders.add(path)
            self._call(os.mkdir, self._top + path, 0o755)

    def _is_bound(self, path):
        """True for a folder of another mount, which has it already."""
        return any(path.startswith(each + "/") for each in (*self._bound_before, *self.bound))

    def _bind_at(self, source, path):
        """Sources are never links: they are staged by the host or belong to the zygote's root."""
        source = self._sources + source
        if stat.S_ISDIR(os.lstat(source).st_mode):
            self._make_folder(path)
        else:
            self._make_folder(os.path.dirname(path))
            self._call(create, self._top + path)
        self.calls.append(namespaces.bind(os.fsencode(source), os.fsencode(self._top + path)))

    def _file_system(self, kind, path, flags, options=b""):
        target = os.fsencode(self._top + path)
        self.calls.append(namespaces.new_file_system(kind, target, flags, options))

    def _bind(self, step):
        self._bind_at(step["source"], step["target"])
        self.bound.append(step["target"])

    def _device(self, step):
        source, target = self._sources + step["source"], self._top + step["target"]
        self.calls.append(namespaces.bind(os.fsencode(source), os.fsencode(target)))

    def _link(self, step):
        self._make_folder(os.path.dirname(step["target"]))
        self._call(os.symlink, step["to"], self._top + step["target"])

    def _folder(self, step):
        self._make_folder(step["target"])

    def _file(self, step):
        """Collects files that contain the user, which differs between runs."""
        self._make_folder(os.path.dirname(step["target"]))
        self.accounts.append((self._top + step["target"], step["text"]))

    def _memory(self, step):
        self._make_folder(step["target"])
        options = b"mode=%b,size=%d" % (step.get("mode", "1777").encode(), step["bytes"])
        self._file_system(b"tmpfs", step["target"], NO_SUID | NO_DEVICES, options)

    def _processes(self, step):
        self._make_folder("/proc")
        self._file_system(b"proc", "/proc", NO_SUID | NO_DEVICES | NO_EXEC)
        self._limit_namespaces()
        settings = self._top + "/proc/sys"
        own_flags = NO_SUID | NO_DEVICES | NO_EXEC
        self._cover(["/proc/sys"], settings, own_flags)
        for paths, source in ((step["files"], "/dev/null"), (step["folders"], step["cover"])):
            source = self._sources + source
            self._cover(paths, source, namespaces.read_mount_flags(source))
        # Otherwise a run could lower its score for the out-of-memory killer.
        self.calls.append(namespaces.set_read_only(os.fsencode(self._top + "/proc"), own_flags))
        self.bound.append("/proc")

    def _cover(self, paths, source, flags):
        """Binds each path read-only. A mount inherits this from its source, so that only the first
        one is remounted.
        """
        for index, path in enumerate(paths):
            target = os.fsencode(self._top + path)
            self.calls.append(namespaces.bind(os.fsencode(source), target))
            if index == 0:
                self.calls.append(namespaces.set_read_only(target, flags))
                source = target
            self.bound.append(path)

    def cover_first_process(self):
        """Covers what shows paths of the host: the first process has the zygote's mounts and control
        group.
        """
        self._cover(FIRST_PROCESS_FILES, "/dev/null", namespaces.read_mount_flags("/dev/null"))

    def _limit_namespaces(self):
        """Writes settings of the namespaces: /proc/sys is read-only after this step."""
        for path, text in TCP_BUFFERS:
            self._call(limit_buffers, self._top + path, text)

    def _devices(self, step):
        """Binds the zygote's /dev, which has mount points for the devices of each run."""
        self._bind({"source": "/dev", "target": "/dev"})
        self._folders.update(("/dev/pts", "/dev/shm"))
        if step["terminals"]:
            options = b"newinstance,ptmxmode=0666,mode=620,max=%d" % TERMINALS
            self._file_system(b"devpts", "/dev/pts", NO_SUID | NO_EXEC, options)

    def _seal(self, step):
        """Remounting the root read-only covers its folders, so this step needs no call."""


class Layout:
    """A plan in two parts: first what all runs have in common, next to the zygote's root, then
    the granted folders of one run.

    The zygote prepares it once for all runs. Each run has its own views of folders of the host,
    since an overlay does not show what others change below it. `tools` is the folder of those that
    only some runs mount.
    """

    def __init__(self, steps, viewed, tools):
        self._viewed = viewed
        self._tools = tools + "/"
        options = b"mode=0755,size=%d" % ROOT_BYTES
        root = namespaces.new_file_system(b"tmpfs", NEW.encode(), NO_SUID | NO_DEVICES, options)
        self._base = Plan(steps, NEW, "")
        self._base.cover_first_process()
        self._first = [namespaces.MAKE_PRIVATE, (namespaces.bring_loopback_up, ())]
        self._build = [root, *self._base.calls]
        self._enter = [(os.mkdir, (NEW + OLD,))]
        self._enter += namespaces.enter_root(NEW.encode(), OLD[1:].encode())
        self._last = [namespaces.leave_behind(OLD.encode()), (os.rmdir, (OLD,))]
        self._last.append(namespaces.HIDE_GROUP)
        self._last.append(namespaces.set_read_only(b"/", NO_SUID | NO_DEVICES))
        self._bound = ["/", *self._base.bound]

    def begin(self, user):
        """Enters the new root. The zygote's root is visible below `OLD` until `finish`."""
        os.umask(0)
        perform(self._first)
        self._empty = views.open_folder(NEW)
        views.mount_views(self._viewed, self._empty)
        perform(self._build)
        for path, text in self._base.accounts:
            write(path, text.replace("{user}", str(user)).encode())
        perform(self._enter)

    def finish(self, steps):
        """Mounts the granted folders. Returns the paths that must be read-only, and whether a folder
        of the host is one of them.
        """
        tools = {self._get_tool(each) for each in steps} - {None}
        views.mount_views([OLD + each for each in tools], self._empty)
        os.close(self._empty)
        granted = Plan(steps, "", OLD, self._base)
        perform(granted.calls)
        perform(self._last)
        os.umask(0o022)
        return [*self._bound, *granted.bound], bool(tools)

    def _get_tool(self, step):
        """Returns the folder of the zygote from which a step mounts a tool, unless all runs do."""
        source = step.get("source", "")
        folder = "/".join(source.split("/", 3)[:3])
        return folder if source.startswith(self._tools) and folder not in self._viewed else None

    def check(self, bound):
        """Verifies by the kernel's state, independent of the calls above."""
        for path in bound:
            if not os.statvfs(path).f_flag & os.ST_RDONLY:
                raise PermissionError("%s can be written to" % path)
        if os.path.lexists(OLD):
            raise PermissionError("the previous root is still visible")
