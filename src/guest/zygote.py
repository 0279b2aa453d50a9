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


def defer_fork_hooks(**hooks):
    """Defers fork hooks, which restore state of other threads and copy many pages.

    The zygote has no other threads, so only the forks of a skill need the hooks.
    """
    pid1.BEFORE_SKILL.append((register_at_fork, hooks))


register_at_fork, os.register_at_fork = os.register_at_fork, defer_fork_hooks

import harness  # noqa: E402
import namespaces  # noqa: E402
import fixed_values  # noqa: E402,F401
import program  # noqa: E402,F401
import rehearsal  # noqa: E402
from c_library import Filter, call, perform, prepare  # noqa: E402
from layout import Layout  # noqa: E402

os.register_at_fork = register_at_fork

HOST = 6
SOCKETS = "/door/"
FIRST_PROGRAM = SOCKETS + "first"
# Descriptors of a run's connections, in the order in which they are accepted.
DESCRIPTORS = (pid1.CONTROL, pid1.CHANNEL, 1, 2, 0)
STDERR, HIGHEST_DESCRIPTOR = 2, pid1.CHANNEL
# Flags in the number of a run: it has input, or it is a program. The fork of a program stays as the
# first process of its PID namespace, which no process inside can end.
WITH_INPUT, PROGRAM = 0x80000000, 0x40000000
KINDS = WITH_INPUT | PROGRAM
HIGHEST = 1 << 16
CREDENTIALS = struct.Struct("iII")


class ForkedGuest:
    """The process of a run, from its fork until only granted rights are left."""

    def __init__(self, config):
        self._user = config["user"]
        self._layout = Layout(config["base"], config["views"], config["tools"])
        self._filter = Filter(bytes.fromhex(config["filter"]))
        self._final_calls = [
            prepare("capset", pid1.CAPABILITY_VERSION_3 + bytes(4), bytes(24)),
            prepare("prctl", pid1.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
            prepare("prctl", pid1.PR_SET_DUMPABLE, 0, 0, 0, 0),
            self._filter.prepared,
        ]

    def main(self, listener, user, kind):
        _signal.set_wakeup_fd(-1)
        _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
        os.setsid()
        connections = [accept_host(listener) for _ in DESCRIPTORS[: 5 if kind & WITH_INPUT else 4]]
        # Closes all other descriptors of the zygote.
        for target, fd in zip(DESCRIPTORS, connections):
            os.dup2(fd, target)
        os.closerange(STDERR + 1, pid1.CONTROL)
        os.closerange(pid1.CHANNEL + 1, HIGHEST)
        try:
            self._confine(user, kind & WITH_INPUT)
            pid1.raise_wall()
            job = pid1.receive_job()
        except Exception as error:
            pid1.report({"failure": "%s: %s" % (type(error).__name__, error)})
            os._exit(70)
        if kind & PROGRAM:
            pid1.run_program(job, True)
        pid1.become_child(job)

    def _confine(self, user, has_input):
        own_entry = namespaces.open_own_entry()
        settings = namespaces.open_settings() if user is None else None
        self._layout.begin(self._user if user is None else user)
        pid1.note_views()
        # Up to here, all runs are the same.
        bound, has_tools = self._layout.finish(pid1.read_job())
        if has_tools:
            pid1.note_views()
        if not has_input:
            null = os.open("/dev/null", os.O_RDONLY)
            os.dup2(null, 0)
            os.close(null)
        self._drop_rights(user, own_entry, settings)
        self._layout.check(bound)
        pid1.check_rights(user, True)

    def _drop_rights(self, user, own_entry, settings):
        if user is None:
            # The /proc files of a non-dumpable process belong to root, so the id maps could not be
            # written.
            pid1.prctl(pid1.PR_SET_DUMPABLE, 1)
            namespaces.enter_user_namespace(self._user, self._user, own_entry)
            namespaces.limit_watches(settings, *namespaces.RUN_WATCHES)
            os.close(settings)
        else:
            pid1.leave_root(user, own_entry)
        os.close(own_entry)
        # A new user namespace restores all capabilities.
        pid1.drop_bounding_set()
        perform(self._final_calls)


class Zygote:
    def __init__(self, config):
        self._guest = ForkedGuest(config)
        self._first_user = config["users"]
        self._fork_arguments = namespaces.build_fork_arguments(namespaces.RUN_NAMESPACES)
        with_pid_namespace = namespaces.RUN_NAMESPACES | namespaces.NEW_PROCESSES
        self._first_arguments = namespaces.build_fork_arguments(with_pid_namespace)
        first_program.write_program(FIRST_PROGRAM)
        self._processes = namespaces.PidNamespaces(FIRST_PROGRAM)
        # By pid: the run of each process, and of each first process if that is a separate one.
        self._runs = {}
        self._first_processes = {}
        self._poll = select.poll()

    def serve(self):
        wake_reader, wake_writer = os.pipe()
        os.set_blocking(wake_reader, False)
        os.set_blocking(wake_writer, False)
        _signal.signal(_signal.SIGCHLD, lambda *_: None)
        _signal.set_wakeup_fd(wake_writer, warn_on_full_buffer=False)
        for fd in (HOST, wake_reader):
            self._poll.register(fd, select.POLLIN)
        send(b'{"listening":true}\n')
        while True:
            for fd, _ in self._poll.poll():
                if fd == HOST:
                    self._receive()
                else:
                    os.read(wake_reader, 4096)
                    self._reap()

    def _receive(self):
        try:
            number = int.from_bytes(pid1.read_exactly(HOST, 4), "big")
        except (EOFError, OSError):
            os._exit(0)
        try:
            self._fork(number)
        except OSError as error:
            reason = guest_messages.encode(error.strerror)
            send(b'{"dead":%d,"why":%b}\n' % (number, reason))

    def _fork(self, number):
        user = None if self._first_user is None else self._first_user + (number & ~KINDS)
        listener = open_listener(number)
        first, arguments = None, self._first_arguments
        try:
            if not number & PROGRAM:
                first, arguments = self._processes.begin(), self._fork_arguments
            pid = namespaces.fork_into(arguments)
            if pid == 0:
                try:
                    self._guest.main(listener, user, number & KINDS)
                finally:
                    os._exit(70)
        except OSError:
            os.unlink(SOCKETS + str(number))
            if first is not None:
                os.kill(first, _signal.SIGKILL)
            raise
        finally:
            listener.close()
            self._processes.leave()
        self._runs[pid] = number, first
        if first is not None:
            self._first_processes[first] = number
        send(b'{"made":%d,"pid":%d}\n' % (number, pid))

    def _reap(self):
        while True:
            try:
                pid, status, used = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self._runs:
                self._end(*self._runs.pop(pid), status, used)
            elif pid in self._first_processes:
                # A first process is reaped only after all processes in its namespace.
                send(b'{"dead":%d}\n' % self._first_processes.pop(pid))

    def _end(self, number, first, status, used):
        """Ends all processes that a run left behind."""
        os.unlink(SOCKETS + str(number))
        if first is None:
            return send(b'{"dead":%d}\n' % number)
        os.kill(first, _signal.SIGKILL)
        cpu_ms = (used.ru_utime + used.ru_stime) * 1000
        send(b'{"ended":%d,"status":%d,"cpu_ms":%d}\n' % (number, status, cpu_ms))


def open_listener(number):
    listener = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    listener.bind(SOCKETS + str(number))
    listener.listen(len(DESCRIPTORS))
    return listener


def accept_host(listener):
    """Accepts the next connection of the host."""
    while True:
        fd, _ = listener._accept()
        if is_host_peer(fd):
            return fd
        os.close(fd)


def is_host_peer(fd):
    """True if the peer is outside this PID namespace: it has pid 0 here, and no process inside
    can.
    """
    peer = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, fd)
    data = peer.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, CREDENTIALS.size)
    peer.detach()
    return CREDENTIALS.unpack(data)[0] == 0


