"""The module `runtime.blobs`: large values by handle, read and written as a stream."""
import io
import json
import os
import re
import threading
import types

from channel import CHUNK, MAX_CONTENT

FOLDER = "/blobs"
# Bytes of new blobs that are also kept in /blobs; others are read back from the host.
MAX_COPIED_BYTES = 16 << 20
ID = re.compile(r"(?:blob:)?([0-9a-f]{32})\Z")
MIME_TYPE = re.compile(r"[\w.+-]{1,64}/[\w.+-]{1,64}(?:;[ \w.+=-]{1,64})?\Z", re.ASCII)


def derive_name(secret, number):
    """Derives the same name as the host, so a skill cannot choose the id of a blob."""
    # A slow import, and most runs write no blob.
    import hashlib

    return hashlib.sha256(secret + number.to_bytes(4, "big")).hexdigest()[:32]


class Drafts:
    """The blobs of this run, by name."""

    def __init__(self):
        self.channel = None
        self.sizes = {}
        self.numbers = {}
        self.kept = 0
        self._secret = None
        self._lock = threading.Lock()

    def open(self, channel, secret):
        self.channel = channel
        self._secret = secret
        self.sizes = {}
        self.numbers = {}

    def begin(self, kind, is_output=False):
        if not isinstance(kind, str) or not MIME_TYPE.match(kind):
            raise ValueError("Expected a MIME type such as text/csv for kind, got %r" % (kind,))
        if not self.channel.is_own():
            raise RuntimeError("Only the process that the run started in can write blobs")
        with self._lock:
            number = len(self.numbers)
            name = derive_name(self._secret, number)
            self.numbers[name] = number
            self.channel.send_json(b"B", {"number": number, "kind": kind, "output": is_output})
        return name

    def store(self, kind, pieces, is_output=False):
        writer = Writer(self, kind, is_output)
        try:
            for piece in pieces:
                writer.write(piece)
        except BaseException:
            writer.abort()
            raise
        writer.close()
        return writer.blob_id


class Writer(io.RawIOBase):
    """A blob that is being written. It is stored only if it is closed without an error."""

    def __init__(self, drafts, kind, is_output=False):
        super().__init__()
        self._drafts = drafts
        self._name = drafts.begin(kind, is_output)
        self._number = drafts.numbers[self._name].to_bytes(4, "big")
        self._size = 0
        self._ended = False
        self._copy = None if is_output else _create(self._name)
        self.blob_id = "blob:" + self._name

    def writable(self):
        return True

    def write(self, content):
        view = memoryview(content).cast("B")
        for start in range(0, len(view), CHUNK):
            piece = view[start : start + CHUNK]
            self._drafts.channel.send(b"C", self._number, piece)
            self._keep_copy(piece)
        self._size += len(view)
        return len(view)

    def _keep_copy(self, piece):
        if self._copy is None:
            return
        drafts = self._drafts
        drafts.kept += len(piece)
        try:
            if drafts.kept > MAX_COPIED_BYTES or self._copy.write(piece) != len(piece):
                raise OSError("enough is kept")
        except OSError:
            drafts.kept -= self._copy.tell() + len(piece)
            self._drop_copy()

    def _drop_copy(self):
        copy, self._copy = self._copy, None
        if copy is not None:
            copy.close()
            _remove(self._name)

    def close(self):
        if self._ended:
            return
        self._ended = True
        super().close()
        self._drafts.channel.send(b"E", self._number)
        self._drafts.sizes[self._name] = self._size
        if self._copy is not None:
            try:
                self._copy.close()
                os.symlink(self._name, os.path.join(FOLDER, self.blob_id))
            except OSError:
                self._drop_copy()

    def abort(self):
        if self._ended:
            return
        self._ended = True
        super().close()
        self._drop_copy()
        self._drafts.channel.send(b"A", self._number)

    def __exit__(self, error_type, error, trace):
        self.abort() if error_type else self.close()


class Reader(io.RawIOBase):
    """A blob of this run without a local copy, read back from the host in chunks."""

    def __init__(self, drafts, name):
        super().__init__()
        self._drafts = drafts
        self._size = drafts.sizes[name]
        self._number = drafts.numbers[name].to_bytes(4, "big")
        self._at = 0

    def readable(self):
        return True

    def seekable(self):
        return True

    def seek(self, offset, whence=os.SEEK_SET):
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        if base + offset < 0:
            raise ValueError("Cannot seek before the beginning")
        self._at = base + offset
        return self._at

    def tell(self):
        return self._at

    def readinto(self, buffer):
        view = memoryview(buffer).cast("B")
        size = min(len(view), max(0, self._size - self._at), MAX_CONTENT)
        if size == 0:
            return 0
        at = self._at.to_bytes(8, "big")
        data = self._drafts.channel.request(b"G", self._number, at, size.to_bytes(4, "big"))
        if len(data) != size:
            raise OSError("The runtime could not read the blob back")
        view[:size] = data
        self._at += size
        return size


