import { describe, expect, it } from 'vitest'
import {
  encodeFilter,
  buildFilter,
  buildMemoryFilter,
  type BpfInstruction,
} from '../../../src/core/sandbox/seccomp/seccomp.ts'
import { SYSTEM_CALLS } from '../../../src/core/sandbox/seccomp/system-calls.ts'

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

describe.each(Object.entries(SYSTEM_CALLS))('the system call filter of %s', (_, calls) => {
  const filter = buildFilter(calls)
  const answer = (number: number, ...args: number[]) =>
    evaluateFilter(filter, { audit: calls.audit, number, args })

  it.each(Object.entries(calls.denied))('refuses %s', (_name, number) => {
    expect(answer(number)).toBe(EPERM)
  })

  it.each(Object.entries(calls.absent))('reports %s as unknown', (_name, number) => {
    expect(answer(number)).toBe(ENOSYS)
  })

  it('refuses new namespaces, regardless of other flags', () => {
    expect(answer(calls.clone, 17)).toBe(ALLOW)
    for (const flag of [0x00020000, 0x02000000, 0x10000000, 0x20000000, 0x40000000]) {
      expect(answer(calls.clone, flag | 17)).toBe(EPERM)
    }
    expect(answer(calls.clone3)).toBe(ENOSYS)
  })

  it('refuses a sibling instead of a child', () => {
    expect(answer(calls.clone, 0x8000 | 17)).toBe(EPERM)
  })

  it('refuses set-uid and set-gid modes in every system call that sets a mode', () => {
    for (const [argument, numbers] of Object.entries(calls.modes)) {
      for (const number of numbers) {
        const args = (mode: number) => Array.from({ length: Number(argument) + 1 }, () => mode)
        expect(answer(number, ...args(0o755))).toBe(ALLOW)
        expect(answer(number, ...args(0o1777))).toBe(ALLOW)
        expect(answer(number, ...args(0o4755))).toBe(EPERM)
        expect(answer(number, ...args(0o2755))).toBe(EPERM)
      }
    }
    for (const { number, flags, mode } of calls.makers) {
      const args = (how: number) =>
        Array.from({ length: 4 }, (_each, at) => (at === flags ? how : at === mode ? 0o4755 : 0))
      expect(answer(number, ...args(0o101))).toBe(EPERM)
      expect(answer(number, ...args(0o20200002))).toBe(EPERM)
      expect(answer(number, ...args(0o2))).toBe(ALLOW)
    }
    expect(answer(calls.openat2)).toBe(ENOSYS)
  })

  it('allows stream and datagram sockets of three families', () => {
    for (const call of [calls.socket, calls.socketpair]) {
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
    const [map, file, segment] = calls.hugePages.map(
      ({ number, flags }) =>
        (value: number) =>
          answer(number, ...withFlags(flags, value)),
    )
    expect(map?.(0x22)).toBe(ALLOW)
    expect(map?.(0x40022)).toBe(ENOMEM)
    // With the size of the page in the upper bits.
    expect(map?.(0x78044022)).toBe(ENOMEM)
    expect(file?.(3)).toBe(ALLOW)
    expect(file?.(7)).toBe(EINVAL)
    expect(file?.(0x54000005)).toBe(EINVAL)
    expect(segment?.(0o1600)).toBe(ALLOW)
    expect(segment?.(0o5600)).toBe(EPERM)
  })

  it("refuses to change another process's limits", () => {
    expect(answer(calls.prlimit, 0)).toBe(ALLOW)
    expect(answer(calls.prlimit, 1)).toBe(EPERM)
  })

  it('reports newer system calls as unknown', () => {
    expect(answer(469)).toBe(ALLOW)
    for (const number of [470, 480, 4096]) expect(answer(number)).toBe(ENOSYS)
  })

  it('refuses terminal input and other personalities', () => {
    expect(answer(calls.ioctl, 0, 0x5412)).toBe(EPERM)
    expect(answer(calls.ioctl, 0, 0x5401)).toBe(ALLOW)
    expect(answer(calls.personality, 0x0040000)).toBe(EPERM)
    expect(answer(calls.personality, 0xffffffff)).toBe(ALLOW)
  })

  it('kills a process that uses the calls of another architecture', () => {
    expect(evaluateFilter(filter, { audit: 0x40000003, number: 0 })).toBe(KILL)
    if (calls.foreignFrom !== undefined) expect(answer(calls.foreignFrom + 39)).toBe(KILL)
    // uname on x86-64, read on arm64.
    expect(answer(63)).toBe(ALLOW)
  })

  it('refuses memory that belongs to no process, in the filter for runs without a group', () => {
    const memory = buildMemoryFilter(calls)
    const refuse = (number: number, size = 0) =>
      evaluateFilter(memory, { audit: calls.audit, number, args: [0, size] })
    for (const number of Object.values(calls.unmappedMemory)) expect(refuse(number)).toBe(ENOSYS)
    expect(refuse(calls.shmget, 16_384)).toBe(ALLOW)
    expect(refuse(calls.shmget, 16_385)).toBe(EINVAL)
    expect(refuse(calls.shmget, 2 ** 32)).toBe(EINVAL)
    expect(refuse(63)).toBe(ALLOW)
  })

  it('encodes each instruction in eight bytes', () => {
    expect(encodeFilter(filter)).toHaveLength(filter.length * 8)
    expect(filter.length).toBeLessThan(4096)
  })
})
