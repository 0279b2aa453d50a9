import type { EndReason, SandboxExit } from '../../sandbox/backend.ts'

/** Reason for which a kernel was ended from outside. */
export type KernelEnd = 'requested' | 'idle' | 'stopped' | 'crowd'

const LIMIT_ENDS: Partial<Record<EndReason, string>> = {
  memory: 'exceeded its memory',
  network: 'exceeded its bytes of network traffic',
  disk: 'exceeded the size of its workspace',
  'hidden files': 'exceeded the size of its workspace',
  inodes: 'created too many files',
}

/** Describes the end of a kernel; undefined if its caller or the runtime requested it. */
export function describeKernelEnd(
  exit: SandboxExit,
  endedFor: KernelEnd | undefined,
  idle: string,
): string | undefined {
  if (endedFor === 'requested' || endedFor === 'stopped') return undefined
  if (endedFor === 'idle') return `ended because it was idle for more than ${idle}`
  if (endedFor === 'crowd') return 'ended to make room for another kernel'
  if (exit.totalHit) return 'ended because all runs together had no memory left'
  if (exit.memoryHit) return 'exceeded its memory'
  return (exit.endedBecause && LIMIT_ENDS[exit.endedBecause]) ?? 'ended'
}
