import { isRunId } from '../../core/runs/history/run-id.ts'
import type { StoredMessage } from '../engine/engine.ts'

/**
 * Messages of one run in the stream `runs`: its beginning, its end, and an end that came after
 * another node had written one.
 */
const RUN_PARTS = ['begun', 'end', 'late'] as const
export type RunMessage = (typeof RUN_PARTS)[number]

export function nameRunPart(runId: string, part: RunMessage): string {
  return `r.${runId}.${part}`
}

/** Parses the subject of a message of a run; undefined if it is of something else. */
export function parseRunSubject(subject: string): { id: string; part: RunMessage } | undefined {
  const [, id = '', last = ''] = subject.split('.')
  const part = RUN_PARTS.find((each) => each === last)
  return part !== undefined && isRunId(id) ? { id, part } : undefined
}

/** Parses the JSON of a message; undefined if it is damaged. */
export function parseBody({ body }: Pick<StoredMessage, 'body'>): object | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
