import type { LogPiece, RunState } from '../core/runs/run-events.ts'
import type { NetworkDecision } from '../core/sandbox/egress/decision.ts'
import { parseObject } from './read-answer.ts'

/** What happens in a run, as the wire tells it. */
export type RunStreamEvent =
  | { type: 'state'; run_id: string; state: RunState | 'queued' }
  | ({ type: 'log'; run_id?: string } & LogPiece)
  /** A blob that the run made. */
  | { type: 'blob'; run_id?: string; blob_id: string; kind: string; size_bytes: number }
  /** An attempt to reach the network. */
  | { type: 'network'; run_id?: string; decision: NetworkDecision }
  /** So many events were left out: this end was too slow for them. */
  | { type: 'dropped'; events: number }
  | { type: 'end'; run_id: string; status: string }

const EVENT_TYPES = new Set(['state', 'log', 'blob', 'network', 'dropped', 'end'])

/** Reads an event; undefined for names that are not known here, which a runtime may well add. */
export function readEvent(name: string, text: string): RunStreamEvent | undefined {
  const data = parseObject(text)
  return data && EVENT_TYPES.has(name) ? ({ ...data, type: name } as RunStreamEvent) : undefined
}
