"""Places the files of a run where the host can mount nothing, and returns the changed ones at its end. Its text is the first
message on stdin; the settings and an archive follow, and then the frames of the relay.

An entry of an archive is a type, a mode, the lengths of path and content, the path and the content.
"""
import json
import os
import stat
import sys

FOLDER, FILE, LINK, REMOVED, TOO_MUCH, END = (ord(each) for each in "dflrxe")
CHUNK = 1 << 18
OLDEST = (3, 9)


def unpack(read, root):
    while True:
        head = read(15)
        path_size, size = int.from_bytes(head[3:7], "big"), int.from_bytes(head[7:15], "big")
        if head[0] == END:
            return
        path = os.path.join(root, read(path_size))
        mode = int.from_bytes(head[1:3], "big")
        if head[0] == FOLDER:
            make_folder(path, mode)
        elif head[0] == LINK:
            os.symlink(read(size), path)
        else:
            write_file(read, path, mode, size)


def make_folder(path, mode):
    try:
        os.mkdir(path)
    except FileExistsError:
        # A link would lead elsewhere.
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise
        return
    os.chmod(path, mode)


def write_file(read, path, mode, size):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    while size > 0:
        data = memoryview(read(min(size, CHUNK)))
        size -= len(data)
        while data:
            data = data[os.write(fd, data):]
    os.fchmod(fd, mode)
    os.close(fd)


def list_entries(folder, left_out):
    """Lists what is below a folder, parents first, without following links."""
    try:
        names = sorted(os.listdir(folder))
    except PermissionError:
        try:
            os.chmod(folder, 0o700)
            names = sorted(os.listdir(folder))
        except OSError:
            return
    for name in names:
        path = os.path.join(folder, name)
        if path in left_out:
            continue
        status = os.lstat(path)
        yield path, status
        if stat.S_ISDIR(status.st_mode):
            yield from list_entries(path, left_out)


def describe(status):
    """Differs after a change; the times of a folder change with its entries, which are listed themselves."""
    mode = status.st_mode
    if stat.S_ISDIR(mode):
        return (mode,)
    return (mode, status.st_size, status.st_mtime_ns, status.st_ino)


class Placed:
    """The placed files of a run."""

    def __init__(self, settings):
        self.root = os.fsencode(settings["root"])
        self._is_removed = settings["isRemoved"]
        self._folders = [self._find(each) for each in settings["returned"]]
        self._left_out = {self._find(each) for each in settings["leftOut"]}
        self._max_bytes = settings["maxBytes"]
        self._max_entries = settings["maxEntries"]
        self._before = {}

    def _find(self, path):
        return self.root + os.fsencode(path)

    def _list(self):
        for folder in self._folders:
            yield from list_entries(folder, self._left_out)

    def remember(self):
        self._before = {path: describe(status) for path, status in self._list()}

    def adapt(self, job):
        """Finds programs by name where they have another path than on the host."""
        for name in ("argv", "program"):
            argv = job.get(name)
            if argv and os.path.isabs(argv[0]) and not os.path.exists(argv[0]):
                argv[0] = self._find_program(argv[0], job.get("env", {}).get("PATH", ""))

    def _find_program(self, path, folders):
        base = os.path.basename(path)
        for name in (base, base.rstrip("0123456789.")):
            for folder in (folders + ":" + os.environ.get("PATH", os.defpath)).split(":"):
                found = os.path.join(folder, name)
                if folder and os.access(found, os.X_OK) and os.path.isfile(found):
                    return found
        return path

    def give_back(self, write):
        """Writes an archive of what changed. No other process of the run is alive."""
        try:
            if self._folders:
                self._write_changes(write)
            write(encode_head(END))
        finally:
            self.remove()

    def _write_changes(self, write):
        after = list(self._list())
        changed = [(path, status) for path, status in after if self._before.get(path) != describe(status)]
        total = sum(status.st_size for _, status in changed if stat.S_ISREG(status.st_mode))
        if total > self._max_bytes or len(changed) > self._max_entries:
            return write(encode_head(TOO_MUCH))
        left = {path for path, _ in after}
        for path in self._before:
            if path not in left:
                write(encode_head(REMOVED, 0, len(self._relative(path))) + self._relative(path))
        for path, status in changed:
            self._write_entry(write, path, status)

    def _relative(self, path):
        return path[len(self.root) + 1 :]

    def _write_entry(self, write, path, status):
        mode = stat.S_IMODE(status.st_mode) & 0o777
        name = self._relative(path)
        if stat.S_ISDIR(status.st_mode):
            write(encode_head(FOLDER, mode, len(name)) + name)
        elif stat.S_ISLNK(status.st_mode):
            target = os.readlink(path)
            write(encode_head(LINK, 0, len(name), len(target)) + name + target)
        elif stat.S_ISREG(status.st_mode):
            fd = open_unlocked(path)
            if fd is None:
                return
            write(encode_head(FILE, mode, len(name), status.st_size) + name)
            copy(fd, status.st_size, write)
            os.close(fd)

    def remove(self):
        if not self._is_removed:
            return
        import shutil

        for folder, _, _ in os.walk(self.root):
            try:
                os.chmod(folder, 0o700)
            except OSError:
                pass
        shutil.rmtree(self.root, ignore_errors=True)


def open_unlocked(path):
    """Opens a file that the run may have locked; None if that is not possible."""
    for attempt in (1, 2):
        try:
            return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            try:
                os.chmod(path, 0o600)
            except OSError:
                return None
    return None


def copy(fd, size, write):
    while size > 0:
        data = os.read(fd, min(size, CHUNK))
        if not data:
            raise EOFError("a file became shorter")
        size -= len(data)
        write(data)


def encode_head(kind, mode=0, path_size=0, size=0):
    return bytes((kind,)) + mode.to_bytes(2, "big") + path_size.to_bytes(4, "big") + size.to_bytes(8, "big")


def main(read):
    if sys.version_info < OLDEST:
        sys.exit("python3 is version %d.%d here, and runs need 3.9 or newer" % sys.version_info[:2])
    settings = json.loads(read(int.from_bytes(read(4), "big")))
    placed = Placed(settings)
    try:
        if settings["isRemoved"]:
            os.mkdir(placed.root, 0o700)
        unpack(read, placed.root + b"/")
        placed.remember()
    except OSError as error:
        placed.remove()
        sys.exit("the files of the run could not be placed: %s" % error)
    sys.path.insert(0, os.fsdecode(placed.root) + "/guest")
    import pid1

    pid1.main_placed(placed)
