import {
  ALLOWED_FAMILIES,
  ENOSYS,
  EPERM,
  REFUSED_CLONES,
  TERMINAL_REQUESTS,
} from '../seccomp/seccomp.ts'
import { classifyCall, type SystemCalls } from '../seccomp/system-calls.ts'

/** Comparison of one system call argument, in the engine's format: its bits in `value` are those of `valueTwo`. */
interface ArgumentComparison {
  index: number
  op: 'SCMP_CMP_MASKED_EQ'
  value: number
  valueTwo: number
}

interface SeccompRule {
  names: readonly string[]
  action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO'
  errnoRet?: number
  args?: readonly ArgumentComparison[]
}

/** Engine names of architectures, by Node's names. */
export const ARCHITECTURES: Readonly<Record<string, string>> = {
  x64: 'SCMP_ARCH_X86_64',
  arm64: 'SCMP_ARCH_AARCH64',
}

const NEW_USER = 0x10000000
const LOW_HALF = 0xffffffff

/** Allowed calls by the arguments that a rule can compare; the filter of the run itself compares more. */
const ARGUMENTS: Readonly<Record<string, readonly ArgumentComparison[]>> = {
  clone: [compareBits(0, REFUSED_CLONES, 0)],
  socket: ALLOWED_FAMILIES.map((family) => compareBits(0, LOW_HALF, family)),
  socketpair: ALLOWED_FAMILIES.map((family) => compareBits(0, LOW_HALF, family)),
  ioctl: compareOthers(1, TERMINAL_REQUESTS),
  // Before the run's own filter, which refuses it, the guest enters a user namespace that owns nothing.
  unshare: [compareBits(0, LOW_HALF, NEW_USER)],
  personality: [compareBits(0, LOW_HALF, 0), compareBits(0, LOW_HALF, LOW_HALF)],
}

/** Builds a profile for container engines that allows the same calls as bubblewrap's filter. */
export function buildSeccompProfile({ numbers }: SystemCalls, architecture: string): object {
  const names = [...numbers.keys()]
  const allowed = names.filter((name) => classifyCall(name) === 'allowed')
  const rules: SeccompRule[] = [
    { names: allowed.filter((name) => !ARGUMENTS[name]), action: 'SCMP_ACT_ALLOW' },
    ...Object.entries(ARGUMENTS).flatMap(([name, comparisons]) =>
      comparisons.map((each) => ({
        names: [name],
        action: 'SCMP_ACT_ALLOW' as const,
        args: [each],
      })),
    ),
    {
      names: names.filter((name) => classifyCall(name) === 'absent'),
      action: 'SCMP_ACT_ERRNO',
      errnoRet: ENOSYS,
    },
  ]
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: EPERM,
    // System calls of another architecture kill the process.
    architectures: [architecture],
    syscalls: rules,
  }
}

// eslint-disable-next-line max-params -- a row of the table above reads best on one line
function compareBits(index: number, value: number, valueTwo: number): ArgumentComparison {
  return { index, op: 'SCMP_CMP_MASKED_EQ', value, valueTwo }
}

/** Comparisons that match the low half of every argument except these: each differs from all of them in some bit. */
function compareOthers(index: number, values: readonly number[]): ArgumentComparison[] {
  const others: ArgumentComparison[] = []
  for (let bit = 2 ** 31, prefixes = [0]; bit >= 1; bit /= 2) {
    const known = new Set(values.map((value) => value - (value % bit)))
    const next = prefixes.flatMap((prefix) => [prefix, prefix + bit])
    for (const prefix of next) {
      if (!known.has(prefix)) others.push(compareBits(index, 2 ** 32 - bit, prefix))
    }
    prefixes = [...known]
  }
  return others
}
