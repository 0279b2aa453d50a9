"""Runs the commands of a session for the first process: starts each on request, relays its streams
in frames over one socket, and ends it alone.

A frame is its length as four bytes, an opcode, the number of the command as four bytes, and a
payload. Output is sent as far as the host has given credit, so that a slow reader of one command
delays no other one.
"""
import _signal
import errno
import fcntl
import os
import select
import termios
import time

import guest_messages
import program
import session_processes
import skill_user
import waiting

START, INPUT, END_INPUT, RESIZE, SIGNAL, WAITING, KILL, CREDIT, FULL, ROOM = range(1, 11)
OUTPUT, ERRORS, INPUT_CREDIT, WAITS, ENDED = range(1, 6)
CHUNK = 65536
HEADER_BYTES = 9
# Grace period for the end of output that other processes of an ended command still hold open.
LINGER_SECONDS = 0.1
POLL_SECONDS = 0.01
# Discarded bytes per round of each stream that processes in the background hold open.
DISCARD_BYTES = 1 << 20


class Output:
    """A stream of a command, read only while the host accepts more."""

    def __init__(self, fd, opcode, credit):
        self.fd = fd
        self.opcode = opcode
        self.credit = credit
        self.is_over = False
        self.sent = 0
        # Bytes that belong to an ended command; the rest is of processes in the background.
        self.remaining = None
        os.set_blocking(fd, False)

    def read(self):
        """Returns bytes to send; None if there are none now."""
        size = min(CHUNK, self.credit if self.remaining is None else min(self.credit, self.remaining))
        if size <= 0:
            return None
        try:
            data = os.read(self.fd, size)
        except BlockingIOError:
            return None
        except OSError:
            # A terminal that no process has open any more.
            data = b""
        if not data:
            self.is_over = True
            return None
        self.credit -= len(data)
        self.sent += len(data)
        if self.remaining is not None:
            self.remaining -= len(data)
        return data

    def limit_to_available(self):
        buffer = bytearray(4)
        try:
            fcntl.ioctl(self.fd, termios.FIONREAD, buffer)
            self.remaining = int.from_bytes(buffer, "little")
        except OSError:
            self.remaining = 0

    def is_done(self):
        return self.is_over or self.remaining == 0

    def discard(self):
        """Reads output that no command owns; false at its end."""
        left = DISCARD_BYTES
        while left > 0:
            try:
                data = os.read(self.fd, CHUNK)
            except BlockingIOError:
                return True
            except OSError:
                data = b""
            if not data:
                os.close(self.fd)
                return False
            left -= len(data)
        return True