def send(data):
    """Writes a line of JSON. Literal bytes, because encoding would touch pages that the forks
    share.
    """
    while data:
        data = data[os.write(HOST, data):]


def read_config():
    pid1.CONTROL, target = HOST, pid1.CONTROL
    try:
        return pid1.read_job()
    finally:
        pid1.CONTROL = target


def drop_rights_on_exec():
    """Keeps the rights for forked processes and drops them for executed programs."""
    get_field = pid1.read_own_status()
    permitted = int(get_field(b"\nCapPrm:\t"), 16)
    low, high = permitted & 0xFFFFFFFF, permitted >> 32
    # Effective, permitted, inheritable, in two halves.
    sets = struct.pack("6I", low, low, 0, high, high, 0)
    call("capset", pid1.CAPABILITY_VERSION_3 + bytes(4), sets)


def limit_watches(first_user):
    """Users of this namespace are the runs of root, or else all runs are one user."""
    settings = namespaces.open_settings()
    namespaces.limit_watches(settings, *(namespaces.FORK_WATCHES if first_user is None else namespaces.RUN_WATCHES))
    os.close(settings)


def main():
    # Ignores SIGINT of a terminal or of another process.
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    config = read_config()
    # Reserves the descriptors of a run's connections, so that no other file gets one of them.
    for fd in range(HIGHEST_DESCRIPTOR + 1):
        if fd > STDERR and fd != HOST:
            os.dup2(0, fd, inheritable=False)
    for fd in (0, 1, STDERR, HOST):
        os.set_inheritable(fd, False)
    pid1.prctl(pid1.PR_SET_DUMPABLE, 0)
    pid1.drop_bounding_set()
    drop_rights_on_exec()
    limit_watches(config["users"])
    zygote = Zygote(config)
    harness.set_up()
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
