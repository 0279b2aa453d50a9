import {
  ALLOWED_FAMILIES,
  EAFNOSUPPORT,
  ENOSYS,
  EPERM,
  REFUSED_CLONES,
  TERMINAL_REQUESTS,
} from '../seccomp/seccomp.ts'
import type { SystemCalls } from '../seccomp/system-calls.ts'

/** Comparison of one system call argument, in the engine's format. */
interface ArgumentComparison {
  index: number
  op: 'SCMP_CMP_EQ' | 'SCMP_CMP_GE' | 'SCMP_CMP_MASKED_EQ'
  value: number
  valueTwo?: number
}

interface SeccompRule {
  names: readonly string[]
  action: 'SCMP_ACT_ERRNO'
  errnoRet: number
  args?: readonly ArgumentComparison[]
}

/** Engine names of architectures, by Node's names. */
export const ARCHITECTURES: Readonly<Record<string, string>> = {
  x64: 'SCMP_ARCH_X86_64',
  arm64: 'SCMP_ARCH_AARCH64',
}

const LOW_HALF = 0xffffffff
const BITS = Array.from({ length: 31 }, (_, at) => 2 ** at)
const TOP_BIT = 2 ** 31

/** Builds a profile for container engines with the same refusals as bubblewrap's filter. */
export function buildSeccompProfile(calls: SystemCalls, architecture: string): object {
  return {
    defaultAction: 'SCMP_ACT_ALLOW',
    // System calls of another architecture kill the process.
    architectures: [architecture],
    syscalls: [
      refuseCalls(Object.keys(calls.denied), EPERM),
      refuseCalls(['clone3', ...Object.keys(calls.absent)], ENOSYS),
      ...splitBits(REFUSED_CLONES).map((bit) =>
        refuseCalls(['clone'], EPERM, compareMasked(0, bit, bit)),
      ),
      ...compareOtherFamilies().map((compare) =>
        refuseCalls(['socket', 'socketpair'], EAFNOSUPPORT, compare),
      ),
      ...TERMINAL_REQUESTS.map((request) =>
        refuseCalls(['ioctl'], EPERM, compareMasked(1, LOW_HALF, request)),
      ),
      ...compareOtherPersonalities().map((compare) => refuseCalls(['personality'], EPERM, compare)),
    ],
  }
}

// eslint-disable-next-line max-params -- a row of the table above reads best on one line
function refuseCalls(
  names: readonly string[],
  errnoRet: number,
  ...args: ArgumentComparison[]
): SeccompRule {
  return { names, action: 'SCMP_ACT_ERRNO', errnoRet, ...(args.length > 0 && { args }) }
}

function compareMasked(index: number, mask: number, value: number): ArgumentComparison {
  return { index, op: 'SCMP_CMP_MASKED_EQ', value: mask, valueTwo: value }
}

function splitBits(flags: number): number[] {
  return BITS.filter((bit) => (flags & bit) !== 0)
}

/** Rules can only express refusals: each family below the last allowed one, and all above it. */
function compareOtherFamilies(): ArgumentComparison[] {
  const last = Math.max(...ALLOWED_FAMILIES)
  const between = Array.from({ length: last }, (_, family) => family)
  return [
    ...between
      .filter((family) => !ALLOWED_FAMILIES.includes(family))
      .map((family) => compareMasked(0, LOW_HALF, family)),
    { index: 0, op: 'SCMP_CMP_GE', value: last + 1 },
  ]
}

/**
 * Refuses every value except 0, the default, and all ones, which only queries. Expressed bit by
 * bit.
 */
function compareOtherPersonalities(): ArgumentComparison[] {
  return BITS.flatMap((bit) => [
    compareMasked(0, TOP_BIT + bit, bit),
    compareMasked(0, TOP_BIT + bit, TOP_BIT),
  ])
}
