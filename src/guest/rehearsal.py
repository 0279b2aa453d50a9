"""Performs sample runs in the zygote before the first real run.

Python stores specialised bytecode next to the code as it runs. Without a rehearsal, each fork
would specialise it again and copy every such page. A rehearsal leaves no other state.
"""
import _socket
import builtins
import json
import os
import sys

import guest_messages
import harness
from channel import Channel

# Python specialises code only after several calls.
TIMES = 10
SECRET = bytes(16)
NAME, ENTRYPOINT = "guest", "rehearsed.py"
FOLDERS = {"workspace": "/", "tmp": "/", "blobs": "/", "skills": os.path.dirname(harness.GUEST[:-1])}
SKILL = {"kind": "skill", "skill": NAME, "entrypoint": ENTRYPOINT, "export": "main", "hint": ""}
CODE = {"kind": "code", "code": "def main(args):\n    return args\n", "export": "main", "hint": ""}


def rehearse():
    for _ in range(TIMES):
        for entry in (SKILL, CODE):
            perform(entry)


def perform(entry):
    host_end, guest_end = _socket.socketpair()
    restore = capture_state()
    result = harness.perform(build_job(entry), Channel(host_end.fileno(), SECRET))
    restore()
    Channel(host_end.fileno(), SECRET).send_json(b"R", result)
    host_end.close()
    guest_end.close()
    if "error" in result:
        raise RuntimeError("a rehearsal failed: %s" % result["error"]["message"])


def build_job(entry):
    job = {
        "entry": entry,
        "args": {"text": "a", "number": 1, "list": [None, True, 0.5]},
        "skills": [{"name": NAME, "entrypoint": ENTRYPOINT}] if entry is SKILL else [],
        "folders": FOLDERS,
        "env": {"NAME": "value"},
        "paths": [],
        "limits": {},
        "key": SECRET.hex(),
        "blob_secret": SECRET.hex(),
    }
    return guest_messages.decode(json.dumps(job).encode())


def capture_state():
    """Returns a function that restores the state from before a run."""
    environment, modules = dict(os.environ), set(sys.modules)
    importer = builtins.__import__
    lists = [(each, list(each)) for each in (sys.path, sys.meta_path, sys.argv)]

    def restore():
        builtins.__import__ = importer
        for each, saved in lists:
            each[:] = saved
        os.environ.clear()
        os.environ.update(environment)
        for name in set(sys.modules) - modules:
            del sys.modules[name]
        harness.linecache.cache.pop(harness.CODE_FILE, None)

    return restore
