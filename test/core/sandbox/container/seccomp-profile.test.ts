import { describe, expect, it } from 'vitest'
import {
  ARCHITECTURES,
  buildSeccompProfile,
} from '../../../../src/core/sandbox/container/seccomp-profile.ts'
import {
  classifyCall,
  SYSTEM_CALLS,
  type SystemCalls,
} from '../../../../src/core/sandbox/seccomp/system-calls.ts'

interface Profile {
  defaultAction: string
  defaultErrnoRet: number
  architectures: string[]
  syscalls: {
    names: string[]
    action: string
    errnoRet?: number
    args?: { index: number; op: string; value: number; valueTwo: number }[]
  }[]
}

/** Evaluates the rules like an engine's library, which takes the default for what no rule matches. */
function evaluateProfile(
  { syscalls, defaultErrnoRet }: Profile,
  name: string,
  ...args: bigint[]
): number {
  const matching = syscalls.find(
    (rule) =>
      rule.names.includes(name) &&
      (rule.args ?? []).every(
        ({ index, value, valueTwo }) => ((args[index] ?? 0n) & BigInt(value)) === BigInt(valueTwo),
      ),
  )
  if (!matching) return defaultErrnoRet
  return matching.action === 'SCMP_ACT_ALLOW' ? 0 : (matching.errnoRet as number)
}

describe.each(Object.entries(SYSTEM_CALLS))(
  'the seccomp profile for %s',
  (name, calls: SystemCalls) => {
    const profile = buildSeccompProfile(calls, ARCHITECTURES[name] as string) as Profile
    const answer = (call: string, ...args: (number | bigint)[]) =>
      evaluateProfile(profile, call, ...args.map(BigInt))

    it('supports one architecture, and allows the same calls as the filter of bubblewrap', () => {
      expect(profile).toMatchObject({ defaultAction: 'SCMP_ACT_ERRNO' })
      expect(profile.architectures).toHaveLength(1)
      const errors = { allowed: 0, refused: 1, absent: 38 }
      for (const call of calls.numbers.keys()) {
        const usual = { socket: [1], socketpair: [1] }[call] ?? []
        expect(answer(call, ...usual), call).toBe(errors[classifyCall(call)])
      }
      expect(answer('a_call_of_tomorrow')).toBe(1)
    })

    it('refuses new namespaces, regardless of other flags', () => {
      expect(answer('clone', 17)).toBe(0)
      for (const flag of [0x00020000, 0x02000000, 0x10000000, 0x20000000, 0x40000000]) {
        expect(answer('clone', flag | 17)).toBe(1)
        expect(answer('clone', BigInt(flag) | (1n << 40n))).toBe(1)
      }
    })

    it('allows a user namespace alone, which the guest enters before its own filter', () => {
      expect(answer('unshare', 0x10000000)).toBe(0)
      for (const flags of [0, 0x00020000, 0x10020000, 0x50000000])
        expect(answer('unshare', flags)).toBe(1)
    })

    it('allows three socket families', () => {
      expect([1, 2, 10].map((family) => answer('socket', family))).toEqual([0, 0, 0])
      for (const family of [0, 3, 9, 11, 16, 40]) expect(answer('socket', family)).toBe(1)
      expect(answer('socket', (1n << 32n) | 16n)).toBe(1)
    })

    it('refuses terminal input requests, regardless of high bits', () => {
      expect(answer('ioctl', 0, 0x5412)).toBe(1)
      expect(answer('ioctl', 0, (1n << 32n) | 0x5412n)).toBe(1)
      expect(answer('ioctl', 0, 0x5401)).toBe(0)
    })

    it('allows the default personality and querying it', () => {
      expect(answer('personality', 0)).toBe(0)
      expect(answer('personality', 0xffffffff)).toBe(0)
      for (const value of [8, 0x0040000, 0x80040000, 0x80000000, 0x7fffffff, 0xfffffffe]) {
        expect(answer('personality', value)).toBe(1)
      }
    })
  },
)
