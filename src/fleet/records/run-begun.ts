import { runIdTakenError } from '../../core/runs/history/open-record.ts'
import type { RunRecord } from '../../core/runs/history/run-record.ts'
import type { Engine, StoredMessage } from '../engine/engine.ts'
import type { Objects } from '../objects/objects.ts'
import { nameRunPart, parseBody } from './run-subjects.ts'
import { storeValue, type StoredValue } from './stored-value.ts'

/** The start of a node that performs a run or that wrote a message. */
export interface RunHolder {
  /** Name of the node. */
  node: string
  /** Drawn at each start of the node. */
  start: string
}

/** The beginning of a run, as the stream keeps it. */
export interface StoredBegun extends RunHolder {
  record: StoredValue<RunRecord>
}

/** JSON bytes of a record inside a message; an answer and short logs are next to it. */
export const MAX_INLINE_RECORD_BYTES = 256 * 1024

/** Stores the beginning of a run. Throws `params/invalid` if a run with this id exists. */
export async function writeBegun(
  engine: Engine,
  record: RunRecord,
  { holder, objects }: { holder: RunHolder; objects: Objects },
): Promise<void> {
  const { node, start } = holder
  const stored = await storeValue(record, MAX_INLINE_RECORD_BYTES, objects)
  const begun: StoredBegun = { node, start, record: stored }
  const subject = nameRunPart(record.run_id, 'begun')
  const { isCreated } = await engine.create('runs', subject, JSON.stringify(begun))
  if (isCreated) return
  if ('object' in stored) await objects.remove(stored.object)
  throw runIdTakenError(record.run_id)
}

export async function readBegun(engine: Engine, runId: string): Promise<StoredBegun | undefined> {
  const found = await engine.last('runs', nameRunPart(runId, 'begun'))
  return found && parseBegun(found)
}

/** Parses the message of a beginning; undefined if it is damaged. */
export function parseBegun(message: Pick<StoredMessage, 'body'>): StoredBegun | undefined {
  return parseBody(message) as StoredBegun | undefined
}
