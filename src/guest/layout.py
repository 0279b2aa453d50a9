"""Makes the root of a run step by step, as the host describes it to every sandbox."""
import os

import namespaces
from namespaces import NO_DEVICES, NO_EXEC, NO_SUID

NEW = "/new"
OLD = "/.old"
ROOT_BYTES = 4 << 20


def make_folder(path, mode=0o755):
    """With those above it, which nobody but their maker writes to."""
    if not os.path.isdir(path):
        make_folder(os.path.dirname(path))
        os.mkdir(path, mode)
        os.chmod(path, mode)


def make_target(path, source):
    if os.path.isdir(source):
        return make_folder(path)
    make_folder(os.path.dirname(path))
    os.close(os.open(path, os.O_CREAT | os.O_RDONLY | os.O_CLOEXEC, 0o444))


class Layout:
    """In two parts: what all runs have alike, beside the zygote's own root, then what one was granted."""

    def __init__(self, user):
        self.top = NEW
        self.sources = ""
        self._user = user
        self._bound = []

    def begin(self):
        options = b"mode=0755,size=%d" % ROOT_BYTES
        namespaces.new_file_system(b"tmpfs", NEW.encode(), NO_SUID | NO_DEVICES, options)

    def enter(self):
        """From here on the zygote's root can be seen below `OLD` only, until `close`."""
        os.mkdir(NEW + OLD)
        namespaces.enter_root(NEW.encode(), OLD[1:].encode())
        self.top, self.sources = "", OLD

    def close(self):
        namespaces.leave_behind(OLD.encode())
        os.rmdir(OLD)

    def make(self, steps):
        for step in steps:
            getattr(self, "_" + step["kind"])(step)

    def _bind(self, step):
        source = self.sources + step["source"]
        target = self.top + step["target"]
        make_target(target, source)
        namespaces.bind(os.fsencode(source), os.fsencode(target))
        self._bound.append(step["target"])

    def _link(self, step):
        target = self.top + step["target"]
        make_folder(os.path.dirname(target))
        os.symlink(step["to"], target)

    def _folder(self, step):
        make_folder(self.top + step["target"])

    def _file(self, step):
        target = self.top + step["target"]
        make_folder(os.path.dirname(target))
        with open(target, "x", encoding="utf-8") as file:
            file.write(step["text"].replace("{user}", str(self._user)))
        os.chmod(target, 0o444)

    def _memory(self, step):
        target = self.top + step["target"]
        make_folder(target)
        options = b"mode=1777,size=%d" % step["bytes"]
        namespaces.new_file_system(b"tmpfs", os.fsencode(target), NO_SUID | NO_DEVICES, options)

    def _processes(self, step):
        top = os.fsencode(self.top)
        make_folder(self.top + "/proc")
        flags = NO_SUID | NO_DEVICES | NO_EXEC
        namespaces.new_file_system(b"proc", top + b"/proc", flags)
        namespaces.bind(top + b"/proc/sys", top + b"/proc/sys")
        namespaces.set_read_only(top + b"/proc/sys")
        null = os.fsencode(self.sources) + b"/dev/null"
        for path in step["hidden"]:
            namespaces.bind(null, top + os.fsencode(path))
            namespaces.set_read_only(top + os.fsencode(path))
        self._bound += ["/proc/sys", *step["hidden"]]

    def _devices(self, step):
        folder = self.top + "/dev"
        make_folder(folder)
        for name in step["names"]:
            source = self.sources + "/dev/" + name
            make_target(folder + "/" + name, source)
            namespaces.bind(os.fsencode(source), os.fsencode(folder + "/" + name))
        os.symlink("/proc/self/fd", folder + "/fd")
        for fd, name in enumerate(("stdin", "stdout", "stderr")):
            os.symlink("/proc/self/fd/%d" % fd, folder + "/" + name)
        if step["terminals"]:
            make_folder(folder + "/pts")
            options = b"newinstance,ptmxmode=0666,mode=620"
            target = os.fsencode(folder + "/pts")
            namespaces.new_file_system(b"devpts", target, NO_SUID | NO_EXEC, options)
            os.symlink("pts/ptmx", folder + "/ptmx")

    def _seal(self, step):
        """Folders that lie in the root are sealed with it, when the rest has been made."""

    def seal(self):
        namespaces.set_read_only(b"/")
        self._bound.append("/")

    def check(self):
        """Trusts the kernel's answer, not the calls made above."""
        for path in self._bound:
            if not os.statvfs(path).f_flag & os.ST_RDONLY:
                raise PermissionError("%s can be written to" % path)
        if os.path.lexists(OLD):
            raise PermissionError("what lies behind the root can be seen")
