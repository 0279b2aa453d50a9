"""Forks a process for each run, in its own namespaces. The zygote never runs code of users.

On HOST it receives the numbers of runs to fork for, and reports which process it created, how
that ended, and when all its namespaces are dead. Each fork has a listening socket that only
the host can reach. It accepts four or five connections there, in this order: the run's
control channel, the channel of its result, stdout, stderr, and stdin if the run has input.
The zygote dies when HOST closes, and everything it created dies with it.
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
    """Defers fork hooks, which restore state of other threads and copy many pages.

    The zygote has no other threads, so only the forks of a skill need the hooks.
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
# Descriptors of a run's connections, in the order in which they are accepted.
PLACES = (pid1.CONTROL, pid1.CHANNEL, 1, 2, 0)
ERRORS_PLACE, HIGHEST_PLACE = 2, pid1.CHANNEL
# Flags in the number of a run: it has input, or it is a program. The fork of a program stays as the
# first process of its PID namespace, which no process inside can end.
WITH_INPUT, PROGRAM = 0x80000000, 0x40000000
KINDS = WITH_INPUT | PROGRAM
HIGHEST = 1 << 16
CREDENTIALS = struct.Struct("iII")


class Leaf:
    """The process of a run, from its fork until only granted rights are left."""

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
        # Closes all other descriptors of the zygote.
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
        # Up to here, all runs are the same.
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
            # The /proc files of a non-dumpable process belong to root, so the id maps could not be
            # written.
            pid1.prctl(pid1.PR_SET_DUMPABLE, 1)
            namespaces.enter_user_namespace(self._user)
            # A new user namespace restores all capabilities.
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
        # By pid: the run of each process, and of each first process if that is a separate one.
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
                # A first process is reaped only after all processes in its namespace.
                tell(b'{"dead":%d}\n' % self._firsts.pop(pid))

    def _end(self, number, first, status, used):
        """Ends all processes that a run left behind."""
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
    """Accepts the next connection of the host."""
    while True:
        fd, _ = door._accept()
        if is_of_host(fd):
            return fd
        os.close(fd)


def is_of_host(fd):
    """True if the peer is outside this PID namespace: it has pid 0 here, and no process inside
    can.
    """
    wire = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, fd)
    data = wire.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, CREDENTIALS.size)
    wire.detach()
    return CREDENTIALS.unpack(data)[0] == 0


def tell(data):
    """Writes a line of JSON. Literal bytes, because encoding would touch pages that the forks
    share.
    """
    while data:
        data = data[os.write(HOST, data):]


def read_config():
    pid1.CONTROL, place = HOST, pid1.CONTROL
    try:
        return pid1.read_job()
    finally:
        pid1.CONTROL = place


def hold_rights_back():
    """Keeps the rights for forked processes and drops them for executed programs."""
    value_of = pid1.status_of_self()
    held = int(value_of(b"\nCapPrm:\t"), 16)
    low, high = held & 0xFFFFFFFF, held >> 32
    # Effective, permitted, inheritable, in two halves.
    sets = struct.pack("6I", low, low, 0, high, high, 0)
    call("capset", pid1.CAPABILITY_VERSION_3 + bytes(4), sets)


def main():
    # Ignores SIGINT of a terminal or of another process.
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    config = read_config()
    # Reserves the descriptors of a run's connections, so that no other file gets one of them.
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
    # Excludes existing objects from garbage collection, which would copy all their pages in each
    # run.
    gc.disable()
    gc.collect()
    gc.freeze()
    pid1.BEFORE_SKILL.append((gc.enable, {}))
    zygote.serve()


if __name__ == "__main__":
    main()
