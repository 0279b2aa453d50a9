"""First process of a run: gives up every right, starts the skill's process, reaps, reports its end.

The host writes two things to CONTROL: who to become, as four bytes, and when every limit is in
place the job, as four bytes of length and JSON. Of a run with a network it says before, in numbers
only, which sockets to bind for it. Nothing that a caller chose is read before every
right is gone, and nothing of a skill runs before the job is there.
"""
import _signal
import _thread
import os
import sys

import guest_messages
from c_library import call

CONTROL = 6
CHANNEL = 7
NO_USER = 0xFFFFFFFF
UNCONFINED = 0xFFFFFFFE
LISTEN = 0xFFFFFFFD

PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
# Functions and their arguments by name, for the process that runs a skill's code.
BEFORE_SKILL = []
SETS_OF_RIGHTS = (b"\nCapInh:\t", b"\nCapPrm:\t", b"\nCapEff:\t", b"\nCapAmb:\t", b"\nCapBnd:\t")
CAPABILITY_VERSION_3 = (0x20080522).to_bytes(4, sys.byteorder)


def prctl(option, value):
    call("prctl", option, value, 0, 0, 0)


def connect(path):
    """Where no descriptor could be handed over: control first, then the channel."""
    import _socket

    for fd in (CONTROL, CHANNEL):
        wire = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        wire.connect(path)
        os.dup2(wire.fileno(), fd)


