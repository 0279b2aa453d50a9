import type { LogMap } from '../../core/runs/history/log-pieces.ts'
import type { RunRecord, RunStatus } from '../../core/runs/history/run-record.ts'
import { SkillsError } from '../../errors.ts'
import type { AckAddress, Engine, StoredMessage } from '../engine/engine.ts'
import type { DetachedFacts } from '../messages/call-ends.ts'
import { formatShowRun } from '../messages/format-show-run.ts'
import type { ObjectRef, Objects } from '../objects/objects.ts'
import { MAX_INLINE_RECORD_BYTES, type RunHolder } from './run-begun.ts'
import { nameRunPart, parseBody, type RunMessage } from './run-subjects.ts'
import { storeValue, type StoredValue } from './stored-value.ts'

/**
 * The end of a run, ready to be stored in one message. Its writer may add the answer to the call that
 * the run belongs to, of at most `MAX_MESSAGE_BYTES`.
 */
export interface EncodedEnd extends RunHolder {
  status: RunStatus
  record: StoredValue<RunRecord>
  /** Logs of all streams in base64, or as an object of their bytes. */
  logs: StoredValue<string>
  map: StoredValue<LogMap>
}

/** The end of a run, with the answer to its call; the record does not interpret the answer. */
export interface StoredEnd extends EncodedEnd {
  answer?: unknown
  detached?: DetachedFacts
}

/** The end of a call, which has a record only if a run of the same id began. */
export type CallEnd =
  | StoredEnd
  | (RunHolder & { status: RunStatus; answer: unknown; detached?: DetachedFacts })

export interface EndedRecord {
  record: RunRecord
  logs: Buffer
  map: LogMap
}

/** Bytes of logs, and of their map, inside a message. */
const MAX_INLINE_LOG_BYTES = 64 * 1024
/** An end that refuses a write and is then gone was removed meanwhile. */
const MAX_TRIES = 3

/** Encodes the end of a run. Parts that are too large for a message are stored as objects. */
export async function encodeEnd(
  { record, logs, map }: EndedRecord,
  { holder, objects }: { holder: RunHolder; objects: Objects },
): Promise<EncodedEnd> {
  const { node, start } = holder
  const [storedRecord, storedLogs, storedMap] = await Promise.all([
    storeValue(record, MAX_INLINE_RECORD_BYTES, objects),
    logs.length <= MAX_INLINE_LOG_BYTES
      ? { inline: logs.toString('base64') }
      : objects.write(logs).then((object) => ({ object })),
    storeValue(map, MAX_INLINE_LOG_BYTES, objects),
  ])
  return {
    node,
    start,
    status: record.status,
    record: storedRecord,
    logs: storedLogs,
    map: storedMap,
  }
}

/**
 * Stores the end of a run. If another node has declared the run interrupted, stores the end as a late
 * one and throws `run/interrupted`.
 */
export async function writeEnd(engine: Engine, runId: string, end: StoredEnd): Promise<void> {
  const existing = await createEnd(engine, runId, { end })
  if (!existing || isSameEnd(existing, end)) return
  await storeLateEnd(engine, runId, end)
  throw givenUpError(runId, existing)
}

/** Stores what became of a run after it was given up. */
export async function storeLateEnd(engine: Engine, runId: string, end: CallEnd): Promise<void> {
  await engine.create('runs', nameRunPart(runId, 'late'), JSON.stringify(end))
}

/** True if an earlier try of the same writer, which the engine did not answer in time, was stored. */
function isSameEnd(existing: CallEnd, { node, start, status }: CallEnd): boolean {
  const isSameWriter = existing.node === node && existing.start === start
  return isSameWriter && existing.status === status && 'record' in existing
}

interface CreatedEnd {
  end: CallEnd
  /** Others hear there that the end is stored. */
  ackAt?: AckAddress | undefined
}

/** Stores the end of a run if it has none. Returns the end that it has. */
export async function createEnd(
  engine: Engine,
  runId: string,
  { end, ackAt }: CreatedEnd,
): Promise<CallEnd | undefined> {
  const subject = nameRunPart(runId, 'end')
  const body = JSON.stringify(end)
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const creation = ackAt
      ? await engine.createWithAck('runs', subject, { body, ackAt })
      : await engine.create('runs', subject, body)
    if (creation.isCreated) return undefined
    const existing = creation.existing && (parseBody(creation.existing) as CallEnd | undefined)
    if (existing) return existing
  }
  throw new Error(`the stored end of the run "${runId}" is damaged`)
}

/** Reads the end of a call, with or without a record. */
export async function readCallEnd(engine: Engine, call: string): Promise<CallEnd | undefined> {
  const found = await engine.last('runs', nameRunPart(call, 'end'))
  return found && (parseBody(found) as CallEnd | undefined)
}

/** Reads the end of a run, or the end that came too late; undefined if there is none. */
export async function readEnd(
  engine: Engine,
  runId: string,
  part: Exclude<RunMessage, 'begun'> = 'end',
): Promise<StoredEnd | undefined> {
  const found = await engine.last('runs', nameRunPart(runId, part))
  return found && parseEnd(found)
}

/** Parses the message of an end; undefined if it is damaged or has no record. */
function parseEnd(message: Pick<StoredMessage, 'body'>): StoredEnd | undefined {
  const end = parseBody(message) as CallEnd | undefined
  return end && 'record' in end ? end : undefined
}

/** Returns the objects that belong to an end. */
export function listEndObjects({ record, logs, map }: EncodedEnd): ObjectRef[] {
  return [record, logs, map].flatMap((part) => ('object' in part ? [part.object] : []))
}

function givenUpError(runId: string, { node }: RunHolder): SkillsError {
  return new SkillsError('run/interrupted', `The run "${runId}" was given up before it ended`, {
    hint: `The node "${node}" declared it interrupted. Type "${formatShowRun(runId)}"`,
    data: { run_id: runId },
  })
}
