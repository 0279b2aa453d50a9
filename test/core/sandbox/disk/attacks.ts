/** Size of each file. */
const FILE_MIB = 8
/** Written by each attack, in several files, since the size of each file is limited as well. */
export const ATTACK_MIB = 96

const HEAD = `import ctypes, mmap, os, socket, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
folder, seconds = sys.argv[1], float(sys.argv[2])
os.chdir(folder)
data = bytes(${FILE_MIB} << 20)
kept = []
def deleted(number):
    name = "skills-fill-%d" % number
    fd = os.open(name, os.O_CREAT | os.O_RDWR, 0o600)
    os.unlink(name)
    return fd
def written(number):
    fd = deleted(number)
    os.write(fd, data)
    return fd
def hold():
    time.sleep(seconds)
    print(os.fstatvfs(os.open(".", os.O_RDONLY)).f_bsize > 0)
`

const EACH = `for number in range(${ATTACK_MIB / FILE_MIB}):`

/** Attacks on the limit of a folder on disk; each writes files that no folder contains. */
export const DISK_ATTACKS: Readonly<Record<string, string>> = {
  'deleted files that are open': `${EACH} kept.append(written(number))
hold()`,

  'files without a name': `${EACH}
    fd = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600)
    os.write(fd, data)
hold()`,

  'deleted files that are preallocated': `${EACH} os.posix_fallocate(deleted(number), 0, len(data))
hold()`,

  'deleted files that are preallocated past their end': `${EACH}
    if libc.fallocate(deleted(number), 1, ctypes.c_long(0), ctypes.c_long(len(data))): raise OSError(ctypes.get_errno())
hold()`,

  'deleted files that a child has open': `if os.fork() == 0:
    ${EACH} kept.append(written(number))
    time.sleep(seconds)
    os._exit(0)
os.wait()
hold()`,

  'deleted files of an orphan': `if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        ${EACH} kept.append(written(number))
        time.sleep(seconds)
    os._exit(0)
os.wait()
time.sleep(0.3)
hold()`,

  'deleted files that are mapped only': `${EACH}
    fd = written(number)
    kept.append(mmap.mmap(fd, 4096, flags=mmap.MAP_SHARED))
    # Python's own copy of the descriptor is closed as well.
    os.closerange(3, 1000)
hold()`,

  'deleted files in the queue of a socket': `here, there = socket.socketpair()
${EACH}
    fd = written(number)
    socket.send_fds(here, [b"x"], [fd])
    os.close(fd)
hold()`,

  'deleted files in the queue of a connection that is not accepted': `listener = socket.socket(socket.AF_UNIX)
listener.bind("\\0skills-fill")
listener.listen(1)
here = socket.socket(socket.AF_UNIX)
here.connect("\\0skills-fill")
${EACH}
    fd = written(number)
    socket.send_fds(here, [b"x"], [fd])
    os.close(fd)
here.close()
hold()`,

  'deleted files of a process that cannot be inspected': `if os.fork() == 0:
    libc.prctl(4, 0, 0, 0, 0)
    ${EACH} kept.append(written(number))
    time.sleep(seconds)
    os._exit(0)
os.wait()
hold()`,

  'deleted files of a thread whose first thread is gone': `def work():
    ${EACH} kept.append(written(number))
    hold()
    sys.stdout.flush()
    os._exit(0)
threading.Thread(target=work).start()
libc.syscall(60 if os.uname().machine == "x86_64" else 93, 0)`,

  'deleted files that a chain of processes passes on': `if os.fork() == 0:
    ${EACH}
        kept.append(written(number))
        for _ in range(5):
            if os.fork() > 0: os._exit(0)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if os.fork() > 0: os._exit(0)
    os._exit(0)
time.sleep(seconds)
hold()`,

  'files in its folders': `${EACH}
    with open("skills-fill-%d" % number, "wb") as file: file.write(data)
hold()`,
}

/** Builds the argv of an attack on a folder, which keeps its files for some time. */
export function buildAttackArgv(code: string, folder: string, seconds: number): string[] {
  return ['/usr/bin/python3', '-c', `${HEAD}${code}`, folder, String(seconds)]
}