def filter_calls(path):
    """The filter of every other sandbox, on top of what an engine can express in its own."""
    import ctypes

    with open(path, "rb") as file:
        code = file.read()

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]

    program = Program(len(code) // 8, code)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def read_exactly(fd, size):
    parts = []
    while size > 0:
        part = os.read(fd, min(size, 1 << 20))
        if not part:
            raise EOFError("the job ended early")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def read_number():
    return int.from_bytes(read_exactly(CONTROL, 4), "big")


def listen():
    import listeners

    wanted = [(read_number(), read_number()) for _ in range(read_number())]
    addresses = [read_number() for _ in range(read_number())]
    listeners.hand_over(wanted, addresses)


def read_job():
    return guest_messages.decode(read_exactly(CONTROL, read_number()))


def close_other_files():
    for name in os.listdir("/proc/self/fd"):
        fd = int(name)
        if fd > 2 and fd not in (CONTROL, CHANNEL):
            try:
                os.close(fd)
            except OSError:
                pass


def drop_bounding_set():
    for capability in range(64):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError as error:
            # Beyond the last capability that this kernel knows.
            if error.errno == 22:
                return
            raise


def drop_capabilities():
    call("capset", CAPABILITY_VERSION_3 + bytes(4), bytes(24))


def give_up_rights(user, listened):
    if user is not None or listened:
        drop_bounding_set()
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    drop_capabilities()
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    # Same-user processes could otherwise read and write this one through /proc/1.
    prctl(PR_SET_DUMPABLE, 0)


def status_of_self():
    """Answers by name. No line is looked at that nobody asks for."""
    fd = os.open("/proc/self/status", os.O_RDONLY)
    text = os.read(fd, 16384)
    os.close(fd)

    def value_of(name):
        start = text.index(name) + len(name)
        return text[start:text.index(b"\n", start)]

    return value_of


def check_rights(user, listened):
    """Trusts the kernel's answer, not the calls made above."""
    value_of = status_of_self()
    sets = SETS_OF_RIGHTS if user is not None or listened else SETS_OF_RIGHTS[:-1]
    for name in sets:
        if int(value_of(name), 16) != 0:
            raise PermissionError("capabilities are left in " + name.decode().strip())
    if user is not None and set(value_of(b"\nUid:\t").split()) != {b"%d" % user}:
        raise PermissionError("the user is still " + value_of(b"\nUid:\t").decode())
    if value_of(b"\nSeccomp:\t") != b"2" or value_of(b"\nNoNewPrivs:\t") != b"1":
        raise PermissionError("the system call filter is not in place")


def stay_unconfined():
    """Without a sandbox: no right is gained, and what loses its parent stays below this process."""
    drop_capabilities()
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    prctl(PR_SET_DUMPABLE, 0)


def confine(user, listened):
    give_up_rights(user, listened)
    check_rights(user, listened)


def report(message):
    say(guest_messages.encode(message) + b"\n")


def say(data):
    while data:
        data = data[os.write(CONTROL, data):]


def expose():
    """Of a child that runs a skill's code: its files in /proc are its own."""
    os.close(CONTROL)
    prctl(PR_SET_DUMPABLE, 1)
    try:
        # When memory runs out, the kernel shall take the skill and not this init.
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(fd, b"1000")
        os.close(fd)
    except OSError:
        pass


def become_child(job):
    expose()
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    language = job["entry"].get("language")
    if language == "shell":
        import shell_harness as runner
    elif language is not None:
        import foreign as runner
    else:
        import harness as runner
    for function, arguments in BEFORE_SKILL:
        function(**arguments)
    runner.main(job, CHANNEL)


def end_others():
    """In a sandbox everything else."""
    try:
        os.kill(-1, 9)
    except ProcessLookupError:
        pass


def end_descendants():
    """What a dead child leaves becomes a child of this process, until there is none."""
    while True:
        for tid in os.listdir("/proc/self/task"):
            try:
                with open("/proc/self/task/%s/children" % tid, encoding="ascii") as file:
                    for word in file.read().split():
                        os.kill(int(word), 9)
            except OSError:
                pass
        try:
            os.wait()
        except ChildProcessError:
            return


def end_with_host(confined):
    """Ends the run when the host's end of the control channel closes.

    bwrap's own request to die with its parent does not reach a process of another user.
    """
    try:
        while os.read(CONTROL, 1):
            pass
    finally:
        # In a sandbox the kernel ends all that is below PID 1.
        if not confined:
            end_descendants()
        os._exit(75)


def wait_for(child):
    while True:
        pid, status, used = os.wait3(0)
        if pid == child:
            return status, round((used.ru_utime + used.ru_stime) * 1000)


def run_program(job, confined):
    """Runs no harness, and not a line of Python in the process that becomes the program but this."""
    import program

    os.close(CHANNEL)
    os.set_inheritable(CONTROL, False)
    started = program.Program(job, end_others if confined else end_descendants, expose)
    failed = started.start()
    if failed:
        report({"not_started": {"step": failed[0], "error": failed[1]}})
    is_over = program.Session(started, CONTROL, report).follow()
    if not confined:
        end_descendants()
    os._exit(0 if is_over else 75)


def take_job():
    # Written out: each word of Python's costs a fork copies of the pages that it touches.
    say(b'{"up":true}\n')
    job = read_job()
    say(b'{"ready":{"uid":%d}}\n' % os.getuid())
    return job


def run(job, confined):
    """Starts what the job names, sees to its end and tells of it; never returns."""
    if "argv" in job:
        run_program(job, confined)
    child = os.fork()
    if child == 0:
        try:
            if confined:
                os.setsid()
            become_child(job)
        finally:
            os._exit(70)
    nothing = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    os.close(CHANNEL)
    job = None
    _thread.start_new_thread(end_with_host, (confined,))
    status, cpu_ms = wait_for(child)
    signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
    report({"exit": code, "signal": signal, "cpu_ms": cpu_ms})
    if not confined:
        end_descendants()
    os._exit(0)


def main():
    # An init that dies of a signal takes its own sandbox down with no word about why.
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    if len(sys.argv) > 1:
        connect(sys.argv[1])
    number = read_number()
    try:
        listened = number == LISTEN
        if listened:
            listen()
            number = read_number()
        confined = number != UNCONFINED
        user = None if number == NO_USER else number
        close_other_files()
        if len(sys.argv) > 2:
            prctl(PR_SET_NO_NEW_PRIVS, 1)
            filter_calls(sys.argv[2])
        if confined:
            confine(user, listened)
        else:
            stay_unconfined()
        job = take_job()
    except Exception as error:
        report({"failure": "%s: %s" % (type(error).__name__, error)})
        os._exit(70)
    run(job, confined)
