"""A host process with everything that a run must not reach; exits at the end of its stdin."""
import ctypes
import fcntl
import json
import os
import socket
import sys
import threading
import time

libc = ctypes.CDLL(None, use_errno=True)
KEY = 0x5EC0000 | (os.getpid() & 0xFFFF)
IPC_CREAT = 0o1000


def accept_for_ever(server):
    while True:
        server.accept()[0].close()


def echo_for_ever(server):
    while True:
        server.sendto(b"pong", server.recvfrom(16)[1])


def listen(family, address):
    server = socket.socket(family, socket.SOCK_STREAM)
    if family == socket.AF_INET6:
        server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    server.bind(address)
    server.listen()
    threading.Thread(target=accept_for_ever, args=(server,), daemon=True).start()
    return server.getsockname()


def echo():
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))
    threading.Thread(target=echo_for_ever, args=(server,), daemon=True).start()
    return server.getsockname()[1]


def touch_for_ever(path):
    while True:
        with open(path, encoding="ascii") as file:
            file.read()
        time.sleep(0.05)


def occupy(folder):
    """Creates objects in a folder that runs mount read-only, each with a process behind it."""
    listen(socket.AF_UNIX, folder + "/socket")
    datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    datagrams.bind(folder + "/datagrams")
    os.mkfifo(folder + "/pipe")
    pipe = os.open(folder + "/pipe", os.O_RDWR)
    os.write(pipe, b"of the host")
    lock = open(folder + "/locked", "w", encoding="ascii")
    fcntl.flock(lock, fcntl.LOCK_EX)
    for name in ("read", "lent"):
        with open(folder + "/" + name, "w", encoding="ascii") as file:
            file.write("of the host")
    for each in ("socket", "datagrams", "pipe", "locked", "read"):
        os.chmod(folder + "/" + each, 0o666)
    threading.Thread(target=touch_for_ever, args=(folder + "/read",), daemon=True).start()
    return datagrams, lock, pipe


def main(folder, mounted):
    occupied = mounted and occupy(mounted)
    name = "skills-abuse-%d" % os.getpid()
    listen(socket.AF_UNIX, "\0" + name)
    listen(socket.AF_UNIX, folder + "/socket")
    os.chmod(folder + "/socket", 0o777)
    shared = "/dev/shm/" + name
    with open(shared, "w", encoding="ascii") as file:
        file.write("of the host")
    os.chmod(shared, 0o644)
    libc.shmget(KEY, 4096, IPC_CREAT | 0o666)
    libc.semget(KEY, 1, IPC_CREAT | 0o666)
    queue = libc.msgget(KEY, IPC_CREAT | 0o666)
    libc.syscall(240, name.encode(), os.O_CREAT | os.O_RDWR, 0o666, None)
    try:
        port6 = listen(socket.AF_INET6, ("::1", 0))[1]
    except OSError:
        port6 = 0
    facts = {
        "HOST_PID": os.getpid(),
        "HOST_PORT": listen(socket.AF_INET, ("0.0.0.0", 0))[1],
        "HOST_PORT6": port6,
        "HOST_UDP": echo(),
        "HOST_SOCKET": name,
        "HOST_NAME": socket.gethostname(),
        "HOST_SHARED": shared,
        "HOST_KEY": KEY,
    }
    print(json.dumps(facts), flush=True)
    sys.stdin.read()
    del occupied
    os.unlink(shared)
    libc.shmctl(libc.shmget(KEY, 0, 0), 0, None)
    libc.semctl(libc.semget(KEY, 0, 0), 0, 0)
    libc.msgctl(queue, 0, None)
    libc.syscall(241, name.encode())


main(*sys.argv[1:])
