"""A second wall around a run, where the kernel has Landlock: files outside of the run's root stay closed, even if a
descriptor or a mistake in its mounts leads to them.
"""
import os
import struct
import sys

from c_library import ask, call

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
BENEATH = 1
EINVAL = 22
# All rights over files of Linux 6.10, 6.2 and 5.19. Without the last one, files cannot be moved between folders.
RIGHTS = (0xFFFF, 0x7FFF, 0x3FFF)
# Execute, write, read, truncate, ioctl: a rule for a file has no others.
FILE_RIGHTS = 0xC007


def raise_wall():
    """Restricts this process and its children for ever; returns whether the kernel can."""
    rights, ruleset = create_ruleset()
    if ruleset is None:
        return False
    root = os.open("/", os.O_PATH | os.O_DIRECTORY)
    allow(ruleset, root, rights)
    # The host may have opened the standard streams, which programs open again as /dev/stdin.
    for fd in (0, 1, 2):
        try:
            allow(ruleset, fd, rights & FILE_RIGHTS)
        except OSError:
            # A pipe, which Landlock does not know, or nothing.
            pass
    call("syscall", RESTRICT_SELF, ruleset, 0)
    os.close(root)
    os.close(ruleset)
    return True


def create_ruleset():
    for rights in RIGHTS:
        try:
            return rights, ask("syscall", CREATE_RULESET, rights.to_bytes(8, sys.byteorder), 8, 0)
        except OSError as error:
            # Other errors: this kernel has no Landlock, or did not start it.
            if error.errno != EINVAL:
                break
    return 0, None


def allow(ruleset, fd, rights):
    call("syscall", ADD_RULE, ruleset, BENEATH, struct.pack("=Qi", rights, fd), 0)
