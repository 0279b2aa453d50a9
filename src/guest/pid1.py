"""First process of a run: drops all rights, starts the skill's process, reaps children, reports
the end.

The host writes two messages to CONTROL: the user id, as four bytes, and, when all limits are
in place, the job, as four bytes of length and JSON. For a run with a network, it first sends
which sockets to bind, as integers only. No input of a caller is read before all rights are
dropped, and no code of a skill runs before the job arrives.
"""
import _signal
import _thread
import os
import sys

import guest_messages
import second_wall
import skill_user
from c_library import Filter, ask, call, perform

CONTROL = 6
CHANNEL = 7
FILTER = 4
NO_USER = 0xFFFFFFFF
UNCONFINED = 0xFFFFFFFE
LISTEN = 0xFFFFFFFD

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_KEEPCAPS = 8
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
# Command that runs a skill's Python, if that is not the interpreter of this process.
INTERPRETER = None
# Argument of a container whose kernel must be that of gVisor. The user of the skill follows.
GVISOR = "gvisor"
# Argument of a sandbox that bwrap made for root.
OF_ROOT = "of root"
# Passes on all streams where no descriptor can be passed; None in other sandboxes.
RELAY = None
# The files of the run, where they were copied by `placing`; None where they are mounted.
PLACED = None
# Mount points of overlays in the run, as JSON.
VIEWS = b"[]"
# True in a user namespace whose only user is that of the run.
OWN_USERS = False
# Whether Landlock keeps the files outside of the root closed.
LANDLOCK = False
BOOLEANS = (b"false", b"true")
# Functions and their keyword arguments, called in the process that runs a skill's code.
BEFORE_SKILL = []
AMBIENT_FIELD = b"\nCapAmb:\t"
CAPABILITY_FIELDS = (b"\nCapInh:\t", b"\nCapPrm:\t", b"\nCapEff:\t", AMBIENT_FIELD, b"\nCapBnd:\t")
EPERM, ENOSPC = 1, 28
OPEN_FILE_SYSTEM, CONFIGURE_FILE_SYSTEM, DETACHED_MOUNT = 430, 431, 432
CREATE_FILE_SYSTEM = 6
CLOSE_ON_EXEC = 1
# SETPCAP and SYS_ADMIN: effective, permitted and not inheritable, then the higher halves.
LAST_RIGHTS = 2 * (1 << 8 | 1 << 21).to_bytes(4, sys.byteorder) + bytes(16)
CAPABILITY_VERSION_3 = (0x20080522).to_bytes(4, sys.byteorder)


def prctl(option, value):
    call("prctl", option, value, 0, 0, 0)


