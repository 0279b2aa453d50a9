import { describe, expect, it } from 'vitest'
import {
  encodeFilter,
  buildFilter,
  buildMemoryFilter,
  type BpfInstruction,
} from '../../../src/core/sandbox/seccomp/seccomp.ts'
import { classifyCall, SYSTEM_CALLS } from '../../../src/core/sandbox/seccomp/system-calls.ts'

const ALLOW = 0x7fff0000
const KILL = 0x80000000
const EPERM = 0x00050001
const ENOMEM = 0x0005000c
const ENOSYS = 0x00050026
const EINVAL = 0x00050016
const EPROTONOSUPPORT = 0x0005005d
const EAFNOSUPPORT = 0x00050061

/** Jump instructions of a filter, by opcode. */
const JUMPS: Readonly<Record<number, (loaded: number, k: number) => boolean>> = {
  0x15: (loaded, k) => loaded === k,
  0x35: (loaded, k) => loaded >= k,
  0x45: (loaded, k) => (loaded & k) !== 0,
}

/** Evaluates a filter for one system call, as the kernel does. */
function evaluateFilter(
  filter: readonly BpfInstruction[],
  call: { audit: number; number: number; args?: readonly number[] },
): number {
  const data = new Map([
    [0, call.number],
    [4, call.audit],
    ...(call.args ?? []).flatMap((value, index) => [
      [16 + 8 * index, value % 2 ** 32] as const,
      [20 + 8 * index, Math.floor(value / 2 ** 32)] as const,
    ]),
  ])
  let loaded = 0
  for (let at = 0; at < filter.length; at++) {
    const [code, yes, no, k] = filter[at] as BpfInstruction
    const jump = JUMPS[code]
    if (jump) at += jump(loaded, k) ? yes : no
    else if (code === 0x06) return k
    else if (code === 0x20) loaded = data.get(k) ?? 0
    else if (code === 0x54) loaded &= k
    else throw new Error(`unknown instruction ${code}`)
  }
  throw new Error('the filter ran off its end')
}

/** Calls that reach the kernel's administration, other processes, or memory and queues that nobody counts. */
const DANGEROUS = `
  ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd process_madvise process_mrelease
  bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register memfd_secret
  mount umount2 pivot_root chroot move_mount open_tree open_tree_attr fsopen fsconfig fsmount
  fspick mount_setattr statmount listmount name_to_handle_at open_by_handle_at
  unshare setns sethostname setdomainname settimeofday clock_settime clock_adjtime
  init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff acct
  quotactl quotactl_fd syslog add_key request_key keyctl lookup_dcookie nfsservctl vhangup
  fanotify_init fanotify_mark migrate_pages move_pages mbind set_mempolicy get_mempolicy
  set_mempolicy_home_node vmsplice remap_file_pages cachestat
  lsm_get_self_attr lsm_set_self_attr lsm_list_modules`
  .trim()
  .split(/\s+/)
const OLD = 'uselib ustat sysfs modify_ldt _sysctl iopl ioperm create_module query_module'.split(
  ' ',
)

/** Calls that a loader, an allocator, threads and sockets need on both architectures. */
const USUAL = `
  read write openat close fstat newfstatat statx mmap mprotect munmap brk futex rt_sigaction
  execve exit_group clone wait4 pipe2 dup3 fcntl getdents64 getrandom rseq set_robust_list
  epoll_create1 epoll_ctl epoll_pwait eventfd2 timerfd_create connect bind listen accept4 sendto
  recvfrom sendmsg recvmsg getsockopt setsockopt unlinkat renameat2 linkat symlinkat mkdirat
  ftruncate fallocate flock fsync copy_file_range getcwd prctl membarrier sched_getaffinity
  clock_nanosleep inotify_init1 memfd_create shmget semget msgget mq_open close_range`
  .trim()
  .split(/\s+/)

