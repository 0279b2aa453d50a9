"""Frames to the host: key, kind, length, checksum, content. Stray bytes cannot look like one."""
import binascii
import json
import os
import threading

CHUNK = 256 * 1024


class Channel:
    def __init__(self, fd, key):
        self._fd = fd
        self._key = key
        self._lock = threading.Lock()
        os.set_inheritable(fd, False)

    def send(self, kind, content):
        head = self._key + kind + len(content).to_bytes(4, "big")
        head += binascii.crc32(content).to_bytes(4, "big")
        data = memoryview(head + content)
        with self._lock:
            while data:
                data = data[os.write(self._fd, data):]

    def send_json(self, kind, value):
        self.send(kind, json.dumps(value).encode("ascii"))

    def send_blob(self, blob_id, chunks, kind, is_output=False):
        self.send_json(b"B", {"id": blob_id, "kind": kind, "output": is_output})
        name = blob_id[5:].encode("ascii")
        for chunk in chunks:
            for start in range(0, len(chunk), CHUNK):
                self.send(b"C", name + bytes(chunk[start : start + CHUNK]))
        self.send(b"E", name)
