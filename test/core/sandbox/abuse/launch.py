"""Executes another program with inherited leaks: a file descriptor, a key and a variable."""
import ctypes
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)
ADD_KEY, KEYCTL = 248, 250
JOIN_SESSION, SET_PERMISSIONS = 1, 5
SESSION = ctypes.c_int(-3)

user, leaked, program = sys.argv[1], sys.argv[2], sys.argv[3:]
os.dup2(os.open(leaked, os.O_RDONLY), 251)
os.set_inheritable(251, True)
if user != "-":
    os.setgroups([])
    os.setresgid(int(user), int(user), int(user))
    os.setresuid(int(user), int(user), int(user))
libc.syscall(KEYCTL, JOIN_SESSION, None)
key = libc.syscall(ADD_KEY, b"user", b"skills-abuse", b"of-the-host", ctypes.c_ulong(11), SESSION)
libc.syscall(KEYCTL, SET_PERMISSIONS, key, 0x3F3F3F3F)
os.execvp(program[0], program)
