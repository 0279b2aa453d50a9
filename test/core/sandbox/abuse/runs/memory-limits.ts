import { expect } from 'vitest'
import type { RunCase } from '../case.ts'
import type { RunReport } from '../worker-protocol.ts'
import { bounded } from './bounded.ts'
import { expectCompleted, expectFailed } from './expect.ts'
import { wrapMain } from './forge.ts'

const MIB = 1024 ** 2

/** Sends on 90 connections that are never read, and counts the bytes. */
const SEND = `import socket
listener = socket.create_server(("127.0.0.1", 0), backlog=200)
ends = []
sent = 0
for _ in range(90):
    sender = socket.create_connection(listener.getsockname())
    ends += [sender, listener.accept()[0]]
    sender.setblocking(False)
    try:
        while sent < 400 << 20: sent += sender.send(bytes(1 << 20))
    except BlockingIOError:
        pass`

/** Forks processes that hold what `hold` returns, and waits for them. */
const SPREAD = `import socket
def spread(count, hold):
    pids = []
    for _ in range(count):
        pid = os.fork()
        if pid == 0:
            held = hold()
            time.sleep(3)
            os._exit(0)
        pids.append(pid)
    codes = [os.waitpid(pid, 0)[1] for pid in pids]
    if any(codes): raise OSError("a process ended with %s" % codes)
def fill(end, message=bytes(1 << 16)):
    end.setblocking(False)
    try:
        while True: end.send(message)
    except BlockingIOError: return end
`

/** Holds 240 to 500 MiB in the kernel, which not every control group counts. */
function outgrowsKernel(head: Pick<RunCase, 'id' | 'says'>, code: string): RunCase {
  const attack = `${SPREAD}${code}`
  const failed = expectFailed('MemoryLimit', 'OSError')
  return bounded(head, attack, {
    tight: { 'run.limits.memory': 128 * MIB },
    loose: { 'run.limits.memory': 900 * MIB },
    holds: (report, isWeak) => (isWeak ? failed(report) : undefined),
  })
}

/** Counts the instances of inotify that it gets, up to 100. */
const WATCH = `import ctypes
libc = ctypes.CDLL(None)
return sum(libc.inotify_init() >= 0 for _ in range(100))`

/** True if the poll of a run without a control group ended it. */
function isEndedByPoll({ result }: RunReport): boolean {
  return result?.isolation?.limits['memory'] === 'runtime' && result.error?.type === 'MemoryLimit'
}

/** Holds 240 to 300 MiB of memory that no limit of a process counts. */
function outgrows(head: Pick<RunCase, 'id' | 'says'>, code: string): RunCase {
  const setUp = `import ctypes, mmap
libc = ctypes.CDLL(None, use_errno=True)
def failing(result):
    if result < 0: raise OSError(ctypes.get_errno(), "refused")
    return result
`
  return bounded(head, `${setUp}${code}\ntime.sleep(1)`, {
    tight: { 'run.limits.memory': 128 * MIB },
    loose: { 'run.limits.memory': 700 * MIB },
    // Without a control group, memory that cannot be counted is refused.
    types: ['MemoryLimit', 'OSError', 'PermissionError'],
  })
}

