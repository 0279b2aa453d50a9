"""The first process of a run's PID namespace: a program without memory, files or rights.

It ignores SIGCHLD, so that the kernel reaps orphans, and waits to be killed; its death ends
all other processes of the namespace. Without an interpreter it starts fast and has little to
attack.
"""
import os
import struct

PR_SET_DUMPABLE = 4
SIGCHLD, SIG_IGN, SA_NOCLDWAIT = 17, 1, 2
# struct sigaction of the kernel: handler, flags, restorer, mask.
IGNORE_CHILDREN = struct.pack("<QQQQ", SIG_IGN, SA_NOCLDWAIT, 0, 0)
ADDRESS = 0x400000
HEADER_BYTES = 64 + 56
READ_AND_EXECUTE = 5


def build_x86_64():
    """prctl(PR_SET_DUMPABLE, 0); rt_sigaction(SIGCHLD, ignore); for (;;) pause()"""
    system_call = b"\x0f\x05"
    code = b"\xbf" + struct.pack("<I", PR_SET_DUMPABLE) + b"\x31\xf6" + load_x86_64(157) + system_call
    code += b"\xbf" + struct.pack("<I", SIGCHLD) + b"\x48\xbe" + struct.pack("<Q", ADDRESS + HEADER_BYTES)
    code += b"\x31\xd2" + b"\x41\xba" + struct.pack("<I", 8) + load_x86_64(13) + system_call
    loop = load_x86_64(34) + system_call
    return code + loop + b"\xeb" + struct.pack("<b", -(len(loop) + 2))


def load_x86_64(number):
    """Loads the number of a system call into eax."""
    return b"\xb8" + struct.pack("<I", number)


def build_aarch64():
    """prctl(PR_SET_DUMPABLE, 0); rt_sigaction(SIGCHLD, ignore); for (;;) ppoll(NULL, 0, NULL, NULL)"""
    system_call = 0xD4000001
    action = ADDRESS + HEADER_BYTES
    words = [load_aarch64(0, PR_SET_DUMPABLE), load_aarch64(1, 0), load_aarch64(8, 167), system_call]
    words += [load_aarch64(0, SIGCHLD), load_aarch64(1, action & 0xFFFF), upper_half_aarch64(1, action)]
    words += [load_aarch64(2, 0), load_aarch64(3, 8), load_aarch64(8, 134), system_call]
    loop = [load_aarch64(register, 0) for register in range(5)] + [load_aarch64(8, 73), system_call]
    backwards = 0x14000000 | (-len(loop) & 0x3FFFFFF)
    return struct.pack("<%dI" % (len(words) + len(loop) + 1), *words, *loop, backwards)


def load_aarch64(register, value):
    return 0xD2800000 | value << 5 | register


def upper_half_aarch64(register, value):
    return 0xF2A00000 | (value >> 16) << 5 | register


MACHINES = {"x86_64": (62, build_x86_64), "aarch64": (183, build_aarch64)}


def build_program(machine):
    """Builds the ELF file: two headers, the sigaction for SIGCHLD, and the code."""
    number, build_code = MACHINES[machine]
    content = IGNORE_CHILDREN + build_code()
    size = HEADER_BYTES + len(content)
    start = ADDRESS + HEADER_BYTES + len(IGNORE_CHILDREN)
    ident = b"\x7fELF" + bytes((2, 1, 1)) + bytes(9)
    elf_header = struct.pack("<HHIQQQIHHHHHH", 2, number, 1, start, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 1, READ_AND_EXECUTE, 0, ADDRESS, ADDRESS, size, size, 0x10000)
    return ident + elf_header + segment + content


def write_program(path):
    """Writes an unreadable file: the kernel makes its process non-dumpable from the start, so no
    other process can read its memory.
    """
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o100)
    os.write(fd, build_program(os.uname().machine))
    os.close(fd)
