"""Creates the namespaces and the root filesystem of a sandbox, without another program.

It starts on the host, reads a configuration of the host, and does one of three things: `run`
forks the first process of a run; `zygote` forks a zygote; `view` mounts the zygote's files as
root and becomes another user, who then starts the zygote's launcher. Nothing of a skill or of a
caller is read before all rights are dropped.
"""
import os
import sys

import guest_messages
import namespaces
import pid1
from c_library import ask, call, perform, prepare
from host_root import HostRoot

FILTER, MAPPED = 4, 5
# Read by the host and by all code inside, instead of paths of the host.
COMMAND_LINE = b"python3\0/guest/init.py\0"
ROOT_NAMESPACES = namespaces.RUN_NAMESPACES | namespaces.NEW_PROCESSES
ARGUMENTS_FIELD, ENVIRONMENT_FIELD = 45, 47
PR_CAP_AMBIENT, AMBIENT_RAISE = 47, 2
ENOSPC = 28
FAILED = 70
SIGNALLED = 128


def read_all(fd):
    parts = []
    while True:
        part = os.read(fd, 1 << 16)
        if not part:
            os.close(fd)
            return b"".join(parts)
        parts.append(part)


def fail(error):
    path = " (%s)" % error.filename if getattr(error, "filename", None) else ""
    text = "%s%s\n" % (getattr(error, "strerror", None) or error, path)
    os.write(2, text.encode("utf-8", "replace"))
    os._exit(FAILED)


def die_with_parent():
    pid1.prctl(pid1.PR_SET_PDEATHSIG, 9)


class Denied(Exception):
    """This machine does not let the user create namespaces."""


def describe_denial(error):
    """The host recognises the beginning."""
    # The kernel calls an exceeded limit of namespaces a lack of space.
    return "no namespaces: " + ("their limit is reached" if error.errno == ENOSPC else error.strerror)


def fork_first_process(is_root):
    """Returns the pid in the parent, and 0 in the first process of the new namespaces."""
    flags = ROOT_NAMESPACES | (0 if is_root else namespaces.NEW_USER)
    try:
        return namespaces.fork_into(namespaces.build_fork_arguments(flags))
    except OSError as error:
        raise Denied(describe_denial(error)) from None


def wait_for_end(pid, info):
    """Waits for the first process, with which all others end, and exits in the same way."""
    os.write(info, b'{"child-pid":%d}' % pid)
    os.closerange(0, 64)
    _, status = os.waitpid(pid, 0)
    signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    os._exit(SIGNALLED + signal if signal else os.WEXITSTATUS(status))


def take_over_namespaces(maps):
    """Performs what only a process with rights in its own namespaces can do."""
    try:
        if maps is not None:
            namespaces.write_id_maps(*maps)
        ask("sethostname", b"sandbox", 7)
        namespaces.bring_loopback_up()
        perform([namespaces.MAKE_PRIVATE])
    except OSError as error:
        raise Denied(describe_denial(error)) from None


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


def use_guest_folder(moves):
    """Later imports read the sandbox's own files."""
    own = [each for each in sys.path if not each.startswith("/proc/")]
    sys.path[:] = ["/guest", *(move_path(each, moves) for each in own)]
    sys.path_importer_cache.clear()


def run(config):
    is_root = config["is_root"]
    code = read_all(FILTER)
    uid, gid = os.getuid(), os.getgid()
    pid = fork_first_process(is_root)
    if pid:
        wait_for_end(pid, config["info"])
    try:
        die_with_parent()
        os.setsid()
        take_over_namespaces(None if is_root else ((0, uid), (0, gid)))
        if config["folders"]:
            import give_folders

            give_folders.give_folders(config["folders"])
        root = HostRoot(config["steps"], config["top"], not is_root)
        root.enter()
        root.check()
        hide_host()
        use_guest_folder(config["moves"])
        pid1.INTERPRETER = config["interpreter"]
    except Exception as error:
        fail(error)
    os.close(config["info"])
    pid1.main_in(namespaces.Filter(code), None if is_root else config["user"])


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


def start_zygote(config):
    uid, gid = os.getuid(), os.getgid()
    die_with_parent()
    pid = fork_first_process(False)
    if pid:
        wait_for_end(pid, config["info"])
    try:
        die_with_parent()
        os.setsid()
        user, maps = config["user"], None
        if config["is_mapped_by_host"]:
            os.read(MAPPED, 1)
        else:
            maps = ((user, uid), (user, gid))
        take_over_namespaces(maps)
        HostRoot(config["steps"], config["top"]).enter()
        set_capabilities(config["capabilities"])
        os.execve(config["argv"][0], config["argv"], config["environment"])
    except Exception as error:
        fail(error)


def view_as_user(config):
    """Mounts what a user cannot reach, and executes the next launcher as that user."""
    user = config["user"]
    call("unshare", namespaces.NEW_MOUNTS)
    perform([namespaces.MAKE_PRIVATE])
    HostRoot(config["steps"], config["top"]).enter()
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    os.chdir("/guest")
    os.execve(config["argv"][0], config["argv"], config["environment"])


KINDS = {"run": run, "zygote": start_zygote, "view": view_as_user}


def main():
    try:
        config = guest_messages.decode(read_all(int(sys.argv[1])))
        die_with_parent()
        KINDS[config["kind"]](config)
    except Exception as error:
        fail(error)