describe.each(Object.entries(SYSTEM_CALLS))('the system call filter of %s', (machine, calls) => {
  const filter = buildFilter(calls)
  const answer = (number: number, ...args: number[]) =>
    evaluateFilter(filter, { audit: calls.audit, number, args })
  const getNumber = (name: string) => {
    const number = calls.numbers.get(name)
    if (number === undefined) throw new Error(`no number of ${name}`)
    return number
  }
  const answerTo = (name: string, ...args: number[]) => answer(getNumber(name), ...args)

  it.each([...DANGEROUS, ...(machine === 'x64' ? OLD : [])])('refuses %s', (name) => {
    expect(answerTo(name)).toBe(EPERM)
  })

  it.each(['io_setup', 'io_submit', 'io_getevents', 'clone3', 'openat2'])(
    'reports %s as unknown',
    (name) => {
      expect(answerTo(name)).toBe(ENOSYS)
    },
  )

  it.each(USUAL)('allows %s', (name) => {
    expect(answerTo(name)).toBe(ALLOW)
  })

  it('answers each call as the list says, and to numbers without a call', () => {
    const answers = { allowed: ALLOW, refused: EPERM, absent: ENOSYS }
    const expected = new Map(
      [...calls.numbers].map(([name, number]) => [number, answers[classifyCall(name)]]),
    )
    const sockets = ['socket', 'socketpair'].map(getNumber)
    for (let number = 0; number < 1024; number++) {
      const args = sockets.includes(number) ? [1] : []
      expect(answer(number, ...args), String(number)).toBe(expected.get(number) ?? ENOSYS)
    }
  })

  it('refuses new namespaces, regardless of other flags', () => {
    expect(answerTo('clone', 17)).toBe(ALLOW)
    for (const flag of [0x00020000, 0x02000000, 0x10000000, 0x20000000, 0x40000000]) {
      expect(answerTo('clone', flag | 17)).toBe(EPERM)
    }
    expect(answerTo('clone3')).toBe(ENOSYS)
  })

  it('refuses a sibling instead of a child', () => {
    expect(answerTo('clone', 0x8000 | 17)).toBe(EPERM)
  })

  it('refuses set-uid and set-gid modes in every system call that sets a mode', () => {
    const modes = {
      1: ['creat', 'chmod', 'fchmod', 'mknod'],
      2: ['mknodat', 'fchmodat', 'fchmodat2'],
    }
    for (const [argument, names] of Object.entries(modes)) {
      for (const number of names.flatMap((name) => calls.numbers.get(name) ?? [])) {
        const args = (mode: number) => Array.from({ length: Number(argument) + 1 }, () => mode)
        expect(answer(number, ...args(0o755))).toBe(ALLOW)
        expect(answer(number, ...args(0o1777))).toBe(ALLOW)
        expect(answer(number, ...args(0o4755))).toBe(EPERM)
        expect(answer(number, ...args(0o2755))).toBe(EPERM)
      }
    }
    const makers = [
      { name: 'open', flags: 1, mode: 2 },
      { name: 'openat', flags: 2, mode: 3 },
    ].filter(({ name }) => calls.numbers.has(name))
    for (const { name, flags, mode } of makers) {
      const args = (how: number) =>
        Array.from({ length: 4 }, (_each, at) => (at === flags ? how : at === mode ? 0o4755 : 0))
      expect(answerTo(name, ...args(0o101))).toBe(EPERM)
      expect(answerTo(name, ...args(0o20200002))).toBe(EPERM)
      expect(answerTo(name, ...args(0o2))).toBe(ALLOW)
    }
    expect(answerTo('openat2')).toBe(ENOSYS)
  })

  it('allows stream and datagram sockets of three families', () => {
    for (const call of ['socket', 'socketpair'].map(getNumber)) {
      expect(answer(call, 1, 5, 0)).toBe(ALLOW)
      for (const family of [2, 10]) {
        expect(answer(call, family, 1 | 0x80000, 6)).toBe(ALLOW)
        expect(answer(call, family, 2 | 0x800, 17)).toBe(ALLOW)
        expect(answer(call, family, 3, 0)).toBe(EPERM)
        expect(answer(call, family, 5, 0)).toBe(EPERM)
        for (const rare of [1, 33, 132, 136, 262])
          expect(answer(call, family, 1, rare)).toBe(EPROTONOSUPPORT)
      }
      for (const family of [0, 3, 16, 17, 38, 40]) expect(answer(call, family)).toBe(EAFNOSUPPORT)
    }
  })

  it('refuses huge pages, regardless of other flags', () => {
    const withFlags = (index: number, flags: number) =>
      Array.from({ length: 6 }, (_each, at) => (at === index ? flags : 0))
    const map = (value: number) => answerTo('mmap', ...withFlags(3, value))
    const file = (value: number) => answerTo('memfd_create', ...withFlags(1, value))
    const segment = (value: number) => answerTo('shmget', ...withFlags(2, value))
    expect(map(0x22)).toBe(ALLOW)
    expect(map(0x40022)).toBe(ENOMEM)
    // With the size of the page in the upper bits.
    expect(map(0x78044022)).toBe(ENOMEM)
    expect(file(3)).toBe(ALLOW)
    expect(file(7)).toBe(EINVAL)
    expect(file(0x54000005)).toBe(EINVAL)
    expect(segment(0o1600)).toBe(ALLOW)
    expect(segment(0o5600)).toBe(EPERM)
  })

  it("refuses to change another process's limits, except for the size of files, and all of PID 1", () => {
    expect(answerTo('prlimit64', 0, 7)).toBe(ALLOW)
    expect(answerTo('prlimit64', 2, 7)).toBe(EPERM)
    expect(answerTo('prlimit64', 2, 1)).toBe(ALLOW)
    expect(answerTo('prlimit64', 1, 1)).toBe(EPERM)
  })

  it('refuses terminal input and other personalities', () => {
    expect(answerTo('ioctl', 0, 0x5412)).toBe(EPERM)
    expect(answerTo('ioctl', 0, 0x5401)).toBe(ALLOW)
    expect(answerTo('personality', 0x0040000)).toBe(EPERM)
    expect(answerTo('personality', 0xffffffff)).toBe(ALLOW)
  })

  it('kills a process that uses the calls of another architecture', () => {
    expect(evaluateFilter(filter, { audit: 0x40000003, number: 0 })).toBe(KILL)
    if (calls.foreignFrom !== undefined) expect(answer(calls.foreignFrom + 39)).toBe(KILL)
    // uname on x86-64, read on arm64.
    expect(answer(63)).toBe(ALLOW)
  })

  it('refuses memory that belongs to no process, in the filter for runs without a group', () => {
    const memory = buildMemoryFilter(calls)
    const refuse = (name: string, ...args: number[]) =>
      evaluateFilter(memory, { audit: calls.audit, number: getNumber(name), args })
    for (const name of ['semget', 'msgget', 'shmget', 'memfd_create', 'landlock_create_ruleset']) {
      expect(refuse(name)).toBe(ENOSYS)
    }
    // Anonymous memory that is shared, by both flags for that; a file that is shared, private memory.
    for (const flags of [0x21, 0x23]) expect(refuse('mmap', 0, 4096, 3, flags)).toBe(EPERM)
    for (const flags of [0x01, 0x22]) expect(refuse('mmap', 0, 4096, 3, flags)).toBe(ALLOW)
    expect(refuse('read')).toBe(ALLOW)
  })

  it('sets no size of a buffer in that filter, and answers as if it did', () => {
    const memory = buildMemoryFilter(calls)
    const set = (level: number, option: number) =>
      evaluateFilter(memory, {
        audit: calls.audit,
        number: getNumber('setsockopt'),
        args: [3, level, option],
      })
    for (const option of [7, 8]) expect(set(1, option)).toBe(0x00050000)
    expect(set(1, 26)).toBe(EPERM)
    expect(set(1, 2)).toBe(ALLOW)
    expect(set(6, 7)).toBe(ALLOW)
  })

  it('encodes each instruction in eight bytes', () => {
    expect(encodeFilter(filter)).toHaveLength(filter.length * 8)
    expect(filter.length).toBeLessThan(4096)
  })
})
