"""Forks a process for each run, in namespaces of its own; runs no code of anybody else, ever.

It listens on a socket that only the host can reach. Four or five connections that name the same
number make a run: its control channel, the channel of its result, its output, and its input where
it has one. On HOST it says what it is asked about: which process it made, and when all of that
process's namespace is dead. It dies with HOST, and everything it made dies with it.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import _signal  # noqa: E402
import _socket  # noqa: E402
import fcntl  # noqa: E402,F401
import gc  # noqa: E402
import select  # noqa: E402
import struct  # noqa: E402

import guest_messages  # noqa: E402
import pid1  # noqa: E402


def keep_for_skills(**hooks):
    """What modules do in a fork mends what other threads left, for which it copies a page in ten.

    There are none in the zygote: only the forks of a skill need it.
    """
    pid1.BEFORE_SKILL.append((register_at_fork, hooks))


register_at_fork, os.register_at_fork = os.register_at_fork, keep_for_skills

import harness  # noqa: E402
import namespaces  # noqa: E402
import program  # noqa: E402,F401
import rehearsal  # noqa: E402
from c_library import perform, prepare  # noqa: E402
from layout import Layout  # noqa: E402

os.register_at_fork = register_at_fork

HOST = 6
DOOR = "/door/zygote"
BACKLOG = 512
HEAD = struct.Struct(">IB")
CONTROL, CHANNEL, OUTPUT, ERRORS, INPUT = range(5)
# Where each of them lies in the process of a run.
PLACES = {CONTROL: pid1.CONTROL, CHANNEL: pid1.CHANNEL, OUTPUT: 1, ERRORS: 2, INPUT: 0}
ERRORS_PLACE, HIGHEST_PLACE = 2, pid1.CHANNEL
# With the input comes a fifth: a run that has one says so by the number of its control channel.
WITH_INPUT = 0x80000000
HIGHEST = 1 << 16
CREDENTIALS = struct.Struct("iII")


class Leaf:
    """The first process of a run, from its fork to where it has nothing left but what was granted."""

    def __init__(self, config):
        self._user = config["user"]
        self._layout = Layout(config["base"])
        self._filter = namespaces.Filter(bytes.fromhex(config["filter"]))
        self._last_rights = [
            prepare("capset", pid1.CAPABILITY_VERSION_3 + bytes(4), bytes(24)),
            prepare("prctl", pid1.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
            prepare("prctl", pid1.PR_SET_DUMPABLE, 0, 0, 0, 0),
            self._filter.load,
        ]

    def main(self, wires, user):
        _signal.set_wakeup_fd(-1)
        _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
        _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
        os.setsid()
        # Nothing of the zygote's but these stays open.
        for place, fd in wires.items():
            os.dup2(fd, place)
        os.closerange(ERRORS_PLACE + 1, pid1.CONTROL)
        os.closerange(pid1.CHANNEL + 1, HIGHEST)
        try:
            rights = self._confine(user, PLACES[INPUT] in wires)
            job = pid1.take_job(rights)
        except Exception as error:
            pid1.report({"failure": "%s: %s" % (type(error).__name__, error)})
            os._exit(70)
        pid1.run(job, True)

    def _confine(self, user, has_input):
        if user is None:
            # The files of a process that cannot be looked at are nobody's.
            pid1.prctl(pid1.PR_SET_DUMPABLE, 1)
            namespaces.become_in_user_namespace(0, self._user)
        self._layout.begin(1000 if user is None else user)
        # Until here every run is the same.
        bound = self._layout.finish(pid1.read_job())
        if not has_input:
            nothing = os.open("/dev/null", os.O_RDONLY)
            os.dup2(nothing, 0)
            os.close(nothing)
        self._give_up_rights(user)
        self._layout.check(bound)
        return pid1.check_rights(user, True)

    def _give_up_rights(self, user):
        if user is None:
            namespaces.leave_user_namespace(self._user)
            # A new namespace gives all of them back.
            pid1.drop_bounding_set()
        else:
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
        perform(self._last_rights)


class Zygote:
    def __init__(self, config):
        self._leaf = Leaf(config)
        self._first_user = config["users"]
        flags = namespaces.OF_A_RUN | (namespaces.NEW_USER if self._first_user is None else 0)
        self._words_of_fork = namespaces.words_of_fork(flags)
        self._arriving = {}
        self._waiting = {}
        self._leaves = {}
        self._door = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_NONBLOCK)
        self._door.bind(DOOR)
        self._door.listen(BACKLOG)
        self._poll = select.poll()

    def serve(self):
        wakes, woken = os.pipe()
        os.set_blocking(wakes, False)
        os.set_blocking(woken, False)
        _signal.signal(_signal.SIGCHLD, lambda *_: None)
        _signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        for fd in (HOST, wakes, self._door.fileno()):
            self._poll.register(fd, select.POLLIN)
        tell({"listening": True})
        while True:
            for fd, _ in self._poll.poll():
                if fd == HOST:
                    # The host says nothing more: that it is gone can be told by that alone.
                    os._exit(0)
                elif fd == wakes:
                    os.read(wakes, 4096)
                    self._reap()
                elif fd == self._door.fileno():
                    self._let_in()
                else:
                    self._hear(fd)

    def _let_in(self):
        while True:
            try:
                fd, _ = self._door._accept()
            except BlockingIOError:
                return
            except OSError as error:
                return tell({"refused": error.strerror})
            if is_of_host(fd):
                self._arriving[fd] = b""
                self._poll.register(fd, select.POLLIN)
            else:
                os.close(fd)

    def _hear(self, fd):
        """The first bytes of a connection say what it is; all behind them is for the run alone."""
        head = self._arriving[fd] + os.read(fd, HEAD.size - len(self._arriving[fd]))
        if head == self._arriving[fd]:
            self._forget(fd)
            return os.close(fd)
        self._arriving[fd] = head
        if len(head) < HEAD.size:
            return
        self._forget(fd)
        number, kind = HEAD.unpack(head)
        wires = self._waiting.setdefault(number, {})
        if len(self._waiting) > BACKLOG:
            # Its other connections never came about.
            for lost in self._waiting.pop(next(iter(self._waiting))).values():
                os.close(lost)
        if kind not in PLACES or PLACES[kind] in wires:
            os.close(fd)
            return tell({"refused": "a connection of no known kind"})
        wires[PLACES[kind]] = fd
        if len(wires) == (5 if number & WITH_INPUT else 4):
            del self._waiting[number]
            self._fork(number, wires)

    def _forget(self, fd):
        self._poll.unregister(fd)
        del self._arriving[fd]

    def _fork(self, number, wires):
        first = self._first_user
        user = None if first is None else first + (number & ~WITH_INPUT)
        try:
            pid = namespaces.fork_into(self._words_of_fork)
        except OSError as error:
            for fd in wires.values():
                os.close(fd)
            return tell({"dead": number, "why": error.strerror})
        if pid == 0:
            try:
                self._arriving = self._waiting = self._leaves = None
                self._leaf.main(wires, user)
            finally:
                os._exit(70)
        for fd in wires.values():
            os.close(fd)
        self._leaves[pid] = number
        tell({"made": number, "pid": pid, "user": user})

    def _reap(self):
        """A first process is dead only after all that is below it."""
        while self._leaves:
            pid, _ = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            number = self._leaves.pop(pid, None)
            if number is not None:
                tell({"dead": number})


def is_of_host(fd):
    """Processes from outside of this namespace have no number here; nothing inside can be without."""
    wire = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, fd)
    data = wire.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, CREDENTIALS.size)
    wire.detach()
    return CREDENTIALS.unpack(data)[0] == 0


def tell(message):
    data = guest_messages.encode(message) + b"\n"
    while data:
        data = data[os.write(HOST, data):]


def read_config():
    pid1.CONTROL, place = HOST, pid1.CONTROL
    try:
        return pid1.read_job()
    finally:
        pid1.CONTROL = place


def main():
    # A word of a terminal or of whoever else is not for this process.
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    config = read_config()
    # Below stand the places of a run, which nothing is to be in that a run gets elsewhere.
    for fd in range(HIGHEST_PLACE + 1):
        if fd > ERRORS_PLACE and fd != HOST:
            os.dup2(0, fd, inheritable=False)
    pid1.prctl(pid1.PR_SET_DUMPABLE, 0)
    if config["users"] is not None:
        pid1.drop_bounding_set()
    zygote = Zygote(config)
    harness.settle()
    rehearsal.rehearse()
    # What exists now is never looked at for garbage: that would copy every page of it in each run.
    gc.disable()
    gc.collect()
    gc.freeze()
    pid1.BEFORE_SKILL.append((gc.enable, {}))
    zygote.serve()


if __name__ == "__main__":
    main()
