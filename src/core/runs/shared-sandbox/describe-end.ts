import { formatBytes, spellDuration } from '../../../util/quantity.ts'
import type { EndReason, Limits, SandboxExit } from '../../sandbox/backend.ts'

/** Reason for which a shared sandbox was ended from outside. */
export type SharedEnd = 'session' | 'idle' | 'stopped' | 'crowd' | 'full' | 'stuck'

export interface SharedSandboxBounds {
  max: number
  idleMs: number
}

interface SharedEndFacts {
  exit: SandboxExit
  endedFor: SharedEnd | undefined
  shared: SharedSandboxBounds
  limits: Limits
}

/** Describes the end of a sandbox; undefined if its session or the runtime requested it. */
export function describeSharedEnd(end: SharedEndFacts): string | undefined {
  const { endedFor, shared, limits } = end
  if (endedFor === undefined) return describeOwnEnd(end)
  const descriptions: Record<SharedEnd, string | undefined> = {
    session: undefined,
    stopped: undefined,
    idle: `was idle for more than ${spellDuration(shared.idleMs)}`,
    crowd: `made room for another session (limit ${shared.max})`,
    full: `had no room for another process (limit ${limits.processes})`,
    stuck: 'did not end a command that it was asked to end',
  }
  return descriptions[endedFor]
}

const OWN_ENDS: Partial<Record<EndReason, string>> = {
  disk: 'exceeded the size limit of the workspace, for which the kernel has no limit of its own',
  'hidden files': 'exceeded the size limit of the workspace',
  inodes: 'created too many files',
}

function describeOwnEnd({ exit, limits }: SharedEndFacts): string {
  if (exit.totalHit) return 'was ended because all sandboxes together had no memory left'
  if (exit.memoryHit || exit.endedBecause === 'memory') {
    return `used more than ${formatBytes(limits.memoryBytes)} of memory`
  }
  return (exit.endedBecause && OWN_ENDS[exit.endedBecause]) ?? 'failed'
}
