"""Runs a program in a minimal root filesystem, as an own user: no container engine is needed.

argv: root folder, uid, working folder, JSON list of [source, target, writable], program and arguments.
"""
import ctypes
import json
import os
import platform
import sys

MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 32, 4096, 16384, 1 << 18
MNT_DETACH = 2
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}[platform.machine()]

libc = ctypes.CDLL(None, use_errno=True)


def check(result, action):
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, "%s: %s" % (action, os.strerror(code)))


def mount(source, target, kind=None, flags=0, data=None):
    encode = lambda text: None if text is None else text.encode()
    result = libc.mount(encode(source), encode(target), encode(kind), flags, encode(data))
    check(result, "mount %s" % target)


def bind(root, source, target, is_writable):
    path = root + target
    if os.path.isdir(source):
        os.makedirs(path, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, "a").close()
    mount(source, path, flags=MS_BIND | MS_REC)
    if not is_writable:
        mount(None, path, flags=MS_BIND | MS_REMOUNT | MS_RDONLY)


root, uid, cwd, mounts = sys.argv[1], int(sys.argv[2]), sys.argv[3], json.loads(sys.argv[4])
mount(None, "/", flags=MS_REC | MS_PRIVATE)
mount(root, root, flags=MS_BIND | MS_REC)
for source, target, is_writable in mounts:
    bind(root, source, target, is_writable)
os.makedirs(root + "/proc", exist_ok=True)
mount("proc", root + "/proc", "proc")
os.chdir(root)
check(libc.syscall(PIVOT_ROOT, b".", b"."), "pivot_root")
check(libc.umount2(b".", MNT_DETACH), "umount")
os.chdir(cwd)
if uid != 0:
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)
os.execv(sys.argv[5], sys.argv[5:])
