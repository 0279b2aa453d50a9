"""All streams of a container over its stdin and stdout, for engines whose sockets and processes
are not on the host, such as one in a virtual machine.

The first process runs this in a thread: no process of a skill can signal it, read its memory or
open its descriptors. It accepts connections on the listening sockets of the sandbox and passes
them on; only the host knows the destinations and decides on them.

A frame is an opcode, the number of a stream, a length and content. Each stream has a window: the
reader grants more bytes when it has used the previous ones.

An engine may discard output that it has not passed on when a container exits with unread input. So
the relay sends a last frame, and the process exits only after the host has confirmed that frame.
"""
import _socket
import _thread
import os
import select

import group_status
import guest_messages
import skill_user

HELLO = b"skills-relay-1\n"
DATA, CREDIT, END, RESET, OPEN, DATAGRAM, WATCH, STATUS, UNBOUND, FILES, DONE = range(1, 12)
CONTROL, CHANNEL, STDOUT, STDERR, STDIN = range(1, 6)
FIRST_CONNECTION = 16
HEADER = 9
WINDOW = 256 * 1024
CONNECTION_WINDOW = 64 * 1024
CHUNK = 64 * 1024
MAX_FRAME = 1 << 20
# Bytes that wait for the host; beyond them, nothing more is read from processes.
MAX_QUEUED = 1 << 20
MAX_CONNECTIONS = 160
MAX_DATAGRAM = 512
STATUS_MS = 50


class Stream:
    """One pair of directions between the host and a descriptor of the sandbox."""

    def __init__(self, number, source, target):
        self.number = number
        # The same descriptor for a socket; None for a direction that is over or does not exist.
        self.source = source
        self.target = target
        self.window = WINDOW if number < FIRST_CONNECTION else CONNECTION_WINDOW
        self.credit = self.window
        self.pending = bytearray()
        self.used = 0
        self.ends_after_pending = False
        for fd in {source, target} - {None}:
            os.set_blocking(fd, False)


