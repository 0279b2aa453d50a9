import type { LogPiece, ProgressReport, RunState, SavedArtifact } from '../core/runs/run-events.ts'
import type { NetworkDecision } from '../core/sandbox/egress/decision.ts'
import { parseObject } from './read-answer.ts'

/** An event of a run, as the server sends it. */
export type RunStreamEvent =
  | { type: 'state'; run_id: string; state: RunState | 'queued' }
  | ({ type: 'log'; run_id?: string } & LogPiece)
  /** Progress that the code of the run reported. */
  | ({ type: 'progress'; run_id?: string } & ProgressReport)
  /** A blob that the run created. */
  | { type: 'blob'; run_id?: string; blob_id: string; kind: string; size_bytes: number }
  /** A version of an artifact that the call saved. */
  | { type: 'artifact'; run_id?: string; artifact: SavedArtifact }
  /** A network access that the run attempted. */
  | { type: 'network'; run_id?: string; decision: NetworkDecision }
  /** Number of events that the server dropped because this client read too slowly. */
  | { type: 'dropped'; events: number }
  | { type: 'end'; run_id: string; status: string }

const EVENT_TYPES = new Set([
  'state',
  'log',
  'progress',
  'blob',
  'artifact',
  'network',
  'dropped',
  'end',
])

/** Parses an event; undefined for unknown names, which a later runtime may send. */
export function readEvent(name: string, text: string): RunStreamEvent | undefined {
  const data = parseObject(text)
  return data && EVENT_TYPES.has(name) ? ({ ...data, type: name } as RunStreamEvent) : undefined
}
