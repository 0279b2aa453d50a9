"""Kernels: interpreters that execute the cells of one caller, for the first process.

The interpreter has one end of a socket. This process passes the request of a cell to it, and its
frames to the host. The kernel of the machine names the sender of each message: only messages of
the interpreter itself count, not those of processes that it started. A cell has named pipes of its
own for its output, and an own key for its frames, so whatever earlier cells have left behind
belongs to none of the later ones.
"""
import _socket
import os
import sys
import time

import commands
import skill_user

CHANNEL = 6
KEY_BYTES = 16
HEADER_BYTES = KEY_BYTES + 9
MAX_CONTENT = 1 << 20
RESULT, BEGUN = b"R", b"S"
CREDENTIALS_BYTES = 12
SCM_CREDENTIALS = 2
TICKS = os.sysconf("SC_CLK_TCK")


class Kernel(commands.Command):
    """The process of the interpreter. Its own streams carry what belongs to no cell."""

    def __init__(self, number, job, execute):
        super().__init__(number, job, execute)
        self.socket = None
        self.received = b""
        self.keys = set()
        self.linger = 0
        self.is_reported = False

    def start(self):
        self.socket, inside = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
        self.socket.setsockopt(_socket.SOL_SOCKET, _socket.SO_PASSCRED, 1)
        self.socket.setblocking(False)
        self.job["channel"] = inside.fileno()
        try:
            super().start()
        finally:
            inside.close()

    def describe_end(self):
        self.is_reported = True
        return super().describe_end()

    def receive(self):
        """Reads once; false if there is nothing now. Messages of other processes are dropped."""
        try:
            data, controls, _, _ = self.socket.recvmsg(commands.CHUNK, _socket.CMSG_SPACE(CREDENTIALS_BYTES))
        except OSError:
            return False
        if not data:
            return False
        if find_sender(controls) == self.pid:
            self.received += data
        return True

    def take_frame(self, key):
        """Returns the next frame with this key; None if it is incomplete. Frames of earlier cells
        are dropped. What is no frame is returned as it is: the host ends the kernel then.
        """
        while len(self.received) >= HEADER_BYTES:
            size = int.from_bytes(self.received[KEY_BYTES + 1:KEY_BYTES + 5], "big")
            found = self.received[:KEY_BYTES]
            if found not in self.keys or size > MAX_CONTENT:
                stray, self.received = self.received, b""
                return stray
            end = HEADER_BYTES + size
            if len(self.received) < end:
                return None
            frame, self.received = self.received[:end], self.received[end:]
            if found == key:
                return frame
        return None


def find_sender(controls):
    for level, kind, data in controls:
        if level == _socket.SOL_SOCKET and kind == SCM_CREDENTIALS:
            return int.from_bytes(data[:4], sys.byteorder)
    return None


class Frames:
    """The frames of a cell, read while the host accepts more."""

    opcode = CHANNEL

    def __init__(self, cell, credit):
        self.credit = credit
        self.is_over = False
        self.sent = 0
        self.remaining = None
        self._cell = cell
        self.fd = cell.kernel.socket.fileno()

    def read(self):
        """Returns all complete frames; None if there are none now."""
        if self.credit <= 0:
            return None
        kernel, frames = self._cell.kernel, []
        size = 0
        while not self.is_over and size < MAX_CONTENT:
            frame = kernel.take_frame(self._cell.key)
            if frame is not None:
                opcode = frame[KEY_BYTES:KEY_BYTES + 1] if frame[:KEY_BYTES] == self._cell.key else None
                if opcode == BEGUN:
                    self._cell.begin()
                    continue
                frames.append(frame)
                size += len(frame)
                if opcode == RESULT:
                    self.is_over = True
                    self._cell.complete()
            elif not kernel.receive():
                # After the end of the interpreter, nothing follows.
                self.is_over = self._cell.ended_at is not None
                break
        self.credit -= size
        self.sent += size
        return b"".join(frames) or None

    def limit_to_available(self):
        pass

    def is_done(self):
        return self.is_over


class Cell(commands.Command):
    """The execution of one piece of code. It ends with its result, or with the interpreter."""

    def __init__(self, number, job, kernel):
        super().__init__(number, job, None)
        self.kernel = kernel
        self.key = bytes.fromhex(job["key"])
        self.linger = 0
        self._writers = []
        self._begun_cpu_ms = 0
        self._has_begun = False
        self._pending_signals = []

    def start(self):
        if self.kernel is None or self.kernel.ended_at is not None:
            raise ProcessLookupError(3, "the interpreter has ended")
        self.pid = self.kernel.pid
        self.kernel.keys.add(self.key)
        self._begun_cpu_ms = read_cpu_ms(self.pid)
        credit = self.job["credit"]
        try:
            for path, opcode in zip(self.job["streams"], (commands.OUTPUT, commands.ERRORS)):
                reader, writer = skill_user.create_stream(lambda: open_named_pipe(path))
                self.outputs.append(commands.Output(reader, opcode, credit))
                # Keeps the stream open until the interpreter has opened it.
                self._writers.append(writer)
            self.input = os.dup(self.kernel.socket.fileno())
        except OSError:
            for each in self.close():
                os.close(each.fd)
            raise
        self.outputs.append(Frames(self, credit))

    def begin(self):
        """Delivers the signals that arrived before the interpreter executed the code."""
        self._has_begun = True
        for number in self._pending_signals:
            super().signal(number)
        self._pending_signals = []

    def signal(self, number):
        if not self._has_begun:
            self._pending_signals.append(number)
        elif self.ended_at is None:
            super().signal(number)

    def complete(self):
        """Ends the cell, whose interpreter goes on."""
        if self.ended_at is None:
            self.ended_at = time.monotonic()
            self.status = 0
            self.cpu_ms = read_cpu_ms(self.pid)

    def kill_others(self):
        # The host learns of the end of the interpreter first.
        return self.kernel.ended_at is not None and not self.kernel.is_reported

    def close(self):
        for fd in self._writers:
            os.close(fd)
        self._writers = []
        for path in self.job["streams"]:
            try:
                os.unlink(path)
            except OSError:
                # The interpreter removes it when it has opened it.
                pass
        streams, self.outputs = self.outputs[:2], []
        self._close_input()
        for each in streams:
            if each.is_over:
                os.close(each.fd)
        return [each for each in streams if not each.is_over]

    def describe_end(self):
        return {**super().describe_end(), "cpu_ms": max(0, self.cpu_ms - self._begun_cpu_ms)}


def open_named_pipe(path):
    os.mkfifo(path, 0o600)
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK), os.open(path, os.O_WRONLY | os.O_NONBLOCK)


def read_cpu_ms(pid):
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1000 // TICKS
    except OSError:
        return 0


def prepare_interpreter(job, channel, interpreter):
    """Passes the socket and the setup to the process that becomes the interpreter."""
    import foreign

    os.dup2(job["channel"], channel)
    setup = job["kernel"]
    fd = foreign.write_unlinked(setup, setup["folders"]["tmp"])
    os.dup2(fd, foreign.JOB)
    if fd != foreign.JOB:
        os.close(fd)
    command = setup.get("program")
    if command is None:
        executable = sys.executable if interpreter is None else interpreter[0]
        job["argv"] = [executable, *setup["python"]]
        job["env"] = foreign.build_library_path(setup)
    else:
        job["argv"] = command
        job["env"] = foreign.build_environment(setup)
    job["cwd"] = setup["folders"]["workspace"]
