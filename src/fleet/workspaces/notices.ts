import { SkillsError } from '../../errors.ts'
import type { FormerHome, SnapshotRef } from './home-record.ts'

const ENDED = 'commands that were running, background processes and kernels are gone'

/** A sentence about a workspace that came from another worker. */
export function describeRestored({ node, why }: FormerHome, { at }: SnapshotRef): string {
  return why === 'gone'
    ? `The worker "${node}" of this session is gone: its files were restored from the snapshot of ${at}, later changes may be lost, and ${ENDED}`
    : `The worker "${node}" of this session was drained: its files were restored from the snapshot of ${at}, and ${ENDED}`
}

export const PENDING_NOTICE =
  'The snapshot of the workspace is still being stored: until then, the changes of this call are only on its worker'

export function describeUnstored(error: unknown): string {
  const { message } = error as Error
  return `The workspace has no snapshot of these changes, which are only on its worker: ${message}`
}

/** The worker, and with it everything of the session, is gone. */
export function sessionLostError(node: string): SkillsError {
  return new SkillsError(
    'session/lost',
    `The worker "${node}" is gone, and with it the files and processes of this session`,
    { hint: 'Repeat the call: it begins with an empty workspace on another worker' },
  )
}

/** The worker of a command is gone, but not the files of its session. */
export function processLostError(node: string): SkillsError {
  return new SkillsError(
    'session/lost',
    `The command has ended, because its worker "${node}" is gone`,
    { hint: 'Start it again: the next command finds the files of the last snapshot' },
  )
}

/** The interpreters of a worker that was drained. */
export function kernelsLostError(node: string): SkillsError {
  return new SkillsError(
    'session/lost',
    `The kernels have ended, because their worker "${node}" is gone`,
    { hint: 'Repeat the call: the next cell starts another interpreter' },
  )
}

/** Another worker got the session while this one performed a call. */
export function sessionMovedError(): SkillsError {
  return new SkillsError(
    'session/lost',
    'Another worker has this session now, so the changes of this call are lost',
    { hint: 'Repeat the call: it finds the files of the last snapshot' },
  )
}

export function snapshotDamagedError(reason: string): SkillsError {
  return new SkillsError(
    'session/lost',
    `The files of this session cannot be restored: ${reason}`,
    { hint: 'Repeat the call: it begins with an empty workspace' },
  )
}
