import { spellDuration } from '../../../util/quantity.ts'
import type { EndReason, Limits, SandboxExit } from '../../sandbox/backend.ts'
import { describeMemory } from './session-limits.ts'

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
    full: `had no room for another process (limit ${limits.processes}, run.limits.processes)`,
    stuck: 'did not end a command that it was asked to end',
  }
  return descriptions[endedFor]
}

const OWN_ENDS: Partial<Record<EndReason, string>> = {
  disk: 'wrote more than run.limits.workspace allows, although the workspace was full',
  'hidden files': 'exceeded the size limit of the workspace, run.limits.workspace',
  inodes: 'created too many files: run.limits.workspace allows one for each 4 KiB',
}

function describeOwnEnd({ exit, limits }: SharedEndFacts): string {
  const own = exit.endedBecause && OWN_ENDS[exit.endedBecause]
  if (own !== undefined) return own
  if (exit.totalHit) {
    return 'was ended because all sandboxes together had no memory left (run.limits.total_memory)'
  }
  if (exit.memoryHit || exit.endedBecause === 'memory') return describeMemory(limits)
  return 'failed'
}
