import { createHash } from 'node:crypto'
import type { Limits } from '../../sandbox/backend.ts'
import type { MaskedSecret } from '../../sandbox/egress/masking/masked-secret.ts'

/** Permissions of a kernel, fixed at its start. Cells must have equal ones. */
export interface KernelFacts {
  /** Digest of the values of the secrets. */
  secretDigest: string
  secrets: readonly string[]
  network: readonly string[]
  limits: Readonly<Record<string, number | undefined>>
}

interface CellPermissions {
  secrets: Readonly<Record<string, string>>
  masked: readonly MaskedSecret[]
  limits: Limits
  decision: { network: readonly string[] }
}

/** Describes what a cell can reach. The limits of time and output are those of each cell. */
export function describeKernelFacts({
  secrets,
  masked,
  limits,
  decision,
}: CellPermissions): KernelFacts {
  const { wallMs: _, outputBytes: _output, ...fixed } = limits
  const sorted = Object.entries(secrets).sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    secretDigest: createHash('sha256')
      .update(JSON.stringify([sorted, masked]))
      .digest('hex'),
    secrets: sorted.map(([name]) => name),
    network: [...decision.network].sort(),
    limits: { ...fixed },
  }
}

/** Describes why a cell cannot run in a kernel; undefined if it can. */
export function findDifference(kernel: KernelFacts, cell: KernelFacts): string | undefined {
  const names = [
    ...describeNames('secret', kernel.secrets, cell.secrets),
    ...describeNames('network destination', kernel.network, cell.network),
  ]
  if (names.length > 0) return names.join(' and ')
  if (kernel.secretDigest !== cell.secretDigest) return 'has other values of its secrets'
  const changed = Object.keys({ ...kernel.limits, ...cell.limits }).find(
    (name) => kernel.limits[name] !== cell.limits[name],
  )
  return changed === undefined ? undefined : `has another limit (${changed})`
}

function describeNames(
  noun: string,
  before: readonly string[],
  now: readonly string[],
): readonly string[] {
  const added = now.filter((each) => !before.includes(each))
  const removed = before.filter((each) => !now.includes(each))
  return [
    ...(added.length > 0 ? [`has the ${noun} ${added.join(', ')}`] : []),
    ...(removed.length > 0 ? [`lacks the ${noun} ${removed.join(', ')}`] : []),
  ]
}
