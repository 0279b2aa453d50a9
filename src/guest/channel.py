"""Frames to and from the host: key, opcode, length, checksum, content. Stray bytes cannot be
mistaken for a frame.
"""
import binascii
import json
import os
import threading

KEY_BYTES = 16
CHUNK = 256 * 1024
MAX_CONTENT = 1 << 20


class Channel:
    """The channel of one process: frames of two processes would interleave."""

    def __init__(self, fd, key):
        self._fd = fd
        self._key = key
        self._owner = os.getpid()
        self._lock = threading.RLock()
        os.set_inheritable(fd, False)

    def is_own(self):
        return os.getpid() == self._owner

    def send(self, opcode, *parts):
        content = b"".join(parts)
        header = self._key + opcode + len(content).to_bytes(4, "big")
        data = memoryview(header + binascii.crc32(content).to_bytes(4, "big") + content)
        with self._lock:
            while data:
                data = data[os.write(self._fd, data):]

    def send_json(self, opcode, value):
        self.send(opcode, json.dumps(value).encode("ascii"))

    def request(self, opcode, *parts):
        """Sends a request and waits for the host's response."""
        with self._lock:
            self.send(opcode, *parts)
            header = self._read(KEY_BYTES + 9)
            size = int.from_bytes(header[KEY_BYTES + 1 : KEY_BYTES + 5], "big")
            if header[:KEY_BYTES] != self._key or size > MAX_CONTENT:
                raise OSError("The channel to the runtime was written to by something else")
            content = self._read(size)
            if binascii.crc32(content) != int.from_bytes(header[KEY_BYTES + 5 :], "big"):
                raise OSError("The channel to the runtime was written to by something else")
            return content

    def _read(self, size):
        parts = []
        while size > 0:
            part = os.read(self._fd, size)
            if not part:
                raise OSError("The channel to the runtime is closed")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
