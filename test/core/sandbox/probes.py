"""Attempts that a sandbox must refuse. Each returns when it got through and raises when not."""
import ctypes
import json
import mmap
import os
import signal
import socket
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)


def call(number, *args):
    result = libc.syscall(ctypes.c_long(number), *args)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def in_child(action):
    """For what would change or end this process."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            action()
            os.write(write, b"done")
        except BaseException as error:
            os.write(write, repr(error).encode())
        os._exit(0)
    os.close(write)
    _, status = os.waitpid(child, 0)
    said = os.read(read, 4096).decode()
    os.close(read)
    if os.WIFSIGNALED(status):
        raise OSError(0, "killed by %s" % signal.Signals(os.WTERMSIG(status)).name)
    if said != "done":
        raise OSError(0, said)


def read(path):
    with open(path, "rb") as file:
        file.read(16)


def reached(action):
    """Whether a system call got to the kernel proper, whatever it answered there."""
    try:
        action()
    except OSError as error:
        if error.errno in (1, 38, 97):
            raise


def create(path):
    with open(path, "xb"):
        pass
    os.unlink(path)


def machine_code(code):
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()


def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as client:
        client.settimeout(2)
        client.connect(address)


def through_link(target):
    link = "/tmp/skills-probe-link-%d" % os.getpid()
    os.symlink(target, link)
    try:
        read(link)
    finally:
        os.unlink(link)


def read_environment_of_init():
    with open("/proc/%d/environ" % INIT, "rb") as file:
        file.read()


def find_canary():
    found = b""
    for pid in [name for name in os.listdir("/proc") if name.isdigit()]:
        try:
            with open("/proc/%s/environ" % pid, "rb") as file:
                found += file.read()
        except OSError:
            pass
    if CANARY.encode() not in found:
        raise OSError(0, "no canary")


def rewrite(path):
    with open(path, "r+b", buffering=0) as file:
        value = file.read(64)
        file.seek(0)
        file.write(value)


def trace_child():
    child = os.fork()
    if child == 0:
        signal.pause()
    try:
        if libc.ptrace(16, child, None, None) != 0:
            raise OSError(ctypes.get_errno(), "ptrace")
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


def read_memory_of_child():
    child = os.fork()
    if child == 0:
        signal.pause()
    buffer = ctypes.create_string_buffer(8)
    word = struct.pack("QQ", ctypes.addressof(buffer), 8)
    try:
        call(310, child, word, ctypes.c_ulong(1), word, ctypes.c_ulong(1), ctypes.c_ulong(0))
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


def mount_tmpfs():
    libc.unshare(0x00020000)
    if libc.mount(b"none", b"/mnt", b"tmpfs", 0, None) != 0:
        raise OSError(ctypes.get_errno(), "mount")


def set_host_name():
    libc.unshare(0x04000000)
    socket.sethostname("probe")


def new_user_namespace():
    if libc.unshare(0x10000000) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def clone_namespace():
    child = call(56, ctypes.c_ulong(0x10000000 | signal.SIGCHLD), None, None, None, None)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def become_root():
    os.setuid(0)


def stop_init():
    # Outside, asking whether the signal may be sent is enough.
    os.kill(HOST_PID, 0)


def bpf_map():
    call(321, 0, struct.pack("IIII", 2, 4, 4, 1) + bytes(112), 128)


PROBES = {
    "reads /etc/shadow": lambda: read("/etc/shadow"),
    "lists /root": lambda: os.listdir("/root"),
    "reads a file of the host": lambda: read(HOST_FILE),
    "reads a file of the host through a link": lambda: through_link(HOST_FILE),
    "reads a file of the host through /proc/self/root": lambda: read("/proc/self/root/.." + HOST_FILE),
    "reads a file of the host through /proc/1/root": lambda: read("/proc/%d/root%s" % (INIT, HOST_FILE)),
    "lists another skill": lambda: os.listdir(HOST_DIR + "/other"),
    "creates a file in /": lambda: create("/skills-probe"),
    "creates a file in /usr": lambda: create("/usr/skills-probe"),
    "creates a file in /etc": lambda: create("/etc/skills-probe"),
    "creates a file beside the skill's code": lambda: create(HERE + "/skills-probe"),
    "renames the skill's folder": lambda: (os.rename(HERE, HERE + "-x"), os.rename(HERE + "-x", HERE)),
    "creates a file in /dev": lambda: create("/dev/skills-probe"),
    "writes a sysctl": lambda: rewrite("/proc/sys/vm/swappiness"),
    "opens core_pattern for writing": lambda: os.close(os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY)),
    "opens sysrq-trigger for writing": lambda: os.close(os.open("/proc/sysrq-trigger", os.O_WRONLY)),
    "lists control groups": lambda: os.listdir("/sys/fs/cgroup"),
    "reads the environment of PID 1": read_environment_of_init,
    "opens the memory of PID 1": lambda: os.close(os.open("/proc/%d/mem" % INIT, os.O_RDONLY)),
    "finds a variable of the caller": find_canary,
    "mounts": lambda: in_child(mount_tmpfs),
    "changes its root": lambda: in_child(lambda: os.chroot("/tmp")),
    "makes a user namespace": lambda: in_child(new_user_namespace),
    "makes a namespace with clone": clone_namespace,
    "reaches clone3": lambda: reached(lambda: call(435, None, ctypes.c_ulong(0))),
    "becomes root": lambda: in_child(become_root),
    "sets the host name": lambda: in_child(set_host_name),
    "traces another process": trace_child,
    "reads another process's memory": read_memory_of_child,
    "adds a key": lambda: call(248, b"user", b"skills-probe", b"x", ctypes.c_ulong(1), ctypes.c_int(-2)),
    "joins a keyring": lambda: in_child(lambda: call(250, ctypes.c_ulong(1), None)),
    "makes a BPF map": bpf_map,
    "reaches perf_event_open": lambda: reached(lambda: call(298, None, 0, -1, -1, ctypes.c_ulong(0))),
    "reaches userfaultfd": lambda: os.close(call(323, ctypes.c_ulong(0))),
    "reaches io_uring_setup": lambda: reached(lambda: call(425, 0, None)),
    "reaches open_by_handle_at": lambda: reached(lambda: call(304, -1, None, 0)),
    "reaches fsopen": lambda: os.close(call(430, b"tmpfs", ctypes.c_ulong(0))),
    "reaches mount_setattr": lambda: reached(lambda: call(442, -1, b"", 0, None, ctypes.c_ulong(0))),
    "reaches pidfd_getfd": lambda: reached(lambda: call(438, -1, 0, ctypes.c_ulong(0))),
    "reads the kernel's log": lambda: call(103, 3, ctypes.create_string_buffer(64), 64),
    "changes its personality": lambda: in_child(lambda: call(135, ctypes.c_ulong(0x0040000))),
    "reaches modify_ldt": lambda: reached(lambda: call(154, 99, None, ctypes.c_ulong(0))),
    "sends TIOCSTI": lambda: reached(lambda: call(16, 0, ctypes.c_ulong(0x5412), None)),
    "sends TIOCSTI with high bits set": lambda: reached(lambda: call(16, 0, ctypes.c_ulong((1 << 32) | 0x5412), None)),
    "calls with the numbers of x32": lambda: in_child(lambda: reached_x32()),
    "calls with the numbers of i386": lambda: in_child(lambda: machine_code(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")),
    "makes a vsock": lambda: reached(lambda: socket.socket(40, socket.SOCK_STREAM).close()),
    "makes a packet socket": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close(),
    "makes a netlink socket": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).close(),
    "makes a raw socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close(),
    "reaches a port of the host": lambda: connect(socket.AF_INET, ("127.0.0.1", HOST_PORT)),
    "reaches an abstract socket of the host": lambda: connect(socket.AF_UNIX, "\0" + HOST_SOCKET),
    "sees a process of the host": stop_init,
}


def reached_x32():
    # The answer outside depends on the kernel's build; being killed does not.
    libc.syscall(ctypes.c_long(0x40000000 + 39))


def attempt(action):
    try:
        action()
        return "done"
    except BaseException as error:
        return "%s: %s" % (type(error).__name__, error)


def main(args):
    globals().update(args)
    globals()["HERE"] = os.path.dirname(os.path.abspath(__file__))
    return {name: attempt(action) for name, action in PROBES.items()}


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
