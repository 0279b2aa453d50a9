import {
  ALLOWED_FAMILIES,
  EAFNOSUPPORT,
  ENOSYS,
  EPERM,
  REFUSED_CLONES,
  TERMINAL_REQUESTS,
} from '../seccomp/seccomp.ts'
import type { SystemCalls } from '../seccomp/system-calls.ts'

/** What an engine compares one argument with. */
interface Comparison {
  index: number
  op: 'SCMP_CMP_EQ' | 'SCMP_CMP_GE' | 'SCMP_CMP_MASKED_EQ'
  value: number
  valueTwo?: number
}

interface Rule {
  names: readonly string[]
  action: 'SCMP_ACT_ERRNO'
  errnoRet: number
  args?: readonly Comparison[]
}

/** Node's names of architectures, in the words of engines. */
export const ARCHITECTURES: Readonly<Record<string, string>> = {
  x64: 'SCMP_ARCH_X86_64',
  arm64: 'SCMP_ARCH_AARCH64',
}

const LOW_HALF = 0xffffffff
const BITS = Array.from({ length: 31 }, (_, at) => 2 ** at)
const TOP_BIT = 2 ** 31

/** The same refusals as bubblewrap's filter, in the words of container engines. */
export function seccompProfile(calls: SystemCalls, architecture: string): object {
  return {
    defaultAction: 'SCMP_ACT_ALLOW',
    // Calls by the numbers of another machine end the process.
    architectures: [architecture],
    syscalls: [
      refuse(Object.keys(calls.denied), EPERM),
      refuse(['clone3'], ENOSYS),
      ...bitsOf(REFUSED_CLONES).map((bit) => refuse(['clone'], EPERM, masked(0, bit, bit))),
      ...otherFamilies().map((compare) => refuse(['socket', 'socketpair'], EAFNOSUPPORT, compare)),
      ...TERMINAL_REQUESTS.map((request) => refuse(['ioctl'], EPERM, masked(1, LOW_HALF, request))),
      ...otherPersonalities().map((compare) => refuse(['personality'], EPERM, compare)),
    ],
  }
}

// eslint-disable-next-line max-params -- a row of the table above reads best on one line
function refuse(names: readonly string[], errnoRet: number, ...args: Comparison[]): Rule {
  return { names, action: 'SCMP_ACT_ERRNO', errnoRet, ...(args.length > 0 && { args }) }
}

function masked(index: number, mask: number, value: number): Comparison {
  return { index, op: 'SCMP_CMP_MASKED_EQ', value: mask, valueTwo: value }
}

function bitsOf(flags: number): number[] {
  return BITS.filter((bit) => (flags & bit) !== 0)
}

/** Rules can only say what is refused: every family below the last allowed one, and all above it. */
function otherFamilies(): Comparison[] {
  const last = Math.max(...ALLOWED_FAMILIES)
  const between = Array.from({ length: last }, (_, family) => family)
  return [
    ...between
      .filter((family) => !ALLOWED_FAMILIES.includes(family))
      .map((family) => masked(0, LOW_HALF, family)),
    { index: 0, op: 'SCMP_CMP_GE', value: last + 1 },
  ]
}

/** All but 0, the usual one, and the value of all ones, which only asks: seen bit by bit. */
function otherPersonalities(): Comparison[] {
  return BITS.flatMap((bit) => [masked(0, TOP_BIT + bit, bit), masked(0, TOP_BIT + bit, TOP_BIT)])
}