class Relay:
    def __init__(self):
        self._input = os.dup(0)
        self._output = os.dup(1)
        self._received = bytearray()
        self._queued = bytearray(HELLO)
        self._early = bytearray()
        self._streams = {}
        self._listeners = {}
        self._names = {}
        self._sockets = {}
        self._next = FIRST_CONNECTION
        self._ends = []
        self._status = None
        self._watched = []
        self._is_watching = False
        self._exit_code = None
        self._must_report = False
        self._is_running = False
        self._is_done = False
        self._is_confirmed = False
        # Called with a function that writes, after the last frame.
        self.at_end = None

    def start_streams(self, control, channel):
        """Replaces the descriptors of the first process by streams."""
        for number, fd in ((CONTROL, control), (CHANNEL, channel)):
            outer, inner = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
            self._add(number, outer.detach(), is_socket=True)
            self._move(inner.detach(), fd)
        self._add_output(STDOUT, 1)
        reader, writer = skill_user.create_stream(os.pipe)
        self._streams[STDIN] = Stream(STDIN, None, writer)
        self._move(reader, 0)
        self._flush()

    def _add_output(self, number, fd):
        reader, writer = skill_user.create_stream(os.pipe)
        self._streams[number] = Stream(number, reader, None)
        self._move(writer, fd)

    def _move(self, fd, to):
        os.dup2(fd, to)
        os.close(fd)

    def _add(self, number, fd, is_socket=False):
        self._streams[number] = Stream(number, fd, fd)
        if is_socket:
            self._sockets[number] = _socket.socket(fileno=fd)

    def read_control(self, size):
        """Reads from the control stream before the thread runs."""
        while len(self._early) < size:
            data = os.read(self._input, CHUNK)
            if not data:
                raise EOFError("the host closed the stream")
            self._received += data
            self._take_frames()
        data = bytes(self._early[:size])
        del self._early[:size]
        return data

    def bind(self, wanted, addresses):
        """Binds the sockets of the network. The host identifies them by index."""
        import listeners

        for number, address in enumerate(addresses):
            try:
                listeners.add_address(number, address)
            except OSError as error:
                text = _socket.inet_ntoa(address.to_bytes(4, "big"))
                self._report_unbound("address %s: %s" % (text, error.strerror))
        for number, (kind, port) in enumerate(wanted):
            try:
                listener = listeners.bind(kind, port)[1]
            except OSError as error:
                # The proxy reaches all allowed destinations, so a run without it has no network.
                if kind == listeners.PROXY:
                    raise OSError("the proxy has no port: %s" % error.strerror) from None
                self._report_unbound("port %d: %s" % (port, error.strerror))
                continue
            listener.setblocking(False)
            is_datagram = kind in (listeners.NAMES, listeners.DATAGRAMS)
            sockets = self._names if is_datagram else self._listeners
            sockets[listener.fileno()] = (number, listener)

    def _report_unbound(self, text):
        self._send(UNBOUND, 0, text.encode())

    def descriptors(self):
        """Descriptors that no child may keep."""
        fds = {self._input, self._output, *self._listeners, *self._names}
        for stream in self._streams.values():
            fds.update({stream.source, stream.target} - {None})
        return fds

    def is_running(self):
        return self._is_running

    def run(self):
        """Starts the thread, which inherits the restrictions of this one. Until now, errors of this
        process went to the engine.
        """
        self._add_output(STDERR, 2)
        control = self._streams[CONTROL]
        control.pending += self._early
        os.set_blocking(self._input, False)
        os.set_blocking(self._output, False)
        self._is_running = True
        _thread.start_new_thread(self._follow, ())

    def leave(self, code, control, others):
        """Passes on the last output and ends this process. All other processes are dead."""
        if self._is_watching:
            self._must_report = True
        self._exit_code = code
        # Another thread reads from it, so closing it would not end it.
        connection = _socket.socket(fileno=control)
        connection.shutdown(_socket.SHUT_WR)
        connection.detach()
        for fd in others:
            os.close(fd)
        while True:
            select.poll().poll(1000)

    def _follow(self):
        try:
            while True:
                self._step()
        except BaseException as error:
            self._report_failure("%s: %s" % (type(error).__name__, error))
        finally:
            os._exit(75)

    def _report_failure(self, text):
        message = guest_messages.encode({"failure": "the relay failed: " + text}) + b"\n"
        self._send(DATA, CONTROL, message)
        self._write_queued()

    def _write_queued(self):
        os.set_blocking(self._output, True)
        while self._queued:
            del self._queued[: os.write(self._output, self._queued[:CHUNK])]

    def _finish(self):
        """Sends the last frame of all streams, and waits until the host has it or is gone."""
        self._send(DONE, 0)
        self._write_queued()
        self._is_done = True
        os.set_blocking(self._input, True)
        # Frames that were on the way are still unread.
        while not self._is_confirmed:
            data = os.read(self._input, CHUNK)
            if not data:
                return
            self._received += data
            self._take_frames()

    def _end(self, code):
        if self.at_end is not None:
            self.at_end(self._write_after_frames)
        os._exit(code)

    def _write_after_frames(self, data):
        if self._queued is not None:
            self._send(FILES, 0)
            self._write_queued()
            self._queued = None
        data = memoryview(data)
        while data:
            data = data[os.write(self._output, data):]

    def _step(self):
        if self._exit_code is not None:
            if self._must_report:
                self._must_report = False
                self._send_status()
            if self._is_drained():
                self._finish()
                self._end(self._exit_code)
        waits = self._is_watching or self._exit_code is not None
        ready = self._poll(STATUS_MS if waits else 1000)
        if self._input in ready:
            data = os.read(self._input, CHUNK)
            # The host is gone, or ends the run.
            if not data:
                self._end(75)
            self._received += data
            self._take_frames()
        for stream in list(self._streams.values()):
            if stream.target in ready:
                self._write(stream)
            if stream.source in ready and stream.credit > 0 and len(self._queued) < MAX_QUEUED:
                self._read(stream)
        for fd in ready & self._listeners.keys():
            self._accept(*self._listeners[fd])
        for fd in ready & self._names.keys():
            self._receive_datagram(*self._names[fd])
        if self._is_watching:
            self._send_status()
        self._flush()

    def _poll(self, timeout):
        events = {self._input: select.POLLIN}
        if self._queued:
            events[self._output] = select.POLLOUT
        has_space = len(self._queued) < MAX_QUEUED
        for stream in self._streams.values():
            if stream.source is not None and stream.credit > 0 and has_space:
                events[stream.source] = select.POLLIN
            if stream.target is not None and stream.pending:
                events[stream.target] = events.get(stream.target, 0) | select.POLLOUT
        if has_space and len(self._streams) < MAX_CONNECTIONS:
            events.update((fd, select.POLLIN) for fd in self._listeners)
        if has_space:
            events.update((fd, select.POLLIN) for fd in self._names)
        poll = select.poll()
        for fd, mask in events.items():
            poll.register(fd, mask)
        return {fd for fd, _ in poll.poll(timeout)}

    def _is_drained(self):
        fixed = (CONTROL, CHANNEL, STDOUT, STDERR)
        open_sources = [each for each in fixed if each in self._streams and self._streams[each].source is not None]
        return not open_sources and not self._queued

    def _send(self, opcode, number, content=b""):
        self._queued += bytes((opcode,)) + number.to_bytes(4, "big") + len(content).to_bytes(4, "big") + content

    def _flush(self):
        try:
            while self._queued:
                del self._queued[: os.write(self._output, self._queued[:CHUNK])]
        except BlockingIOError:
            pass

    def _take_frames(self):
        data = self._received
        at = 0
        while len(data) - at >= HEADER:
            size = int.from_bytes(data[at + 5 : at + 9], "big")
            if size > MAX_FRAME:
                raise ValueError("a frame is too long")
            if len(data) - at < HEADER + size:
                break
            number = int.from_bytes(data[at + 1 : at + 5], "big")
            self._take(data[at], number, bytes(data[at + HEADER : at + HEADER + size]))
            at += HEADER + size
        del data[:at]

    def _take(self, opcode, number, content):
        stream = self._streams.get(number)
        if opcode == DONE:
            self._is_confirmed = self._is_done
        # No frame may follow the last one.
        elif self._is_done:
            return
        elif opcode == WATCH:
            self._watched = group_status.find_folders()
            self._is_watching = True
        elif opcode == DATAGRAM:
            self._answer_datagram(content)
        # A connection may have ended before the host knew of it.
        elif stream is None:
            return
        elif opcode == DATA and number == CONTROL and not self._is_running:
            self._early += content
            self._send(CREDIT, number, len(content).to_bytes(4, "big"))
        elif opcode == DATA and stream.target is not None:
            stream.pending += content
            self._write(stream)
        elif opcode == CREDIT:
            stream.credit += int.from_bytes(content, "big")
        elif opcode == END:
            stream.ends_after_pending = True
            self._write(stream)
        elif opcode == RESET:
            self._drop(stream)

    def _write(self, stream):
        try:
            while stream.pending:
                count = os.write(stream.target, stream.pending[:CHUNK])
                del stream.pending[:count]
                stream.used += count
        except BlockingIOError:
            pass
        except OSError:
            return self._lose_target(stream)
        if stream.used >= stream.window // 4:
            self._send(CREDIT, stream.number, stream.used.to_bytes(4, "big"))
            stream.used = 0
        if stream.ends_after_pending and not stream.pending:
            self._end_target(stream)

    def _lose_target(self, stream):
        if stream.number >= FIRST_CONNECTION:
            return self._reset(stream)
        # The last output of a process can still be read after it stopped reading.
        stream.pending.clear()
        if stream.target != stream.source:
            self._close(stream.target, stream.number)
        stream.target = None

    def _end_target(self, stream):
        if stream.target is None:
            return
        if stream.target == stream.source:
            try:
                self._sockets[stream.number].shutdown(_socket.SHUT_WR)
            except OSError:
                return self._lose_target(stream)
        else:
            self._close(stream.target, stream.number)
        stream.target = None
        self._forget_if_over(stream)

    def _read(self, stream):
        try:
            data = os.read(stream.source, min(CHUNK, stream.credit))
        except BlockingIOError:
            return
        except OSError:
            if stream.number >= FIRST_CONNECTION:
                return self._reset(stream)
            data = b""
        if data:
            stream.credit -= len(data)
            return self._send(DATA, stream.number, data)
        self._send(END, stream.number)
        if stream.target is None:
            self._close(stream.source, stream.number)
        stream.source = None
        self._forget_if_over(stream)

    def _forget_if_over(self, stream):
        if stream.source is None and stream.target is None:
            self._close(None, stream.number)
            if stream.number >= FIRST_CONNECTION:
                self._streams.pop(stream.number, None)

    def _close(self, fd, number):
        connection = self._sockets.pop(number, None)
        if connection is not None:
            connection.close()
        elif fd is not None:
            os.close(fd)

    def _reset(self, stream):
        self._send(RESET, stream.number)
        self._drop(stream)

    def _drop(self, stream):
        self._close(stream.source if stream.source is not None else stream.target, stream.number)
        stream.source = stream.target = None
        stream.pending.clear()
        if stream.number >= FIRST_CONNECTION:
            self._streams.pop(stream.number, None)

    def _accept(self, index, listener):
        try:
            fd, _ = listener._accept()
        except OSError:
            return
        number = self._next
        self._next += 1
        self._add(number, fd, is_socket=True)
        address = self._sockets[number].getsockname()[0]
        self._send(OPEN, number, bytes((index,)) + _socket.inet_aton(address))

    def _receive_datagram(self, index, socket):
        try:
            data, (address, port) = socket.recvfrom(MAX_DATAGRAM + 1)
        except OSError:
            return
        if len(data) <= MAX_DATAGRAM:
            source = _socket.inet_aton(address) + port.to_bytes(2, "big")
            self._send(DATAGRAM, 0, bytes((index,)) + source + data)

    def _answer_datagram(self, content):
        for index, socket in self._names.values():
            if index == content[0]:
                address = (_socket.inet_ntoa(content[1:5]), int.from_bytes(content[5:7], "big"))
                try:
                    socket.sendto(content[7:], address)
                except OSError:
                    pass

    def _send_status(self):
        status = group_status.read(self._watched)
        if status != self._status:
            self._status = status
            self._send(STATUS, 0, status)
