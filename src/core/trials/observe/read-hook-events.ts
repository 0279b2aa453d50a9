import { HOME_FOLDER } from '../subjects/subject.ts'
import type { TraceEvent } from '../trial-report.ts'
import { readWrittenFile } from './compare-folder.ts'

const RECORD_SEPARATOR = '\u001E'
const FIELD_SEPARATOR = '\u001F'
const MAX_LOG = 1024 * 1024
const MAX_RECORDS = 2000
const MAX_FIELD = 500
const KINDS = new Set(['started', 'opened', 'connected', 'resolved'])

/** Events that the hooks inside of a sandbox wrote. */
export interface HookEvents {
  events: TraceEvent[]
  /** True if Python compiled a text that the sink had sent. */
  hasRunFetchedText: boolean
}

/**
 * Reads the log of the hooks. Code of the skill can write to it too, so that no proof against
 * another skill and no fact about this machine comes from it.
 */
export function readHookEvents(file: string, startedMs: number): HookEvents {
  const records = readWrittenFile(file, MAX_LOG).toString('utf8').split(RECORD_SEPARATOR)
  const events: TraceEvent[] = []
  let hasRunFetchedText = false
  for (const record of records.slice(0, MAX_RECORDS)) {
    const [time = '', kind = '', ...fields] = record.split(FIELD_SEPARATOR)
    const seconds = Number(time)
    if (!Number.isFinite(seconds)) continue
    if (kind === 'fetched') hasRunFetchedText = true
    if (!KINDS.has(kind)) continue
    const atMs = Math.max(0, Math.round(seconds * 1000 - startedMs))
    const detail = fields.join(' ').slice(0, MAX_FIELD).replaceAll(HOME_FOLDER, '~')
    events.push({ atMs, kind: kind as TraceEvent['kind'], detail })
  }
  return { events, hasRunFetchedText }
}