def filter_calls(path):
    """Loads the seccomp filter of the other sandboxes, in addition to the filter of the
    container engine.
    """
    import ctypes

    with open(path, "rb") as file:
        code = file.read()

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]

    program = Program(len(code) // 8, code)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def start_relay():
    global RELAY
    import relay

    # Reserves the numbers, which are replaced below.
    for fd in (CONTROL, CHANNEL):
        os.dup2(0, fd)
    RELAY = relay.Relay()
    RELAY.start_streams(CONTROL, CHANNEL)


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
    is_relayed = RELAY is not None and not RELAY.is_running()
    data = RELAY.read_control(4) if is_relayed else read_exactly(CONTROL, 4)
    return int.from_bytes(data, "big")


def bind_listeners():
    import listeners

    wanted = [(read_number(), read_number()) for _ in range(read_number())]
    addresses = [read_number() for _ in range(read_number())]
    if RELAY is None:
        listeners.pass_listeners(wanted, addresses)
    else:
        RELAY.bind(wanted, addresses)


def read_job():
    return guest_messages.decode(read_exactly(CONTROL, read_number()))


def close_other_files():
    relayed = set() if RELAY is None else RELAY.descriptors()
    for name in os.listdir("/proc/self/fd"):
        fd = int(name)
        if fd > 2 and fd not in (CONTROL, CHANNEL) and fd not in relayed:
            try:
                os.close(fd)
            except OSError:
                pass


def drop_bounding_set():
    for capability in range(64):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError as error:
            # EINVAL: past the last capability of this kernel.
            if error.errno == 22:
                return
            raise


def leave_root(user, own_entry):
    """Becomes a user in a namespace of that user alone, whose rights are none outside."""
    os.setgroups([])
    os.setresgid(user, user, user)
    prctl(PR_SET_KEEPCAPS, 1)
    os.setresuid(user, user, user)
    # Some systems let only a process with rights create such a namespace.
    call("capset", CAPABILITY_VERSION_3 + bytes(4), LAST_RIGHTS)
    # The number of such namespaces is limited, perhaps to none. The result states it.
    enter_own_users(user, own_entry, (ENOSPC,))


def enter_own_users(user, own_entry, expected):
    """Enters a namespace of one user, unless the kernel refuses it with an expected error."""
    global OWN_USERS
    import namespaces

    # As in a fork, whose id maps could not be written either.
    prctl(PR_SET_DUMPABLE, 1)
    try:
        call("unshare", namespaces.NEW_USER)
    except OSError as error:
        if error.errno not in expected:
            raise
        return
    namespaces.write_id_maps((user, user), (user, user), own_entry)
    OWN_USERS = True


def leave_container():
    """Enters a user namespace in a container: it owns nothing of it. Engines may refuse that."""
    own_entry = os.open("/proc/self", os.O_RDONLY | os.O_DIRECTORY)
    try:
        prctl(PR_SET_DUMPABLE, 1)
        # After the namespace was made, there would be no way back.
        os.close(os.open("uid_map", os.O_WRONLY, dir_fd=own_entry))
    except OSError:
        os.close(own_entry)
        return
    enter_own_users(os.getuid(), own_entry, (ENOSPC, EPERM))
    os.close(own_entry)


def drop_capabilities():
    call("capset", CAPABILITY_VERSION_3 + bytes(4), bytes(24))


def drop_rights(user, has_network):
    # A container engine has emptied it already, which `check_rights` verifies.
    if OWN_USERS or RELAY is None and (user is not None or has_network):
        drop_bounding_set()
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    drop_capabilities()
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    # Otherwise processes of the same user could read and write this one through /proc/1.
    prctl(PR_SET_DUMPABLE, 0)


def read_own_status():
    """Returns a function that looks up a field, None if the kernel does not show it. Only requested
    lines are parsed.
    """
    fd = os.open("/proc/self/status", os.O_RDONLY)
    text = os.read(fd, 16384)
    os.close(fd)

    def get_field(name):
        at = text.find(name)
        if at < 0:
            return None
        start = at + len(name)
        return text[start:text.index(b"\n", start)]

    return get_field


def has_ambient_capabilities(field):
    if field is not None:
        return int(field, 16) != 0
    import gvisor

    return gvisor.has_ambient_capabilities()


def has_no_new_privileges(field):
    if field is not None:
        return field == b"1"
    import gvisor

    return gvisor.has_no_new_privileges()


def check_rights(user, has_network):
    """Verifies by the kernel's state, independent of the calls above."""
    get_field = read_own_status()
    sets = CAPABILITY_FIELDS if user is not None or has_network else CAPABILITY_FIELDS[:-1]
    for name in sets:
        value = get_field(name)
        if name == AMBIENT_FIELD:
            is_left = has_ambient_capabilities(value)
        else:
            is_left = value is None or int(value, 16) != 0
        if is_left:
            raise PermissionError("capabilities are left in " + name.decode().strip())
    if user is not None and set(get_field(b"\nUid:\t").split()) != {b"%d" % user}:
        raise PermissionError("the user is still " + get_field(b"\nUid:\t").decode())
    check_restrictions(get_field)


def check_restrictions(get_field):
    if get_field(b"\nSeccomp:\t") != b"2" or not has_no_new_privileges(get_field(b"\nNoNewPrivs:\t")):
        raise PermissionError("the system call filter is not in place")


def stay_unconfined():
    """Without a sandbox: prevents gaining rights, and adopts orphans so that they stay below
    this process.
    """
    drop_capabilities()
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    prctl(PR_SET_DUMPABLE, 0)


def confine(user, has_network):
    if skill_user.USER is not None:
        import gvisor

        gvisor.keep_supervisor_rights()
        gvisor.check_supervisor_rights()
        return
    drop_rights(user, has_network)
    check_rights(user, has_network)


def report(message):
    write_control(guest_messages.encode(message) + b"\n")


def write_control(data):
    while data:
        data = data[os.write(CONTROL, data):]


def expose():
    """Makes a child that runs a skill's code own its files in /proc."""
    os.close(CONTROL)
    if RELAY is not None:
        for fd in RELAY.descriptors():
            os.close(fd)
    if skill_user.USER is not None:
        import gvisor

        gvisor.become_user(skill_user.USER)
    prctl(PR_SET_DUMPABLE, 1)
    try:
        # If memory runs out, the kernel must kill the skill and not this init.
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(fd, b"1000")
        os.close(fd)
    except OSError:
        pass


def become_child(job):
    expose()
    # Python turns Ctrl-C of a terminal into KeyboardInterrupt.
    action = _signal.default_int_handler if "interactive" in job else _signal.SIG_DFL
    _signal.signal(_signal.SIGINT, action)
    language = job["entry"].get("language")
    if language is None and INTERPRETER is not None:
        job["interpreter"] = INTERPRETER
    if "interpreter" in job:
        import foreign as runner
    elif language == "shell":
        import shell_harness as runner
    elif language is not None:
        import foreign as runner
    else:
        import harness as runner
    for function, arguments in BEFORE_SKILL:
        function(**arguments)
    if "write" in job:
        import first_files

        os.umask(0o022)
        os.chdir(job["folders"]["workspace"])
        first_files.create_files(job)
    runner.main(job, CHANNEL)


def end_others():
    """Kills all other processes of the sandbox."""
    # Outside of a PID namespace, this would kill every process of the user.
    if os.getpid() != 1:
        raise PermissionError("this is not the first process")
    try:
        os.kill(-1, 9)
    except ProcessLookupError:
        pass


def end_descendants():
    """Kills all descendants. Orphans become children of this process, so it repeats until none
    is left.
    """
    while True:
        for tid in os.listdir("/proc/self/task"):
            try:
                with open("/proc/self/task/%s/children" % tid, encoding="ascii") as file:
                    for pid_text in file.read().split():
                        os.kill(int(pid_text), 9)
            except OSError:
                pass
        try:
            os.wait()
        except ChildProcessError:
            return


def end_with_host(confined):
    """Ends the run when the host closes its end of the control channel.

    The parent-death signal of bwrap does not reach a process of another user.
    """
    try:
        while os.read(CONTROL, 1):
            pass
    finally:
        # In a sandbox, the kernel ends all processes when PID 1 exits.
        if not confined:
            end_descendants()
        os._exit(75)


def leave(code):
    """Ends the run, after the last output where this process passes it on."""
    if RELAY is not None:
        if os.getpid() == 1:
            end_others()
        RELAY.leave(code, CONTROL, (0, 1, 2))
    os._exit(code)


def wait_for(child):
    while True:
        pid, status, used = os.wait3(0)
        if pid == child:
            return status, round((used.ru_utime + used.ru_stime) * 1000)


def run_program(job, confined):
    """Runs a program without a harness. In the process that becomes the program, no other Python
    code runs.
    """
    import program

    def execute(*arguments):
        expose()
        program.exec_program(*arguments)

    os.close(CHANNEL)
    os.set_inheritable(CONTROL, False)
    started = program.Program(job, end_others if confined else end_descendants, execute)
    failed = started.start()
    if failed:
        report({"not_started": {"step": failed[0], "error": failed[1]}})
    follow_program(started, confined)


def run_interactively(job, confined):
    """Runs a skill's code whose standard streams are a terminal or pipes of the user."""
    import program

    def execute(job, files, _):
        program.attach_streams(files)
        close_other_files()
        become_child(job)

    os.set_inheritable(CONTROL, False)
    started = program.Program(job, end_others if confined else end_descendants, execute)
    started.start()
    os.close(CHANNEL)
    follow_program(started, confined)


def run_commands(job):
    """Runs the commands of a session, which share the sandbox, until the host disconnects."""
    import commands
    import program

    def execute(*arguments):
        # Before other processes can inspect this one.
        os.close(CHANNEL)
        expose()
        if "kernel" in arguments[0]:
            import kernels

            kernels.prepare_interpreter(arguments[0], CHANNEL, INTERPRETER)
        program.exec_program(*arguments)

    for fd in (CONTROL, CHANNEL):
        os.set_inheritable(fd, False)
    defaults = {name: job[name] for name in ("limits", "filter", "kernel") if name in job}
    commands.CommandHost(CHANNEL, CONTROL, defaults, execute).serve()
    leave(75)


def follow_program(started, confined):
    """Relays its streams until its end; never returns."""
    import program

    is_over = program.Session(started, CONTROL, report).follow()
    if not confined:
        end_descendants()
    leave(0 if is_over else 75)


def receive_job(close=None):
    """`close` runs before any content of the job is parsed."""
    # Literal bytes: encoding would copy pages that the forks share.
    write_control(b'{"up":true}\n')
    data = read_exactly(CONTROL, read_number())
    if close is not None:
        close()
    job = guest_messages.decode(data)
    write_control(
        b'{"ready":{"uid":%d,"own_users":%b,"landlock":%b,"views":%b}}\n'
        % (os.getuid(), BOOLEANS[OWN_USERS], BOOLEANS[LANDLOCK], VIEWS)
    )
    return job


def raise_wall():
    global LANDLOCK
    LANDLOCK = second_wall.raise_wall()


def note_views():
    """Lists the overlays now, for the report to the host."""
    global VIEWS
    import mount_table

    VIEWS = guest_messages.encode(mount_table.list_overlays())


def run(job, confined):
    """Starts the job, waits for its end and reports it; never returns."""
    if "commands" in job:
        run_commands(job)
    if "argv" in job:
        run_program(job, confined)
    if "interactive" in job:
        run_interactively(job, confined)
    child = os.fork()
    if child == 0:
        try:
            if confined:
                os.setsid()
            become_child(job)
        finally:
            os._exit(70)
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.close(CHANNEL)
    job = None
    _thread.start_new_thread(end_with_host, (confined,))
    status, cpu_ms = wait_for(child)
    signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
    report({"exit": code, "signal": signal, "cpu_ms": cpu_ms})
    if not confined:
        end_descendants()
    leave(0)


def receive_user():
    """Returns the number of the user, and whether the run has a network, whose sockets are bound
    then.
    """
    number = read_number()
    has_network = number == LISTEN
    if has_network:
        bind_listeners()
        number = read_number()
    return number, has_network


def receive_job_openly():
    """Lets the host open the folders of the run before the job arrives. No other process is in the
    sandbox until then.
    """
    prctl(PR_SET_DUMPABLE, 1)
    return receive_job(close_to_others)


def close_to_others():
    prctl(PR_SET_DUMPABLE, 0)


def report_failure(error):
    report({"failure": "%s: %s" % (type(error).__name__, error)})
    if RELAY is not None:
        if not RELAY.is_running():
            RELAY.run()
        os.close(CHANNEL)
    leave(70)


def main_in(call_filter, own_entry, inside):
    """Continues in a process that is in its namespaces and still has all rights in them.

    `own_entry` is this process's entry in a procfs of the host, and `inside` its user in the last user
    namespace; None if the host sends a user, which is then the same inside and outside.
    """
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    try:
        number, _ = receive_user()
        user = None if number == NO_USER else number
        import namespaces

        perform([namespaces.HIDE_GROUP])
        if inside is not None:
            namespaces.enter_user_namespace(inside, 0, own_entry)
        elif user is None:
            raise PermissionError("a run of root needs a user of its own")
        else:
            leave_root(user, own_entry)
        close_other_files()
        drop_rights(None, True)
        # The change of the user has cleared it.
        prctl(PR_SET_PDEATHSIG, _signal.SIGKILL)
        call_filter.load()
        check_rights(user, True)
        raise_wall()
        job = receive_job() if inside is None else receive_job_openly()
    except Exception as error:
        report_failure(error)
    run(job, True)


def main_of_root():
    """Continues in a sandbox of bwrap that root started: with some rights, and without a filter yet."""
    try:
        with os.fdopen(FILTER, "rb") as stream:
            call_filter = Filter(stream.read())
        own_entry = open_own_entry()
        note_views()
    except Exception as error:
        report_failure(error)
    main_in(call_filter, own_entry, None)


def open_own_entry():
    """Opens this process in a procfs that is nowhere mounted: the one of the run is read-only."""
    context = ask("syscall", OPEN_FILE_SYSTEM, b"proc", CLOSE_ON_EXEC)
    call("syscall", CONFIGURE_FILE_SYSTEM, context, CREATE_FILE_SYSTEM, 0, 0, 0)
    processes = ask("syscall", DETACHED_MOUNT, context, CLOSE_ON_EXEC, 0)
    return os.open("self", os.O_RDONLY | os.O_DIRECTORY, dir_fd=processes)


def return_placed(write):
    """Ends the processes of a run without a namespace, and returns its files."""
    end_descendants()
    PLACED.give_back(write)


def main_placed(placed):
    """Continues where the files of the run have been copied to. Nothing here is a sandbox: the host
    relies on that of the executor.
    """
    global PLACED
    PLACED = placed
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    start_relay()
    RELAY.at_end = return_placed
    try:
        number, _ = receive_user()
        if number != UNCONFINED:
            raise PermissionError("a placed run has the user of its executor")
        close_other_files()
        stay_unconfined()
        RELAY.run()
        job = receive_job()
        placed.adapt(job)
    except Exception as error:
        report_failure(error)
    run(job, False)


def main():
    if sys.argv[1:] == [OF_ROOT]:
        main_of_root()
    # An init that dies of a signal would end its sandbox without reporting why.
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    if sys.argv[3:4] == [GVISOR]:
        skill_user.USER = int(sys.argv[4])
    if len(sys.argv) > 1:
        start_relay()
    try:
        number, has_network = receive_user()
        confined = number != UNCONFINED
        user = None if number == NO_USER else number
        close_other_files()
        if skill_user.USER is not None:
            import gvisor

            gvisor.require()
        if len(sys.argv) > 1:
            prctl(PR_SET_NO_NEW_PRIVS, 1)
            if confined and skill_user.USER is None:
                leave_container()
            filter_calls(sys.argv[1])
        if confined:
            confine(user, has_network)
        else:
            stay_unconfined()
        if RELAY is not None:
            RELAY.run()
        elif confined:
            note_views()
        if confined:
            raise_wall()
        job = receive_job()
    except Exception as error:
        report_failure(error)
    run(job, confined)
