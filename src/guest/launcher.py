"""Creates the namespaces of a sandbox, without another program.

It starts on the host and does one of three things: `run` forks the first process of a run;
`zygote` forks a zygote; `view` mounts the zygote's files as root and becomes another user, who
then starts the zygote's launcher. It forks before it loads anything that only the child needs,
because the host adds the child to a control group meanwhile.
"""
import os
import sys

import namespaces
from c_library import call

ROOT_NAMESPACES = namespaces.RUN_NAMESPACES | namespaces.NEW_PROCESSES
PR_SET_PDEATHSIG, SIGKILL = 1, 9
ENOSPC = 28
FAILED = 70
SIGNALLED = 128


class Denied(Exception):
    """This machine does not let the user create namespaces."""

    def __init__(self, error):
        # The kernel calls an exceeded limit of namespaces a lack of space.
        reason = "their limit is reached" if error.errno == ENOSPC else error.strerror
        # The host recognises the beginning.
        super().__init__("no namespaces: " + reason)


def fail(error):
    path = " (%s)" % error.filename if getattr(error, "filename", None) else ""
    text = "%s%s\n" % (getattr(error, "strerror", None) or error, path)
    os.write(2, text.encode("utf-8", "replace"))
    os._exit(FAILED)
    # Code of a skill may have replaced the function.
    raise SystemExit(FAILED)


def die_with_parent():
    call("prctl", PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)


def fork_first_process(is_root):
    """Returns the pid in the parent, and 0 in the first process of the new namespaces."""
    flags = ROOT_NAMESPACES | (0 if is_root else namespaces.NEW_USER)
    try:
        return namespaces.fork_into(namespaces.build_fork_arguments(flags))
    except OSError as error:
        raise Denied(error) from None


def wait_for_end(pid, info):
    """Waits for the first process, with which all others end, and exits in the same way."""
    os.write(info, b'{"child-pid":%d}' % pid)
    os.closerange(0, 64)
    _, status = os.waitpid(pid, 0)
    signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    os._exit(SIGNALLED + signal if signal else os.WEXITSTATUS(status))


def main():
    kind, arguments, info, user = sys.argv[1:]
    ids = os.getuid(), os.getgid()
    is_root = kind == "run" and user == "root"
    try:
        die_with_parent()
        if kind != "view":
            namespaces.prefer_for_out_of_memory_killer()
            pid = fork_first_process(is_root)
            if pid:
                wait_for_end(pid, int(info))
            os.close(int(info))
            die_with_parent()
            os.setsid()
        import sandbox

        sandbox.KINDS[kind](int(arguments), None if is_root else ids)
    except Exception as error:
        fail(error)
