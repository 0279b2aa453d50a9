"""Runs a program for the first process: creates its pipes or terminal, relays them, waits for
its end.

The host passes sockets, but a program may reopen /dev/stderr, which only pipes allow. A
single loop does everything, so the first process has one thread.
"""
import _signal
import errno
import fcntl
import os
import select
import termios
import time

import first_files
import guest_limits
import skill_user
import waiting

CHUNK = 65536
# Grace period for the program's remaining processes after it has ended.
LINGER_SECONDS = 0.1
POLL_SECONDS = 0.005
RESIZE, SIGNAL, WAITING = b"RSW"
SIZES = {RESIZE: 5, SIGNAL: 2, WAITING: 1}


class Relay:
    """Copies from one descriptor to another, both nonblocking."""

    def __init__(self, source, target, at_end=None):
        self.source = source
        self.target = target
        self.pending = b""
        self.sent = 0
        self.is_over = False
        self._at_end = at_end
        os.set_blocking(source, False)
        os.set_blocking(target, False)

    def poll_event(self):
        return (self.target, select.POLLOUT) if self.pending else (self.source, select.POLLIN)

    def copy_once(self):
        try:
            if not self.pending:
                self.pending = os.read(self.source, CHUNK)
                if not self.pending:
                    self.end()
                    return True
            count = os.write(self.target, self.pending)
            self.pending = self.pending[count:]
            self.sent += count
        except BlockingIOError:
            return False
        except OSError:
            # The terminal has no open descriptors any more, or the reader is gone.
            self.end()
        return True

    def drain(self):
        """Writes all pending bytes; false if the reader does not accept them."""
        while not self.is_over and self.copy_once():
            pass
        return not self.pending

    def end(self):
        if not self.is_over:
            self.is_over = True
            self.pending = b""
            if self._at_end is not None:
                self._at_end()


class Program:
    """`end_others` ends all processes except the first; `execute` turns a child into the
    program.
    """

    def __init__(self, job, end_others, execute):
        self._job = job
        self.end_others = end_others
        self._execute = execute
        self._relays = []
        self._outputs = []
        self._input = None
        self.terminal = None
        self.pid = None
        self.session_input = None

    def start(self):
        """Starts the program. On failure, returns the step and the name of the error."""
        outputs, program_files = self._terminal() if self._job["terminal"] else self._pipes()
        error_reader, error_writer = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self._execute(self._job, program_files, error_writer)
            finally:
                os._exit(127)
        for fd in {*program_files, error_writer}:
            os.close(fd)
        for source, target in outputs:
            self._outputs.append(Relay(source, target))
        self._relays = [each for each in (self._input, *self._outputs) if each is not None]
        step, _, number = os.read(error_reader, 64).decode("ascii").partition(" ")
        os.close(error_reader)
        return (step, errno.errorcode.get(int(number), number)) if step else None

    def _pipes(self):
        if self._job["stdin"]:
            read_in, write_in = skill_user.create_stream(os.pipe)
            status = os.fstat(read_in)
            self.session_input = (status.st_dev, status.st_ino)
            self._input = Relay(0, write_in, lambda: os.close(write_in))
        else:
            read_in = os.open("/dev/null", os.O_RDONLY)
        read_out, write_out = skill_user.create_stream(os.pipe)
        read_err, write_err = skill_user.create_stream(os.pipe)
        return [(read_out, 1), (read_err, 2)], (read_in, write_out, write_err)

    def _terminal(self):
        self.terminal, inside = skill_user.create_stream(os.openpty)
        os.set_inheritable(self.terminal, False)
        self.resize(*self._job["terminal"])
        mode = termios.tcgetattr(inside)
        # IUTF8: the line discipline edits by UTF-8 characters.
        mode[0] |= 0x4000
        termios.tcsetattr(inside, termios.TCSANOW, mode)
        self.session_input = os.fstat(inside).st_rdev
        self._input = Relay(0, os.dup(self.terminal), self._end_typing)
        return [(self.terminal, 1)], (inside,)

    def _end_typing(self):
        try:
            end_of_file = termios.tcgetattr(self.terminal)[6][termios.VEOF]
            os.write(self.terminal, end_of_file)
        except OSError:
            pass

    def resize(self, columns, rows):
        size = b"".join(each.to_bytes(2, "little") for each in (rows, columns, 0, 0))
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, size)

    def relay(self, ready):
        for each in self._relays:
            if each.poll_event()[0] in ready:
                each.copy_once()
        self._relays = [each for each in self._relays if not each.is_over]

    def poll_events(self):
        return [each.poll_event() for each in self._relays]

    def is_drained(self):
        return all(each.is_over for each in self._outputs)

    def waits_after(self):
        """Returns the bytes that were printed before it began to wait for input; None if it does
        not wait.
        """
        if not waiting.is_waiting(self.pid, self.session_input):
            return None
        # Its output may not be relayed yet.
        if not all([each.drain() for each in self._outputs]):
            return None
        return sum(each.sent for each in self._outputs)

    def signal(self, number):
        try:
            os.killpg(self.pid, number)
        except OSError:
            pass