class Command:
    """One command, from its start until its end is reported."""

    def __init__(self, number, job, execute):
        self.number = number
        self.job = job
        self.pid = None
        self.terminal = None
        self.outputs = []
        self.input = None
        self.input_queue = []
        self.is_input_ending = False
        self.session_input = None
        self.ended_at = None
        self.is_killed = False
        # Its processes when it was asked to end: later, their parents may be gone.
        self.members = set()
        self.status = None
        self.cpu_ms = 0
        self.problem = b""
        self.errors = None
        self.linger = LINGER_SECONDS
        self._execute = execute

    def start(self):
        """Raises OSError if there is no room for another process or file."""
        opened = []
        try:
            files = self._open_terminal(opened) if self.job["terminal"] else self._open_pipes(opened)
            self.errors, error_writer = os.pipe()
            opened += [self.errors, error_writer]
            self.pid = os.fork()
        except OSError:
            for fd in opened:
                os.close(fd)
            self.outputs, self.input, self.terminal, self.errors = [], None, None, None
            raise
        if self.pid == 0:
            try:
                self._execute(self.job, files, error_writer)
            finally:
                os._exit(127)
        for fd in {*files, error_writer}:
            os.close(fd)
        os.set_blocking(self.errors, False)

    def _open_pipes(self, opened):
        if self.job["stdin"]:
            read_in, self.input = skill_user.create_stream(os.pipe)
            opened += [read_in, self.input]
            status = os.fstat(read_in)
            self.session_input = (status.st_dev, status.st_ino)
            os.set_blocking(self.input, False)
        else:
            read_in = os.open("/dev/null", os.O_RDONLY)
            opened.append(read_in)
        read_out, write_out = skill_user.create_stream(os.pipe)
        opened += [read_out, write_out]
        read_err, write_err = skill_user.create_stream(os.pipe)
        opened += [read_err, write_err]
        credit = self.job["credit"]
        self.outputs = [Output(read_out, OUTPUT, credit), Output(read_err, ERRORS, credit)]
        return read_in, write_out, write_err

    def _open_terminal(self, opened):
        self.terminal, inside = skill_user.create_stream(os.openpty)
        opened += [self.terminal, inside]
        self.resize(*self.job["terminal"])
        mode = termios.tcgetattr(inside)
        # IUTF8: the line discipline edits by UTF-8 characters.
        mode[0] |= 0x4000
        termios.tcsetattr(inside, termios.TCSANOW, mode)
        self.session_input = os.fstat(inside).st_rdev
        self.input = os.dup(self.terminal)
        opened.append(self.input)
        self.outputs = [Output(self.terminal, OUTPUT, self.job["credit"])]
        return (inside,)

    def resize(self, columns, rows):
        if self.terminal is None:
            return
        size = b"".join(each.to_bytes(2, "little") for each in (rows, columns, 0, 0))
        try:
            fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, size)
        except OSError:
            pass

    def write_input(self):
        """Writes queued input; returns the written bytes."""
        written = 0
        while self.input is not None and self.input_queue:
            try:
                count = os.write(self.input, self.input_queue[0])
            except BlockingIOError:
                return written
            except OSError:
                # Nothing reads it any more.
                written += sum(map(len, self.input_queue))
                self._close_input()
                return written
            written += count
            rest = self.input_queue[0][count:]
            self.input_queue[:1] = [rest] if rest else []
        if self.input is not None and self.is_input_ending:
            self._end_input()
        return written

    def _end_input(self):
        if self.terminal is None:
            return self._close_input()
        self.is_input_ending = False
        try:
            os.write(self.input, termios.tcgetattr(self.terminal)[6][termios.VEOF])
        except OSError:
            pass

    def _close_input(self):
        if self.input is not None:
            os.close(self.input)
        self.input = None
        self.input_queue = []

    def read_problem(self):
        """Reads why the program did not start, until it has started."""
        try:
            data = os.read(self.errors, 64)
        except BlockingIOError:
            return
        self.problem += data
        if not data:
            os.close(self.errors)
            self.errors = None

    def signal(self, number):
        if number == _signal.SIGTERM and self.ended_at is None:
            self.members |= session_processes.find_members(self.pid)
        try:
            os.killpg(self.pid, number)
        except OSError:
            pass

    def kill_others(self):
        """Kills its processes if it was asked to end; true if there were some."""
        has_obeyed = bool(self.members) and self.ended_at is not None
        return (self.is_killed or has_obeyed) and session_processes.kill_all(self.pid, self.members)

    def close(self):
        """Closes everything except the outputs that processes in the background may hold open."""
        self._close_input()
        if self.errors is not None:
            os.close(self.errors)
            self.errors = None
        kept = []
        for each in self.outputs:
            if each.is_over:
                os.close(each.fd)
            else:
                kept.append(each)
        return kept

    def describe_end(self):
        status = self.status
        message = {
            "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
            "cpu_ms": self.cpu_ms,
        }
        if self.problem:
            step, _, number = self.problem.decode("ascii").partition(" ")
            message["not_started"] = describe_problem(step, int(number))
        return message


def describe_problem(step, number):
    return {"step": step, "error": errno.errorcode.get(number, str(number))}