class _TextWriter(io.TextIOWrapper):
    def __init__(self, raw):
        super().__init__(io.BufferedWriter(raw, CHUNK), encoding="utf-8", newline="")
        self._raw = raw
        self.blob_id = raw.blob_id

    def __exit__(self, error_type, error, trace):
        if error_type:
            self._raw.abort()
        else:
            self.close()


class _BytesWriter(io.BufferedWriter):
    def __init__(self, raw):
        super().__init__(raw, CHUNK)
        self.blob_id = raw.blob_id

    def __exit__(self, error_type, error, trace):
        if error_type:
            self.raw.abort()
        else:
            self.close()


def _create(name):
    try:
        return open(os.path.join(FOLDER, name), "xb", buffering=0)
    except OSError:
        return None


def _remove(name):
    try:
        os.unlink(os.path.join(FOLDER, name))
    except OSError:
        pass


def _read_chunks(file):
    while True:
        piece = file.read(CHUNK)
        if not piece:
            return
        yield piece


def _parse_name(blob_id):
    match = ID.match(blob_id) if isinstance(blob_id, str) else None
    return match.group(1) if match else None


def make_blobs(drafts):
    """Reads blobs that were passed to this run or created by it. All new blobs go to the host."""

    def open_raw(blob_id):
        name = _parse_name(blob_id)
        file = os.path.join(FOLDER, name or "?")
        if name is not None and os.path.isfile(file):
            return io.open(file, "rb")
        if name in drafts.sizes:
            return io.BufferedReader(Reader(drafts, name), CHUNK)
        raise FileNotFoundError("Blob %r is not an input of this run" % (blob_id,))

    def path(blob_id):
        """Returns a read-only file with the content of a blob."""
        with open_raw(blob_id) as source:
            name = _parse_name(blob_id)
            file = os.path.join(FOLDER, name)
            if not os.path.isfile(file):
                try:
                    with io.open(file, "xb") as copy:
                        for piece in _read_chunks(source):
                            copy.write(piece)
                except BaseException:
                    _remove(name)
                    raise
        return file

    def open_blob(blob_id=None, mode="rb", kind=None):
        """Opens a blob for reading ("rb", "r") or a new one for writing ("wb", "w")."""
        if mode in ("rb", "r"):
            file = open_raw(blob_id)
            return file if mode == "rb" else io.TextIOWrapper(file, encoding="utf-8")
        if mode not in ("wb", "w"):
            raise ValueError('Expected the mode "r", "rb", "w" or "wb", got %r' % (mode,))
        if blob_id is not None:
            raise ValueError("Blobs never change: leave the id out to write a new one")
        if mode == "wb":
            return _BytesWriter(Writer(drafts, kind or "application/octet-stream"))
        return _TextWriter(Writer(drafts, kind or "text/plain"))

    def read_bytes(blob_id):
        """Returns the content of a blob."""
        with open_raw(blob_id) as file:
            return file.read()

    def read_text(blob_id):
        """Returns the content of a blob as text (UTF-8)."""
        return read_bytes(blob_id).decode("utf-8")

    def read_json(blob_id):
        """Returns the content of a blob, parsed as JSON."""
        return json.loads(read_bytes(blob_id))

    def write_bytes(content, kind="application/octet-stream"):
        """Stores bytes as a new blob and returns its id."""
        return drafts.store(kind, [content])

    def write_text(content, kind="text/plain"):
        """Stores a string (UTF-8) as a new blob and returns its id."""
        if not isinstance(content, str):
            raise TypeError("Expected a string, got %s" % type(content).__name__)
        return drafts.store(kind, [content.encode("utf-8")])

    def write_json(obj, kind="application/json"):
        """Stores a value as JSON in a new blob and returns its id."""
        text = json.dumps(obj, ensure_ascii=False, allow_nan=False)
        return drafts.store(kind, [text.encode("utf-8")])

    def write_file(file_path, kind="application/octet-stream"):
        """Stores a file as a new blob and returns its id."""
        with io.open(file_path, "rb") as file:
            return drafts.store(kind, _read_chunks(file))

    module = types.ModuleType("runtime.blobs", "Large values by handle.")
    reading = (path, read_bytes, read_text, read_json)
    for each in reading + (write_bytes, write_text, write_json, write_file):
        setattr(module, each.__name__, each)
    module.open = open_blob
    return module
