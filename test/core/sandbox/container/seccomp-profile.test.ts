import { describe, expect, it } from 'vitest'
import {
  ARCHITECTURES,
  buildSeccompProfile,
} from '../../../../src/core/sandbox/container/seccomp-profile.ts'
import {
  SYSTEM_CALLS,
  type SystemCalls,
} from '../../../../src/core/sandbox/seccomp/system-calls.ts'

interface Profile {
  defaultAction: string
  architectures: string[]
  syscalls: {
    names: string[]
    errnoRet: number
    args?: { index: number; op: string; value: number; valueTwo?: number }[]
  }[]
}

/** Evaluates the rules like an engine's library: any match refuses. */
function evaluateProfile({ syscalls }: Profile, name: string, ...args: bigint[]): number {
  const matching = syscalls.find(
    (rule) =>
      rule.names.includes(name) &&
      (rule.args ?? []).every(({ index, op, value, valueTwo }) => {
        const given = args[index] ?? 0n
        if (op === 'SCMP_CMP_GE') return given >= BigInt(value)
        return (given & BigInt(value)) === BigInt(valueTwo ?? 0)
      }),
  )
  return matching?.errnoRet ?? 0
}

describe.each(Object.entries(SYSTEM_CALLS))(
  'the seccomp profile for %s',
  (name, calls: SystemCalls) => {
    const profile = buildSeccompProfile(calls, ARCHITECTURES[name] as string) as Profile
    const answer = (call: string, ...args: (number | bigint)[]) =>
      evaluateProfile(profile, call, ...args.map(BigInt))

    it('supports one architecture and refuses the same calls as the filter of bubblewrap', () => {
      expect(profile).toMatchObject({ defaultAction: 'SCMP_ACT_ALLOW' })
      expect(profile.architectures).toHaveLength(1)
      for (const call of Object.keys(calls.denied)) expect(answer(call)).toBe(1)
      for (const call of Object.keys(calls.absent)) expect(answer(call)).toBe(38)
      expect(answer('clone3')).toBe(38)
      expect(answer('read')).toBe(0)
    })

    it('refuses new namespaces, regardless of other flags', () => {
      expect(answer('clone', 17)).toBe(0)
      for (const flag of [0x00020000, 0x02000000, 0x10000000, 0x20000000, 0x40000000]) {
        expect(answer('clone', flag | 17)).toBe(1)
        expect(answer('clone', BigInt(flag) | (1n << 40n))).toBe(1)
      }
    })

    it('allows three socket families', () => {
      expect([1, 2, 10].map((family) => answer('socket', family))).toEqual([0, 0, 0])
      for (const family of [0, 3, 9, 11, 16, 40]) expect(answer('socket', family)).toBe(97)
      expect(answer('socket', (1n << 32n) | 16n)).toBe(97)
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
