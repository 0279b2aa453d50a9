"""Queries for the kernel of gVisor, whose /proc/self/status has fewer fields than that of Linux."""
import ctypes
import os
import sys

import pid1
from c_library import ask, call

PR_GET_NO_NEW_PRIVS = 39
PR_CAP_AMBIENT, AMBIENT_IS_SET = 47, 1
READ_ALL = 3
EINVAL = 22
LOG_BYTES = 1 << 16
# First line of its kernel log, which no code inside can write to.
FIRST_LINE = b"Starting gVisor"

# CAP_KILL, CAP_SETGID and CAP_SETUID.
SUPERVISOR_CAPABILITIES = 1 << 5 | 1 << 6 | 1 << 7
SUPERVISOR_FIELDS = (
    (b"\nCapInh:\t", 0),
    (b"\nCapPrm:\t", SUPERVISOR_CAPABILITIES),
    (b"\nCapEff:\t", SUPERVISOR_CAPABILITIES),
    (b"\nCapBnd:\t", 0),
)


def require():
    """Raises an error if another kernel serves this process. Called before the filter refuses the
    kernel log.
    """
    log = ctypes.create_string_buffer(LOG_BYTES)
    size = ctypes.CDLL(None, use_errno=True).klogctl(READ_ALL, log, LOG_BYTES)
    if size < 0 or FIRST_LINE not in log.raw[:size].partition(b"\n")[0]:
        raise PermissionError("the kernel of this container is not that of gVisor")


def has_no_new_privileges():
    return ask("prctl", PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1


def has_ambient_capabilities():
    """A kernel that knows no ambient capability at all has none."""
    for capability in range(64):
        try:
            if ask("prctl", PR_CAP_AMBIENT, AMBIENT_IS_SET, capability, 0, 0) != 0:
                return True
        except OSError as error:
            if error.errno != EINVAL:
                raise
    return False


def keep_supervisor_rights():
    """Gives up all capabilities but those that start and end processes of another user. gVisor
    shows the files of a process in /proc to its whole user, so that the first process needs a user
    of its own.
    """
    pid1.drop_bounding_set()
    call("capset", pid1.CAPABILITY_VERSION_3 + bytes(4), encode_capabilities(SUPERVISOR_CAPABILITIES))
    pid1.prctl(pid1.PR_SET_NO_NEW_PRIVS, 1)
    pid1.prctl(pid1.PR_SET_DUMPABLE, 0)


def check_supervisor_rights():
    get_field = pid1.read_own_status()
    for name, mask in SUPERVISOR_FIELDS:
        if int(get_field(name) or b"-1", 16) != mask:
            raise PermissionError("unexpected capabilities in " + name.decode().strip())
    pid1.check_restrictions(get_field)


def become_user(user):
    """Gives up the supervisor's rights in a process that runs code of a skill."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    pid1.drop_capabilities()
    pid1.check_rights(user, True)


def encode_capabilities(mask):
    return b"".join(each.to_bytes(4, sys.byteorder) for each in (mask, mask, 0, 0, 0, 0))
