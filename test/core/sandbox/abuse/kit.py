"""Runs a list of attacks, each in its own process, and reports which succeeded.

An attack is Python source. It succeeds if it ends without an exception. It is held if it
raises OSError or Held, or if the kernel kills it with SIGSYS. Anything else is a mistake in
the attack.
"""
import ctypes
import fcntl
import json
import mmap
import os
import resource
import select
import signal
import socket
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)
DEADLINE = 20


class Held(Exception):
    pass


def expects(condition, why="nothing was there"):
    if not condition:
        raise Held(why)


def failing(result, what="call"):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result


def call(number, *args):
    words = [ctypes.c_ulong(each) if isinstance(each, int) and each >= 0 else each for each in args]
    words = [ctypes.c_long(each) if isinstance(each, int) else each for each in words]
    return failing(libc.syscall(ctypes.c_long(number), *words))


def reaches(number, *args):
    """True if the kernel executes a system call, whatever it returns."""
    try:
        return call(number, *args)
    except OSError as error:
        if error.errno in (1, 38, 97):
            raise
        return -1


def slurp(path, size=1 << 20):
    with open(path, "rb") as file:
        return file.read(size)


def create(path):
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    os.unlink(path)


def open_to_write(path):
    os.close(os.open(path, os.O_WRONLY))


def rewrite(path):
    """Writes the existing content back, so that nothing changes outside of a sandbox."""
    with open(path, "r+b", buffering=0) as file:
        value = file.read(64)
        file.seek(0)
        file.write(value)


def scratch(name):
    return "/tmp/skills-abuse-%s-%d" % (name, os.getpid())


def connect(family, address, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as client:
        client.settimeout(3)
        client.connect(address)
        if kind == socket.SOCK_DGRAM:
            client.send(b"ping")
            expects(client.recv(16) == b"pong")


def route_to(family, address):
    with socket.socket(family, socket.SOCK_DGRAM) as client:
        client.connect((address, 53))


def child_of_own():
    child = os.fork()
    if child == 0:
        signal.pause()
    return child


def run_machine_code(code):
    page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()


def status_of(name, pid="self"):
    for line in slurp("/proc/%s/status" % pid).decode().splitlines():
        if line.startswith(name + ":"):
            return line.split(":", 1)[1].strip()
    return ""


def described(error):
    if isinstance(error, (OSError, Held)):
        return "held: %s: %s" % (type(error).__name__, error)
    return "mistake: %s: %s" % (type(error).__name__, error)


def attempt(source, facts):
    """Runs in a child process, so that damage ends with it."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(DEADLINE)
        try:
            exec(source, dict(globals(), **facts))
            said = "through"
        except BaseException as error:
            said = described(error)
        os.write(write, said.encode("utf-8", "backslashreplace")[:2000])
        os._exit(0)
    os.close(write)
    said = b""
    while select.select([read], [], [], DEADLINE + 5)[0]:
        piece = os.read(read, 4096)
        said += piece
        if not piece:
            break
    os.close(read)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if said:
        return said.decode("utf-8", "backslashreplace")
    if not os.WIFSIGNALED(status):
        return "mistake: it exited without a message"
    name = signal.Signals(os.WTERMSIG(status)).name
    return ("held: killed by %s" if name in ("SIGSYS", "SIGSEGV") else "mistake: killed by %s") % name


def main(args):
    facts = dict(args["facts"], HERE=os.path.dirname(os.path.abspath(__file__)))
    if args.get("ids"):
        facts["BLOB"] = "/blobs/" + args["ids"][0]
    return {name: attempt(source, facts) for name, source in args["attacks"].items()}


if __name__ == "__main__":
    print(json.dumps(main(json.load(sys.stdin))))