class CommandHost:
    """Serves the requests of the host until it disconnects."""

    def __init__(self, channel, control, defaults, execute):
        self._channel = channel
        self._control = control
        self._defaults = defaults
        self._execute = execute
        self._commands = {}
        self._background = []
        self._is_full = False
        self._received = b""
        self._outgoing = []
        for fd in (channel, control):
            os.set_blocking(fd, False)

    def serve(self):
        wake_reader, wake_writer = os.pipe()
        for fd in (wake_reader, wake_writer):
            os.set_blocking(fd, False)
        _signal.signal(_signal.SIGCHLD, lambda *_: None)
        _signal.set_wakeup_fd(wake_writer, warn_on_full_buffer=False)
        while True:
            ready = self._wait(wake_reader)
            if wake_reader in ready:
                os.read(wake_reader, 4096)
            if self._control in ready and not os.read(self._control, 4096):
                return
            if self._channel in ready and not self._receive():
                return
            self._reap()
            self._relay()
            self._discard(ready)
            if not self._send():
                return

    def _wait(self, wake_reader):
        poll = select.poll()
        poll.register(wake_reader, select.POLLIN)
        poll.register(self._control, select.POLLIN)
        poll.register(self._channel, select.POLLIN | (select.POLLOUT if self._outgoing else 0))
        is_ending = False
        for each in self._commands.values():
            is_ending = is_ending or each.ended_at is not None or each.is_killed
            for output in each.outputs:
                if not output.is_done() and output.credit > 0:
                    poll.register(output.fd, select.POLLIN)
            if each.input is not None and each.input_queue:
                poll.register(each.input, select.POLLOUT)
            if each.errors is not None:
                poll.register(each.errors, select.POLLIN)
        for output in self._background:
            poll.register(output.fd, select.POLLIN)
        return {fd for fd, _ in poll.poll(POLL_SECONDS * 1000 if is_ending else None)}

    def _reap(self):
        while True:
            try:
                pid, status, used = os.wait3(os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            for each in self._commands.values():
                if each.pid == pid and each.ended_at is None:
                    each.status = status
                    each.cpu_ms = round((used.ru_utime + used.ru_stime) * 1000)
                    each.ended_at = time.monotonic()

    def _relay(self):
        for each in list(self._commands.values()):
            if each.errors is not None:
                each.read_problem()
            written = each.write_input()
            if written > 0:
                self._queue(INPUT_CREDIT, each, written.to_bytes(4, "big"))
            for output in each.outputs:
                data = None if output.is_done() else output.read()
                if data:
                    self._queue(output.opcode, each, data)
            if self._has_ended(each):
                self._finish(each)

    def _has_ended(self, command):
        if command.kill_others():
            return False
        if command.ended_at is None:
            return False
        if command.is_killed or time.monotonic() - command.ended_at >= command.linger:
            for output in command.outputs:
                if output.remaining is None:
                    output.limit_to_available()
        return all(output.is_done() for output in command.outputs)

    def _finish(self, command):
        del self._commands[command.number]
        self._background += command.close()
        self._queue(ENDED, command, guest_messages.encode(command.describe_end()))

    def _discard(self, ready):
        self._background = [each for each in self._background if each.fd not in ready or each.discard()]

    def _queue(self, opcode, command, payload):
        self._queue_for(opcode, command.number, payload)

    def _queue_for(self, opcode, number, payload):
        header = (len(payload) + 5).to_bytes(4, "big") + bytes((opcode,)) + number.to_bytes(4, "big")
        self._outgoing.append(header + payload)

    def _send(self):
        while self._outgoing:
            try:
                count = os.write(self._channel, self._outgoing[0])
            except BlockingIOError:
                return True
            except OSError:
                return False
            rest = self._outgoing[0][count:]
            self._outgoing[:1] = [rest] if rest else []
        return True

    def _receive(self):
        try:
            data = os.read(self._channel, CHUNK)
        except BlockingIOError:
            return True
        if not data:
            return False
        self._received += data
        while len(self._received) >= HEADER_BYTES:
            end = 4 + int.from_bytes(self._received[:4], "big")
            if len(self._received) < end:
                break
            frame, self._received = self._received[4:end], self._received[end:]
            self._handle(frame[0], int.from_bytes(frame[1:5], "big"), frame[5:])
        return True

    def _handle(self, opcode, number, payload):
        if opcode == START:
            return self._start(number, guest_messages.decode(payload))
        if opcode in (FULL, ROOM):
            self._is_full = opcode == FULL
            return session_processes.limit_files(self._is_full)
        command = self._commands.get(number)
        if command is None:
            # It has ended meanwhile.
            if opcode == WAITING:
                self._queue_for(WAITS, number, b"null")
        elif opcode == INPUT:
            command.input_queue.append(payload)
            if command.input is None:
                command.input_queue = []
                self._queue(INPUT_CREDIT, command, len(payload).to_bytes(4, "big"))
        elif opcode == END_INPUT:
            command.is_input_ending = True
        elif opcode == RESIZE:
            command.resize(int.from_bytes(payload[:2], "big"), int.from_bytes(payload[2:], "big"))
        elif opcode == SIGNAL:
            command.signal(payload[0])
        elif opcode == KILL:
            command.is_killed = True
        elif opcode == CREDIT:
            for output in command.outputs:
                if output.opcode == payload[0]:
                    output.credit += int.from_bytes(payload[1:], "big")
        elif opcode == WAITING:
            self._queue(WAITS, command, guest_messages.encode_value(self._waits_after(command)).encode())

    def _create(self, number, job):
        if "cell" in job:
            import kernels

            return kernels.Cell(number, job["cell"], self._commands.get(job["cell"]["kernel"]))
        if job.get("kernel"):
            import kernels

            return kernels.Kernel(number, {**job, **self._defaults}, self._execute)
        job = {**self._defaults, **job}
        if self._is_full:
            job["limits"] = {**job["limits"], "FSIZE": (0, job["limits"]["FSIZE"][1])}
        return Command(number, job, self._execute)

    def _start(self, number, job):
        command = self._create(number, job)
        try:
            command.start()
        except OSError as error:
            problem = describe_problem("fork", error.errno or errno.EAGAIN)
            message = {"exit": None, "signal": None, "cpu_ms": 0, "not_started": problem}
            return self._queue(ENDED, command, guest_messages.encode(message))
        self._commands[number] = command

    def _waits_after(self, command):
        """Returns the bytes that were printed before it began to wait for input; None if it does
        not wait.
        """
        if not waiting.is_waiting(command.pid, command.session_input):
            return None
        for output in command.outputs:
            while not output.is_done():
                data = output.read()
                if not data:
                    break
                self._queue(output.opcode, command, data)
            # The host may not accept more at the moment.
            if output.credit <= 0:
                return None
        return sum(each.sent for each in command.outputs)
