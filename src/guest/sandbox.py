"""Enters the root filesystem of a sandbox, in namespaces that exist already.

It reads a configuration of the host. Nothing of a skill or of a caller is read before all
rights are dropped.
"""
import os
import sys

import guest_messages
import namespaces
import pid1
from c_library import Filter, ask, call, perform, prepare
from host_root import HostRoot
from launcher import Denied

FILTER_FD, MAPPED = 4, 5
# Read by the host and by all code inside, instead of paths of the host.
COMMAND_LINE = b"python3\0/guest/init.py\0"
ARGUMENTS_FIELD, ENVIRONMENT_FIELD = 45, 47
# The folder of this file on the host, and inside.
FOLDER, GUEST = "/proc/self/cwd", "/guest"
INTERPRETER_PATHS = ("prefix", "exec_prefix", "base_prefix", "base_exec_prefix", "executable", "_base_executable", "_stdlib_dir")
PR_CAP_AMBIENT, AMBIENT_RAISE = 47, 2


def read_all(fd):
    parts = []
    while True:
        part = os.read(fd, 1 << 16)
        if not part:
            os.close(fd)
            return b"".join(parts)
        parts.append(part)


def take_over_namespaces(maps):
    """Performs what only a process with rights in its own namespaces can do."""
    try:
        if maps is not None:
            own_entry = namespaces.open_own_entry()
            namespaces.write_id_maps(*maps, own_entry)
            os.close(own_entry)
        ask("sethostname", b"sandbox", 7)
        namespaces.bring_loopback_up()
        perform([namespaces.MAKE_PRIVATE])
    except OSError as error:
        raise Denied(error) from None


def read_memory_range(first_field):
    """Returns the addresses of the arguments or of the environment of this process."""
    fd = os.open("/proc/self/stat", os.O_RDONLY | os.O_CLOEXEC)
    fields = os.read(fd, 4096).rpartition(b")")[2].split()
    os.close(fd)
    return int(fields[first_field]), int(fields[first_field + 1])


def hide_host():
    """Overwrites the arguments and the environment that /proc shows to the run."""
    for field, text in ((ARGUMENTS_FIELD, COMMAND_LINE), (ENVIRONMENT_FIELD, b"")):
        start, end = read_memory_range(field)
        if end > start:
            function, arguments = prepare("memcpy", start, text.ljust(end - start, b"\0")[: end - start], end - start)
            function(*arguments)


def move_path(path, moves):
    for source, target in moves:
        if path == source or path.startswith(source + "/"):
            return target + path[len(source):]
    return path


def move_interpreter(moves):
    """Lets this interpreter use its files, and those of the guest, by their paths inside."""
    moves = [*moves, (FOLDER, GUEST)]
    own = (move_path(each, moves) for each in sys.path)
    sys.path[:] = [GUEST, *(each for each in own if each != GUEST)]
    sys.path_importer_cache.clear()
    for argv in (sys.argv, getattr(sys, "orig_argv", [])):
        argv[:] = [move_path(each, moves) for each in argv]
    move_attributes(sys, INTERPRETER_PATHS, moves)
    for module in list(sys.modules.values()):
        move_attributes(module, ("__file__", "__cached__"), moves)
        spec = getattr(module, "__spec__", None)
        move_attributes(spec, ("origin", "cached"), moves)
        for paths in (getattr(module, "__path__", None), getattr(spec, "submodule_search_locations", None)):
            if isinstance(paths, list):
                paths[:] = [move_path(each, moves) for each in paths]


def move_attributes(owner, names, moves):
    for name in names:
        value = getattr(owner, name, None)
        if isinstance(value, str):
            moved = move_path(value, moves)
            if moved != value:
                setattr(owner, name, moved)


def read_config(fd):
    return guest_messages.decode(read_all(fd))


def run(fd, ids):
    """`ids` of the user and the group outside; None for root, whose run gets its user later."""
    config, code = read_config(fd), read_all(FILTER_FD)
    take_over_namespaces(ids and ((0, ids[0]), (0, ids[1])))
    own_entry = namespaces.open_own_entry()
    root = HostRoot(config["steps"], config["top"], ids is not None, config["views"])
    root.enter()
    root.check()
    pid1.note_views()
    hide_host()
    move_interpreter(config["moves"])
    pid1.INTERPRETER = config["interpreter"]
    pid1.main_in(Filter(code), own_entry, ids and config["user"])


def set_capabilities(mask):
    """Keeps these capabilities when a program is executed, and no others."""
    for capability in range(64):
        if mask >> capability & 1:
            continue
        try:
            pid1.prctl(pid1.PR_CAPBSET_DROP, capability)
        except OSError:
            # Past the last capability of this kernel.
            break
    low, high = mask & 0xFFFFFFFF, mask >> 32
    sets = b"".join(each.to_bytes(4, sys.byteorder) for each in (low, low, low, high, high, high))
    call("capset", pid1.CAPABILITY_VERSION_3 + bytes(4), sets)
    for capability in range(64):
        if mask >> capability & 1:
            call("prctl", PR_CAP_AMBIENT, AMBIENT_RAISE, capability, 0, 0)


def execute(config):
    pid1.prctl(pid1.PR_SET_NO_NEW_PRIVS, 1)
    os.execve(config["argv"][0], config["argv"], config["environment"])


def start_zygote(fd, ids):
    config = read_config(fd)
    user, maps = config["user"], None
    if config["is_mapped_by_host"]:
        os.read(MAPPED, 1)
    else:
        maps = ((user, ids[0]), (user, ids[1]))
    take_over_namespaces(maps)
    HostRoot(config["steps"], config["top"]).enter()
    set_capabilities(config["capabilities"])
    execute(config)


def view_as_user(fd, _):
    """Mounts what a user cannot reach, and executes the next launcher as that user."""
    config = read_config(fd)
    user = config["user"]
    call("unshare", namespaces.NEW_MOUNTS)
    perform([namespaces.MAKE_PRIVATE])
    HostRoot(config["steps"], config["top"]).enter()
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    os.chdir(GUEST)
    execute(config)


KINDS = {"run": run, "zygote": start_zygote, "view": view_as_user}
