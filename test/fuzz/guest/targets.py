"""Readers of the guest, and the expectations on them."""
import binascii
import json
import os
import struct

import channel
import guest_messages
import relay
import zygote

KEY = b"0123456789abcdef"


def frame(opcode, content):
    head = KEY + opcode + len(content).to_bytes(4, "big")
    return head + binascii.crc32(content).to_bytes(4, "big") + content


class Channel:
    """Answers of the host: anything else on the channel is an error, and never an answer."""

    SEEDS = (frame(b"D", b"hello"), frame(b"D", b""))
    WORDS = (KEY, b"D", frame(b"D", b"abc"), b"\0\0\0\0", b"\xff\xff\xff\xff")

    def __init__(self, is_planted):
        self._is_planted = is_planted

    def __call__(self, data):
        reader, writer = os.pipe()
        os.write(writer, data)
        os.close(writer)
        # The request is written to another file than the answer is read from.
        sink = os.open("/dev/null", os.O_WRONLY)
        answers = channel.Channel(sink, KEY)
        answers._read = lambda size: read_pipe(reader, size)
        try:
            content = answers.request(b"G", b"x")
        except OSError:
            content = None
        finally:
            os.close(reader)
            os.close(sink)
        if self._is_planted and data[:16] == KEY and data[16:17] != b"D":
            content = b"another frame"
        if content is not None:
            whole = data[: len(KEY) + 9 + len(content)]
            assert whole == frame(whole[16:17], content), "an answer is a whole frame"


def read_pipe(fd, size):
    parts = b""
    while len(parts) < size:
        part = os.read(fd, size - len(parts))
        if not part:
            raise OSError("closed")
        parts += part
    return parts


class Messages:
    """JSON of the host: the same values as the json package gives."""

    SEEDS = (b'{"a":[1,2.5,null,true,"\\u00e9"],"b":{}}', b'{"kind":"bind","source":"/a"}', b"[1,[],2]")
    WORDS = (b'"', b"{", b"}", b"[", b"]", b",", b":", b"1e999", b"NaN", b"\\ud800", b"-0", b"null")

    def __init__(self, is_planted):
        self._is_planted = is_planted

    def __call__(self, data):
        actual = attempt(guest_messages.decode, data)
        expected = attempt(json.loads, data)
        if self._is_planted and isinstance(actual, list) and len(actual) > 2:
            actual = actual[:2]
        # Text after the value, which the host never sends, is ignored.
        if expected is not None:
            assert repr(actual) == repr(expected), "%r is %r" % (actual, expected)
        if isinstance(actual, dict) and is_flat(actual):
            again = guest_messages.decode(guest_messages.encode(actual))
            assert again == actual, "%r is %r" % (again, actual)


def attempt(decode, data):
    try:
        return decode(data.strip())
    except (ValueError, StopIteration, RecursionError):
        return None


def is_flat(value):
    if isinstance(value, dict):
        return all(is_flat(each) for each in value.values())
    return value is None or isinstance(value, (bool, int, str))