def attach_streams(files):
    """Starts a session with these files, or with one terminal, as the standard streams."""
    os.setsid()
    if len(files) == 1:
        fcntl.ioctl(files[0], termios.TIOCSCTTY, 0)
        files = files * 3
    for fd, file in enumerate([os.dup(each) for each in files]):
        os.dup2(file, fd)


def exec_program(job, files, error_writer):
    """Runs in the new process until execve."""
    step = "streams"
    try:
        attach_streams(files)
        for each in range(1, _signal.NSIG):
            try:
                _signal.signal(each, _signal.SIG_DFL)
            except (OSError, ValueError):
                # The actions of some signals cannot be changed.
                pass
        # A write beyond the size of a file fails, as one to a full disk, instead of ending the program.
        _signal.signal(_signal.SIGXFSZ, _signal.SIG_IGN)
        _signal.pthread_sigmask(_signal.SIG_SETMASK, [])
        os.umask(0o022)
        first_files.create_files(job)
        step = "folder"
        os.makedirs(job["cwd"], exist_ok=True)
        os.chdir(job["cwd"])
        step = "limits"
        guest_limits.set_limits(job)
        step = "program"
        os.execve(job["argv"][0], job["argv"], job["env"])
    except (OSError, ValueError) as error:
        number = getattr(error, "errno", None) or errno.EINVAL
        os.write(error_writer, ("%s %d" % (step, number)).encode())


class Session:
    """Supervises a program until its end, and handles requests of the host."""

    def __init__(self, program, control, report):
        self._program = program
        self._control = control
        self._report = report
        self._pending = b""
        self._cpu_seconds = 0.0
        self._ended_at = None
        self._is_reported = False
        self._status = None

    def follow(self):
        """Returns when all processes are dead and all output is relayed; false if the host
        disconnected.
        """
        wake_reader, wake_writer = os.pipe()
        for fd in (wake_reader, wake_writer, self._control):
            os.set_blocking(fd, False)
        _signal.signal(_signal.SIGCHLD, lambda *_: None)
        _signal.set_wakeup_fd(wake_writer, warn_on_full_buffer=False)
        while True:
            is_alone = self._reap()
            if self._ended_at is not None:
                self._end(is_alone)
            if self._is_reported and self._program.is_drained():
                return True
            ready = self._wait([(wake_reader, select.POLLIN), (self._control, select.POLLIN)])
            if wake_reader in ready:
                os.read(wake_reader, 4096)
            if self._control in ready and not self._receive():
                return False
            self._program.relay(ready)

    def _wait(self, others):
        poll = select.poll()
        for fd, events in [*others, *self._program.poll_events()]:
            poll.register(fd, events)
        pause = None if self._ended_at is None else POLL_SECONDS * 1000
        return {fd for fd, _ in poll.poll(pause)}

    def _reap(self):
        """Reaps children; true if no process is left."""
        while True:
            try:
                pid, status, used = os.wait3(os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return False
            self._cpu_seconds += used.ru_utime + used.ru_stime
            if pid == self._program.pid:
                self._status = status
                self._ended_at = time.monotonic()

    def _end(self, is_alone):
        if is_alone:
            return self._report_end()
        if time.monotonic() - self._ended_at > LINGER_SECONDS:
            self._program.end_others()

    def _report_end(self):
        if self._is_reported:
            return
        self._is_reported = True
        status = self._status
        self._report({
            "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
            "cpu_ms": round(self._cpu_seconds * 1000),
        })

    def _receive(self):
        data = os.read(self._control, 4096)
        self._pending += data
        while self._pending and len(self._pending) >= SIZES[self._pending[0]]:
            size = SIZES[self._pending[0]]
            self._handle(self._pending[0], self._pending[1:size])
            self._pending = self._pending[size:]
        return data != b""

    def _handle(self, opcode, payload):
        if opcode == RESIZE:
            self._program.resize(int.from_bytes(payload[:2], "big"), int.from_bytes(payload[2:], "big"))
        elif opcode == SIGNAL:
            self._program.signal(payload[0])
        elif opcode == WAITING:
            self._report({"waits_after": self._program.waits_after()})
