"""Forks a process for each run, in namespaces of its own; runs no code of anybody else, ever.

On HOST it hears the numbers of runs to fork for, and says what came of them: which process it made,
how that ended, and when all of its namespace is dead. Each fork has a door of its own, a socket that
only the host can reach, and takes four or five connections there, in this order: the run's control
channel, the channel of its result, its output, and its input where it has one. The zygote dies with
HOST, and everything it made dies with it.
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

import first_program  # noqa: E402
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
from c_library import call, perform, prepare  # noqa: E402
from layout import Layout  # noqa: E402

os.register_at_fork = register_at_fork

HOST = 6
DOORS = "/door/"
FIRST_PROGRAM = DOORS + "first"
# Where the connections of a run lie in its process, in the order that they are made.
PLACES = (pid1.CONTROL, pid1.CHANNEL, 1, 2, 0)
ERRORS_PLACE, HIGHEST_PLACE = 2, pid1.CHANNEL
# A run that has an input says so by its number, and one of a program: such a fork stays beside its
# program as the first process of its namespace, which nothing inside can end.
WITH_INPUT, PROGRAM = 0x80000000, 0x40000000
KINDS = WITH_INPUT | PROGRAM
HIGHEST = 1 << 16
CREDENTIALS = struct.Struct("iII")


class Leaf:
    """The process of a run, from its fork to where it has nothing left but what was granted."""

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

    def main(self, door, user, kind):
        _signal.set_wakeup_fd(-1)
        _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
        os.setsid()
        wires = [admit(door) for _ in PLACES[: 5 if kind & WITH_INPUT else 4]]
        # Nothing of the zygote's but these stays open.
        for place, fd in zip(PLACES, wires):
            os.dup2(fd, place)
        os.closerange(ERRORS_PLACE + 1, pid1.CONTROL)
        os.closerange(pid1.CHANNEL + 1, HIGHEST)
        try:
            self._confine(user, kind & WITH_INPUT)
            job = pid1.take_job()
        except Exception as error:
            pid1.report({"failure": "%s: %s" % (type(error).__name__, error)})
            os._exit(70)
        if kind & PROGRAM:
            pid1.run_program(job, True)
        pid1.become_child(job)

    def _confine(self, user, has_input):
        self._layout.begin(self._user if user is None else user)
        # Until here every run is the same.
        bound = self._layout.finish(pid1.read_job())
        if not has_input:
            nothing = os.open("/dev/null", os.O_RDONLY)
            os.dup2(nothing, 0)
            os.close(nothing)
        self._give_up_rights(user)
        self._layout.check(bound)
        pid1.check_rights(user, True)

    def _give_up_rights(self, user):
        if user is None:
            # The files of a process that cannot be looked at are nobody's.
            pid1.prctl(pid1.PR_SET_DUMPABLE, 1)
            namespaces.enter_user_namespace(self._user)
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
        self._words_of_fork = namespaces.words_of_fork(namespaces.OF_A_RUN)
        with_processes = namespaces.OF_A_RUN | namespaces.NEW_PROCESSES
        self._words_of_first = namespaces.words_of_fork(with_processes)
        first_program.write_program(FIRST_PROGRAM)
        self._processes = namespaces.ProcessNamespaces(FIRST_PROGRAM)
        # By the number of a process: that of its run, and of the first process, if that is another one.
        self._leaves = {}
        self._firsts = {}
        self._poll = select.poll()

    def serve(self):
        wakes, woken = os.pipe()
        os.set_blocking(wakes, False)
        os.set_blocking(woken, False)
        _signal.signal(_signal.SIGCHLD, lambda *_: None)
        _signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        for fd in (HOST, wakes):
            self._poll.register(fd, select.POLLIN)
        tell(b'{"listening":true}\n')
        while True:
            for fd, _ in self._poll.poll():
                if fd == HOST:
                    self._listen()
                else:
                    os.read(wakes, 4096)
                    self._reap()

    def _listen(self):
        try:
            number = int.from_bytes(pid1.read_exactly(HOST, 4), "big")
        except (EOFError, OSError):
            os._exit(0)
        try:
            self._fork(number)
        except OSError as error:
            why = guest_messages.encode(error.strerror)
            tell(b'{"dead":%d,"why":%b}\n' % (number, why))

    def _fork(self, number):
        user = None if self._first_user is None else self._first_user + (number & ~KINDS)
        door = open_door(number)
        first, words = None, self._words_of_first
        try:
            if not number & PROGRAM:
                first, words = self._processes.begin(), self._words_of_fork
            pid = namespaces.fork_into(words)
            if pid == 0:
                try:
                    self._leaf.main(door, user, number & KINDS)
                finally:
                    os._exit(70)
        except OSError:
            os.unlink(DOORS + str(number))
            if first is not None:
                os.kill(first, _signal.SIGKILL)
            raise
        finally:
            door.close()
            self._processes.leave()
        self._leaves[pid] = number, first
        if first is not None:
            self._firsts[first] = number
        tell(b'{"made":%d,"pid":%d}\n' % (number, pid))

    def _reap(self):
        while True:
            try:
                pid, status, used = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self._leaves:
                self._end(*self._leaves.pop(pid), status, used)
            elif pid in self._firsts:
                # A first process is dead only after all that lies in its namespace.
                tell(b'{"dead":%d}\n' % self._firsts.pop(pid))

    def _end(self, number, first, status, used):
        """With the process of a run ends all that it left behind."""
        os.unlink(DOORS + str(number))
        if first is None:
            return tell(b'{"dead":%d}\n' % number)
        os.kill(first, _signal.SIGKILL)
        cpu_ms = (used.ru_utime + used.ru_stime) * 1000
        tell(b'{"ended":%d,"status":%d,"cpu_ms":%d}\n' % (number, status, cpu_ms))


def open_door(number):
    door = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    door.bind(DOORS + str(number))
    door.listen(len(PLACES))
    return door


def admit(door):
    """The next connection of the host."""
    while True:
        fd, _ = door._accept()
        if is_of_host(fd):
            return fd
        os.close(fd)


def is_of_host(fd):
    """Processes from outside of this namespace have no number here; nothing inside can be without."""
    wire = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, fd)
    data = wire.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, CREDENTIALS.size)
    wire.detach()
    return CREDENTIALS.unpack(data)[0] == 0


def tell(data):
    """A line of JSON; written out, for each word of Python's would touch pages that forks share."""
    while data:
        data = data[os.write(HOST, data):]


def read_config():
    pid1.CONTROL, place = HOST, pid1.CONTROL
    try:
        return pid1.read_job()
    finally:
        pid1.CONTROL = place


def hold_rights_back():
    """What it forks has the zygote's rights at first, what it starts has none."""
    value_of = pid1.status_of_self()
    held = int(value_of(b"\nCapPrm:\t"), 16)
    low, high = held & 0xFFFFFFFF, held >> 32
    # Effective, permitted, inheritable, in two halves.
    sets = struct.pack("6I", low, low, 0, high, high, 0)
    call("capset", pid1.CAPABILITY_VERSION_3 + bytes(4), sets)


def main():
    # A word of a terminal or of whoever else is not for this process.
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    config = read_config()
    # Below stand the places of a run, which nothing is to be in that a run gets elsewhere.
    for fd in range(HIGHEST_PLACE + 1):
        if fd > ERRORS_PLACE and fd != HOST:
            os.dup2(0, fd, inheritable=False)
    for fd in (0, 1, ERRORS_PLACE, HOST):
        os.set_inheritable(fd, False)
    pid1.prctl(pid1.PR_SET_DUMPABLE, 0)
    pid1.drop_bounding_set()
    hold_rights_back()
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
