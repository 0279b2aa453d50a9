"""The root of a run, made of steps that the host describes to every sandbox alike.

Steps become a list of calls first: what all runs have alike is thought about once, in the zygote.
"""
import os
import stat

import namespaces
from namespaces import NO_DEVICES, NO_EXEC, NO_SUID

NEW = "/new"
OLD = "/.old"
ROOT_BYTES = 4 << 20


def create(path):
    os.close(os.open(path, os.O_CREAT | os.O_RDONLY | os.O_CLOEXEC, 0o444))


def write(path, text):
    fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o444)
    os.write(fd, text)
    os.close(fd)


class Plan:
    """`top` is where the root lies while it is made, `sources` where the zygote's own is seen."""

    def __init__(self, steps, top, sources, after=None):
        self.calls = []
        self.bound = []
        self.accounts = []
        self._top = top
        self._sources = sources
        self._folders = {"", "/"} if after is None else set(after._folders)
        for step in steps:
            getattr(self, "_" + step["kind"])(step)

    def perform(self):
        for function, arguments in self.calls:
            function(*arguments)

    def _call(self, function, *arguments):
        self.calls.append((function, arguments))

    def _make_folder(self, path):
        """With those above it, which nobody but their maker writes to."""
        if path not in self._folders:
            self._make_folder(os.path.dirname(path))
            self._folders.add(path)
            self._call(os.mkdir, self._top + path, 0o755)

    def _bind_at(self, source, path):
        """Nothing that is bound here is a link: what the host stages is, or it is the zygote's own."""
        source = self._sources + source
        if stat.S_ISDIR(os.lstat(source).st_mode):
            self._make_folder(path)
        else:
            self._make_folder(os.path.dirname(path))
            self._call(create, self._top + path)
        self._call(namespaces.bind, os.fsencode(source), os.fsencode(self._top + path))

    def _file_system(self, kind, path, flags, options=b""):
        target = os.fsencode(self._top + path)
        self._call(namespaces.new_file_system, kind, target, flags, options)

    def _bind(self, step):
        self._bind_at(step["source"], step["target"])
        self.bound.append(step["target"])

    def _link(self, step):
        self._make_folder(os.path.dirname(step["target"]))
        self._call(os.symlink, step["to"], self._top + step["target"])

    def _folder(self, step):
        self._make_folder(step["target"])

    def _file(self, step):
        """They name the user, who is another one in each run."""
        self._make_folder(os.path.dirname(step["target"]))
        self.accounts.append((self._top + step["target"], step["text"]))

    def _memory(self, step):
        self._make_folder(step["target"])
        options = b"mode=1777,size=%d" % step["bytes"]
        self._file_system(b"tmpfs", step["target"], NO_SUID | NO_DEVICES, options)

    def _processes(self, step):
        self._make_folder("/proc")
        self._file_system(b"proc", "/proc", NO_SUID | NO_DEVICES | NO_EXEC)
        hidden = [(path, self._sources + "/dev/null") for path in step["hidden"]]
        for path, source in [("/proc/sys", self._top + "/proc/sys"), *hidden]:
            target = os.fsencode(self._top + path)
            self._call(namespaces.bind, os.fsencode(source), target)
            self._call(namespaces.set_read_only, target)
            self.bound.append(path)

    def _devices(self, step):
        self._make_folder("/dev")
        for name in step["names"]:
            self._bind_at("/dev/" + name, "/dev/" + name)
        links = [("/proc/self/fd", "fd")]
        links += [("/proc/self/fd/%d" % fd, name) for fd, name in enumerate(STREAMS)]
        if step["terminals"]:
            self._make_folder("/dev/pts")
            options = b"newinstance,ptmxmode=0666,mode=620"
            self._file_system(b"devpts", "/dev/pts", NO_SUID | NO_EXEC, options)
            links.append(("pts/ptmx", "ptmx"))
        for to, name in links:
            self._call(os.symlink, to, self._top + "/dev/" + name)

    def _seal(self, step):
        """Folders that lie in the root are sealed with it, when the rest has been made."""


STREAMS = ("stdin", "stdout", "stderr")


class Layout:
    """In two parts: what all runs have alike, beside the zygote's own root, then what one was granted."""

    def __init__(self, base, user):
        self._base = base
        self._user = user
        self._bound = ["/", *base.bound]

    def begin(self):
        """From here on the zygote's root can be seen below `OLD` only, until `finish`."""
        os.umask(0)
        options = b"mode=0755,size=%d" % ROOT_BYTES
        namespaces.new_file_system(b"tmpfs", NEW.encode(), NO_SUID | NO_DEVICES, options)
        self._base.perform()
        for path, text in self._base.accounts:
            write(path, text.replace("{user}", str(self._user)).encode())
        os.mkdir(NEW + OLD)
        namespaces.enter_root(NEW.encode(), OLD[1:].encode())

    def finish(self, steps):
        granted = Plan(steps, "", OLD, self._base)
        granted.perform()
        self._bound += granted.bound
        namespaces.leave_behind(OLD.encode())
        os.rmdir(OLD)
        namespaces.set_read_only(b"/")
        os.umask(0o022)

    def check(self):
        """Trusts the kernel's answer, not the calls made above."""
        for path in self._bound:
            if not os.statvfs(path).f_flag & os.ST_RDONLY:
                raise PermissionError("%s can be written to" % path)
        if os.path.lexists(OLD):
            raise PermissionError("what lies behind the root can be seen")
