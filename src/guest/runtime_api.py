"""The module that skills import as `runtime`: blobs and log."""
import json
import os
import re
import sys
import types

FOLDER = "/blobs"
PIECE = 1 << 20
PATTERN = re.compile(r"(?:blob:)?([0-9a-f]{32})\Z")


def _path_of(blob_id):
    match = PATTERN.match(blob_id) if isinstance(blob_id, str) else None
    path = os.path.join(FOLDER, match.group(1)) if match else None
    if path is None or not os.path.isfile(path):
        raise FileNotFoundError("Blob %r was not given to this run" % (blob_id,))
    return path


def _pieces_of(file):
    while True:
        piece = file.read(PIECE)
        if not piece:
            return
        yield piece


def make_blobs(channel):
    """Reads what was given to this run and what it made; everything made goes to the host."""

    def put(chunks, kind):
        name = os.urandom(16).hex()
        # Kept for reading back until the run ends; the host has its own copy.
        with open(os.path.join(FOLDER, name), "xb") as own:

            def both():
                for chunk in chunks:
                    own.write(chunk)
                    yield chunk

            channel.send_blob("blob:" + name, both(), kind)
        return "blob:" + name

    def path(blob_id):
        return _path_of(blob_id)

    def open_blob(blob_id):
        return open(_path_of(blob_id), "rb")

    def read_bytes(blob_id):
        with open_blob(blob_id) as file:
            return file.read()

    def read_text(blob_id):
        return read_bytes(blob_id).decode("utf-8")

    def read_json(blob_id):
        return json.loads(read_bytes(blob_id))

    def write_bytes(content, kind="application/octet-stream"):
        return put([memoryview(content).cast("B")], kind)

    def write_text(content, kind="text/plain"):
        return put([content.encode("utf-8")], kind)

    def write_json(obj, kind="application/json"):
        return put([json.dumps(obj, ensure_ascii=False).encode("utf-8")], kind)

    def write_file(file_path, kind="application/octet-stream"):
        with open(file_path, "rb") as file:
            return put(_pieces_of(file), kind)

    module = types.ModuleType("runtime.blobs")
    for each in (path, read_bytes, read_text, read_json):
        setattr(module, each.__name__, each)
    for each in (write_bytes, write_text, write_json, write_file):
        setattr(module, each.__name__, each)
    module.open = open_blob
    return module


def make_log():
    """Lines with a level among the run's logs."""
    module = types.ModuleType("runtime.log")

    def writer(level):
        def write(message):
            sys.stderr.write("[%s] %s\n" % (level, message))
            sys.stderr.flush()

        write.__name__ = level
        return write

    for level in ("debug", "info", "warning", "error"):
        setattr(module, level, writer(level))
    return module


def install(channel):
    runtime = types.ModuleType("runtime")
    runtime.__path__ = []
    runtime.blobs = make_blobs(channel)
    runtime.log = make_log()
    sys.modules["runtime"] = runtime
    sys.modules["runtime.blobs"] = runtime.blobs
    sys.modules["runtime.log"] = runtime.log
