import type { Services } from '../../services.ts'
import { runNotFoundError } from '../history/run-id.ts'
import type { RunRecord } from '../history/run-record.ts'
import type { RunCaller } from '../run-call.ts'
import type { DetachedRun, DetachedStart } from './detached-run.ts'

/** A run of a caller. */
export interface FoundRun {
  id: string
  /** Undefined for a run that was not detached. */
  detached: DetachedRun | undefined
  /** False for a run of another caller, which only an operator sees. */
  isOwn: boolean
  isRunning: boolean
  /** The run whose record describes this one; undefined if it has none yet. */
  recordedId: string | undefined
}

type RunSources = Pick<Services, 'runs' | 'detached'>

/**
 * Finds a run of this caller, or of any caller for an operator. Throws `run/not-found`, also for a
 * run of another caller, so that its existence is hidden.
 */
export async function findRun(
  services: RunSources,
  id: string,
  caller: RunCaller | undefined,
): Promise<FoundRun> {
  const detached = await (await services.detached()).find(id)
  if (detached) {
    const isOwn = isOwnDetachedRun(detached.start, caller)
    if (!isOwn && caller?.isOperator !== true) throw runNotFoundError(id)
    return { ...(await describeDetached(services, detached)), isOwn }
  }
  const record = await (await services.runs()).get(id)
  const isOwn = isOwnRun(record.who, caller)
  if (!isOwn && caller?.isOperator !== true) throw runNotFoundError(id)
  return { id, detached: undefined, isOwn, isRunning: record.status === 'running', recordedId: id }
}

/** Adds the id of the record of a detached run. */
export async function describeDetached(
  services: RunSources,
  detached: DetachedRun,
): Promise<Omit<FoundRun, 'isOwn'>> {
  const { start, end, isLost } = detached
  const ended = end?.recorded_run_id
  const recordedId = ended ?? ((await hasRecord(services, start.run_id)) ? start.run_id : undefined)
  return { id: start.run_id, detached, isRunning: end === undefined && !isLost, recordedId }
}

/** True for the local operator, and for the caller that started the detached run. */
export function isOwnDetachedRun(
  { who, principal }: DetachedStart,
  caller: RunCaller | undefined,
): boolean {
  // Callers without a token have one name, and a token may have the name of the local user.
  return isOwnRun({ ...who, principal }, caller)
}

/** Key of the caller of detached runs; empty for the local operator. */
export function resolveDetachedPrincipal({ name, principal }: RunCaller = {}): string {
  return name === undefined ? '' : (principal ?? name)
}

/** True for the local user, and for callers with the name and key of the caller that started the run. */
export function isOwnRun(
  who: RunRecord['who'],
  { name, principal = name }: RunCaller = {},
): boolean {
  if (name === undefined) return true
  // Runs of the command line and of the library belong to the local user.
  if (who.door === 'cli' || who.door === 'library') return false
  return who.caller === name && (who.principal ?? who.caller) === principal
}

async function hasRecord({ runs }: RunSources, id: string): Promise<boolean> {
  return await (await runs()).get(id).then(
    () => true,
    () => false,
  )
}