/** Memory, and what the kernel counts for a user. */
export const MEMORY_LIMITS: readonly RunCase[] = [
  bounded(
    { id: 'R1.one', says: 'uses no more memory than its limit' },
    'return len(bytearray(b"x") * (300 << 20))',
    {
      tight: { 'run.limits.memory': 128 * MIB },
      loose: { 'run.limits.memory': 700 * MIB },
      types: ['MemoryLimit'],
    },
  ),
  bounded(
    { id: 'R2.many', says: 'uses no more memory than its limit with many processes' },
    'for _ in range(6):\n    if os.fork() == 0:\n        b = b"x" * (50 << 20)\n        time.sleep(1)\n        os._exit(0)\ncodes = [os.wait()[1] for _ in range(6)]\nassert not any(codes), codes\nreturn "all"',
    {
      tight: { 'run.limits.memory': 160 * MIB },
      loose: { 'run.limits.memory': 900 * MIB },
      types: ['MemoryLimit'],
    },
  ),
  {
    id: 'R18.watches',
    says: 'takes no more than its share of what a user may watch',
    needs: 'limits',
    run: { code: wrapMain(WATCH) },
    holds: (report) => {
      expectCompleted()(report)
      const { backend, path, namespaces = [] } = report.result?.isolation ?? {}
      // Cold runs of root are users of their own. Other programs cannot set the limit.
      const isShared = path === 'warm' || (backend === 'namespaces' && namespaces.includes('user'))
      expect(report.result?.output).toBeLessThanOrEqual(isShared ? 16 : 100)
    },
    control: {
      bare: `import ctypes\n${WATCH.replace('return', 'count =')}\nprint(count)`,
      prints: '100',
    },
  },
  {
    id: 'R2.tcp',
    says: 'holds no more than its limit in buffers of TCP',
    needs: 'limits',
    run: {
      code: wrapMain(`${SEND}\nreturn sent >> 20`),
      settings: { 'run.limits.memory': 128 * MIB },
    },
    holds: (report) => {
      const { backend, path, kernel, limits = {} } = report.result?.isolation ?? {}
      // The buffers are memory of gVisor, which belongs to the run.
      if (kernel === 'gvisor') return expectFailed('MemoryLimit')(report)
      if (isEndedByPoll(report)) return
      // Only other programs and control groups can bound them here.
      const isHeld =
        path === 'warm' || backend === 'namespaces' || limits['memory']?.startsWith('cgroup')
      if (!isHeld) return
      expectCompleted()(report)
      expect(report.result?.output).toBeLessThanOrEqual(128)
    },
    control: { bare: `${SEND}\nprint(sent >> 20 > 128)`, prints: 'True' },
  },
  outgrows(
    { id: 'R2.shared', says: 'uses no more memory than its limit by shared memory' },
    'page = mmap.mmap(-1, 300 << 20)\nfor at in range(0, len(page), 4096): page[at] = 1',
  ),
  outgrows(
    { id: 'R2.zero', says: 'uses no more memory than its limit by the device of zeros' },
    'with open("/dev/zero", "r+b") as file: page = mmap.mmap(file.fileno(), 300 << 20)\nfor at in range(0, len(page), 4096): page[at] = 1',
  ),
  outgrows(
    { id: 'R2.files', says: 'uses no more memory than its limit by files without a name' },
    'file = os.memfd_create("x")\nfor _ in range(240): os.write(file, bytes(1 << 20))',
  ),
  outgrows(
    { id: 'R2.segments', says: 'uses no more memory than its limit by segments of System V' },
    `libc.shmat.restype = ctypes.c_void_p
for _ in range(15):
    segment = failing(libc.shmget(0, 20 << 20, 0o1600))
    address = libc.shmat(segment, None, 0)
    ctypes.memset(address, 1, 20 << 20)
    libc.shmdt(ctypes.c_void_p(address))`,
  ),
  outgrows(
    { id: 'R2.tables', says: 'uses no more memory than its limit by page tables' },
    `libc.mmap.restype = ctypes.c_void_p
size = 150 << 30
address = libc.mmap(None, ctypes.c_size_t(size), 1, 0x4022, -1, 0)
assert address != 2 ** 64 - 1
libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(size), 15)
for at in range(address, address + size, 2 << 20): ctypes.c_char.from_address(at).value`,
  ),
  outgrows(
    { id: 'R2.folders', says: 'uses no more memory than its limit by files in memory' },
    `for folder in ("/tmp", "/dev/shm", "/workspace", "/blobs"):
    with open(folder + "/x", "wb") as file:
        for _ in range(60): file.write(bytes(1 << 20))
        os.unlink(file.name)
        os.dup(file.fileno())`,
  ),
  outgrows(
    {
      id: 'R2.unmapped',
      says: 'uses no more memory than its limit by shared pages that it unmaps',
    },
    `libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
pages = []
for _ in range(15):
    page = mmap.mmap(-1, 20 << 20)
    for at in range(0, len(page), 4096): page[at] = 1
    start = ctypes.addressof(ctypes.c_char.from_buffer(page))
    failing(libc.madvise(start, len(page), 4))
    pages.append(page)`,
  ),
  outgrows(
    {
      id: 'R2.partly',
      says: 'uses no more memory than its limit by all but one of its shared pages',
    },
    `libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
for _ in range(15):
    start = libc.mmap(None, 20 << 20, 3, 0x21, -1, 0)
    if start == 2 ** 64 - 1: failing(-1)
    ctypes.memset(start, 1, 20 << 20)
    failing(libc.munmap(start + 4096, (20 << 20) - 4096))`,
  ),
  outgrows(
    { id: 'R2.sent', says: 'uses no more memory than its limit by files that it sends to itself' },
    `import socket
ends = []
for _ in range(12):
    file = os.memfd_create("x")
    for _ in range(20): os.write(file, bytes(1 << 20))
    ends.append(socket.socketpair())
    socket.send_fds(ends[-1][0], [b"x"], [file])
    os.close(file)`,
  ),
  outgrowsKernel(
    { id: 'R2.pairs', says: 'uses no more memory than its limit by pairs of sockets' },
    'spread(4, lambda: [fill(end) for _ in range(250) for end in socket.socketpair()])',
  ),
  outgrowsKernel(
    { id: 'R2.flight', says: 'uses no more memory than its limit by sockets that it sends' },
    `def hold():
    carrier = socket.socketpair()
    kept = []
    for _ in range(20):
        ends = [fill(end) for _ in range(10) for end in socket.socketpair()]
        socket.send_fds(carrier[0], [b"x"], [end.fileno() for end in ends])
    for _ in range(220): kept += [fill(end) for end in socket.socketpair()]
    return carrier, kept
spread(3, hold)`,
  ),
  outgrowsKernel(
    {
      id: 'R2.unaccepted',
      says: 'uses no more memory than its limit by clients that it does not accept',
    },
    `listener = socket.socket(socket.AF_UNIX)
listener.bind("/tmp/listener")
listener.listen(4000)
for _ in range(1600):
    client = socket.socket(socket.AF_UNIX)
    client.connect("/tmp/listener")
    fill(client).close()
time.sleep(1)`,
  ),
  outgrowsKernel(
    {
      id: 'R2.datagrams',
      says: 'uses no more memory than its limit by datagrams of senders that are gone',
    },
    `ends = []
for number in range(150):
    receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    receiver.bind("/tmp/%d" % number)
    ends.append(receiver)
    for _ in range(10):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender: sender.sendto(bytes(190 << 10), "/tmp/%d" % number)
time.sleep(1)`,
  ),
  outgrowsKernel(
    { id: 'R2.loopback', says: 'uses no more memory than its limit by connections to itself' },
    `def hold():
    listener = socket.create_server(("127.0.0.1", 0), backlog=400)
    kept = [listener]
    for _ in range(350):
        sender = fill(socket.create_connection(listener.getsockname()))
        kept += [sender, fill(listener.accept()[0])]
    return kept
spread(3, hold)`,
  ),
  outgrowsKernel(
    { id: 'R2.udp', says: 'uses no more memory than its limit by datagrams of UDP' },
    `def hold():
    kept = []
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for _ in range(700):
        receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        receiver.bind(("127.0.0.1", 0))
        kept.append(receiver)
        for _ in range(6): sender.sendto(bytes(32 << 10), receiver.getsockname())
    return kept
spread(3, hold)`,
  ),
  outgrowsKernel(
    { id: 'R2.pipes', says: 'uses no more memory than its limit by pipes' },
    `def hold():
    pipes = [os.pipe() for _ in range(480)]
    for _, end in pipes:
        os.set_blocking(end, False)
        for _ in range(2): os.write(end, bytes(4096))
spread(40, hold)`,
  ),
]