class Relay:
    """Frames of the host to a container: each ends in order, whatever its length says."""

    SEEDS = (
        struct.pack(">BII", relay.DATA, relay.CONTROL, 4) + b"abcd",
        struct.pack(">BII", relay.CREDIT, relay.STDOUT, 4) + b"\0\0\1\0",
        struct.pack(">BII", relay.DATA, relay.STDIN, 3) + b"xyz" + struct.pack(">BII", relay.END, 5, 0),
        struct.pack(">BII", relay.RESET, relay.STDIN, 0),
    )
    WORDS = tuple(struct.pack(">BII", opcode, number, 0) for opcode in range(1, 12) for number in (1, 5, 16))

    def __init__(self, is_planted):
        self._is_planted = is_planted

    def __call__(self, data):
        before = len(os.listdir("/proc/self/fd"))
        tested = self._create()
        try:
            for part in (data[: len(data) // 2], data[len(data) // 2 :]):
                tested._received += part
                tested._take_frames()
        except (ValueError, IndexError, OSError):
            # The thread reports what failed, and ends the run.
            pass
        unread = len(tested._received)
        for stream in list(tested._streams.values()):
            tested._drop(stream)
        os.close(tested._input)
        os.close(tested._output)
        left = 1 if self._is_planted and unread > 8 else 0
        assert len(os.listdir("/proc/self/fd")) == before - left, "descriptors are closed"
        assert unread <= relay.HEADER + relay.MAX_FRAME, "the rest is less than a frame"
        assert len(tested._early) <= len(data), "control bytes are those of the host"

    def _create(self):
        tested = relay.Relay()
        reader, writer = os.pipe()
        os.close(reader)
        tested._streams[relay.STDIN] = relay.Stream(relay.STDIN, None, writer)
        reader, writer = os.pipe()
        os.close(writer)
        tested._streams[relay.STDOUT] = relay.Stream(relay.STDOUT, reader, None)
        outer, inner = relay._socket.socketpair(relay._socket.AF_UNIX, relay._socket.SOCK_STREAM)
        inner.close()
        tested._add(relay.CONTROL, outer.detach(), is_socket=True)
        return tested


class Zygote:
    """Numbers of the host and deaths of forks, in any order: each fork is reported once."""

    SEEDS = (
        b"F\0\0\0\1F\0\0\0\2DD",
        b"F\x40\0\0\1D",
        b"F\xc0\0\0\1FDDDD",
        b"F\0\0\0\1E\0\0\0\2D",
    )
    WORDS = (b"F\0\0\0\3", b"F\x40\0\0\4", b"E\0\0\0\5", b"D", b"DD", b"F\xff\xff\xff\xff")

    def __init__(self, is_planted):
        self._is_planted = is_planted

    def __call__(self, data):
        model = Model(data, self._is_planted)
        real = zygote.os, zygote.namespaces, zygote.open_listener, zygote.send
        zygote.os, zygote.namespaces, zygote.send = model, model, model.send
        zygote.open_listener = lambda number: model
        try:
            tested = object.__new__(zygote.Zygote)
            tested._guest, tested._first_user = None, 5000
            tested._fork_arguments = tested._first_arguments = None
            tested._processes, tested._runs, tested._first_processes = model, {}, {}
            model.drive(tested)
        finally:
            zygote.os, zygote.namespaces, zygote.open_listener, zygote.send = real
        model.check()


class Model:
    """Stands for the system: forks by counting, and never ends a real process."""

    WNOHANG = os.WNOHANG

    def __init__(self, data, is_planted):
        self._data = data
        self._is_planted = is_planted
        self._pid = 100
        self._alive = []
        self._fails = False
        self.lines = []
        self.killed = []

    def drive(self, tested):
        at = 0
        while at < len(self._data):
            opcode = self._data[at : at + 1]
            at += 1
            if opcode in (b"F", b"E"):
                number = int.from_bytes(self._data[at : at + 4].ljust(4, b"\1"), "big")
                at += 4
                self._fails = opcode == b"E"
                try:
                    tested._fork(number)
                except OSError as error:
                    reason = guest_messages.encode(error.strerror)
                    self.send(b'{"dead":%d,"why":%b}\n' % (number, reason))
            elif opcode == b"D" and self._alive:
                self._dying = [self._alive.pop(0)]
                tested._reap()
        while self._alive:
            self._dying = [self._alive.pop(0)]
            tested._reap()

    def check(self):
        messages = [json.loads(line) for line in b"".join(self.lines).splitlines()]
        made = [each["made"] for each in messages if "made" in each]
        ended = [each["dead"] for each in messages if "dead" in each]
        if self._is_planted and len(made) > 3:
            ended = ended[1:]
        for number in made:
            assert ended.count(number) >= 1, "the fork %d is reported as dead" % number
        assert all(pid >= 100 for pid in self.killed), "a signal has one receiver"

    def send(self, line):
        self.lines.append(line)

    def fork_into(self, _):
        if self._fails:
            raise OSError(11, "Resource temporarily unavailable")
        return self._add()

    def begin(self):
        return self._add()

    def _add(self):
        self._pid += 1
        self._alive.append(self._pid)
        return self._pid

    def leave(self):
        pass

    def close(self):
        pass

    def unlink(self, path):
        assert path.startswith("/door/"), path

    def kill(self, pid, _):
        self.killed.append(pid)

    def wait4(self, pid, _):
        if not self._dying:
            raise ChildProcessError
        used = os.wait3 and type("Used", (), {"ru_utime": 0.5, "ru_stime": 0.1})
        return self._dying.pop(), 0, used


TARGETS = {
    "guest-channel": Channel,
    "guest-messages": Messages,
    "guest-relay": Relay,
    "guest-zygote": Zygote,
}
