"""Ends the processes of one command, in a sandbox that other commands share."""
import os
import resource

MAX_ROUNDS = 50
SIGKILL, SIGSTOP = 9, 19
ZOMBIE = b"Z"


def list_processes():
    """Returns the parent, the session and the start time of each process, by pid."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            fd = os.open("/proc/%s/stat" % name, os.O_RDONLY)
            text = os.read(fd, 1024)
            os.close(fd)
        except OSError:
            continue
        # The process name, in parentheses, may contain any character.
        state, parent, _, session, *others = text[text.rindex(b")") + 2:].split()[:20]
        if state != ZOMBIE:
            found[int(name)] = (int(parent), int(session), int(others[-1]))
    return found


def select_members(leader, processes, known=frozenset()):
    """Returns the processes of the command's terminal session, the `known` ones, and all below them.

    A daemon is none of them: it has started its own session, and its parent has ended.
    """
    members = {
        pid
        for pid, (_, session, started) in processes.items()
        if leader in (pid, session) or (pid, started) in known
    }
    while True:
        below = {pid for pid, (parent, _, _) in processes.items() if parent in members} - members
        if not below:
            return members - {1, os.getpid()}
        members |= below


def send(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except OSError:
            pass


def limit_files(is_full):
    """Makes writes to files fail, or no longer, in all processes below this one. Forked ones
    inherit that.
    """
    done = set()
    for _ in range(MAX_ROUNDS):
        new = select_members(os.getpid(), list_processes()) - done
        if not new:
            return
        for pid in new:
            try:
                _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (0 if is_full else most, most))
            except OSError:
                pass
        done |= new


def find_members(leader):
    """Returns the pids and start times of the command's processes, as long as their parents live."""
    processes = list_processes()
    return {(pid, processes[pid][2]) for pid in select_members(leader, processes)}


def kill_all(leader, known):
    """Kills them; true if there were some. They are stopped first: a stopped process forks no
    other.
    """
    stopped = set()
    for _ in range(MAX_ROUNDS):
        new = select_members(leader, list_processes(), known) - stopped
        if not new:
            break
        send(new, SIGSTOP)
        stopped |= new
    send(stopped, SIGKILL)
    return bool(stopped)
