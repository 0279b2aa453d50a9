import { EMPTY_LOG_MAP } from '../../core/runs/history/log-pieces.ts'
import type { RunRecord } from '../../core/runs/history/run-record.ts'
import type { Engine } from '../engine/engine.ts'
import type { Objects } from '../objects/objects.ts'
import { readBegun, type RunHolder } from './run-begun.ts'
import { createEnd, encodeEnd, type CallEnd } from './run-end.ts'
import { loadValue } from './stored-value.ts'

export interface RunInterruption {
  /** The node that gives the run up. */
  by: RunHolder
  reason: string
  objects: Objects
  /** The answer to the call of the run, stored with the end. */
  answer?: unknown
}

/** `unknown`: the engine has no record of the run. An end: it was written before, and decides. */
export type DeclaredEnd = 'declared' | 'unknown' | CallEnd

/** Ends a run whose node is gone, unless it has an end. */
export async function declareInterrupted(
  engine: Engine,
  runId: string,
  { by, reason, objects, answer }: RunInterruption,
): Promise<DeclaredEnd> {
  const begun = await readBegun(engine, runId)
  if (!begun) return 'unknown'
  const started = await loadValue(begun.record, objects)
  const record: RunRecord = {
    ...started,
    // As in other stores: when it ended is not known.
    status: 'interrupted',
    error: { type: 'run/interrupted', message: reason },
  }
  const ended = { record, logs: Buffer.alloc(0), map: EMPTY_LOG_MAP }
  const encoded = await encodeEnd(ended, { holder: by, objects })
  const end = { ...encoded, ...(answer !== undefined && { answer }) }
  const existing = await createEnd(engine, runId, { end })
  return existing ?? 'declared'
}
