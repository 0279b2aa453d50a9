import { takeFresh } from './history/run-id.ts'
import type { RunRecord } from './history/run-record.ts'
import type { OpenRecord } from './history/run-store.ts'
import type { Services } from '../services.ts'

/** What a record may hold of logs besides what the run printed: notes and log levels. */
const ROOM_FOR_NOTES = 64 * 1024

/** Begins the record of a run of any kind; `outputBytes` is what it may hold of the run's words. */
export async function openRecord(
  services: Services,
  started: RunRecord,
  outputBytes: number,
): Promise<OpenRecord> {
  const store = await services.runs()
  return await store.open(started, {
    mayBeTaken: !takeFresh(started.run_id),
    maxLogBytes: outputBytes + ROOM_FOR_NOTES,
  })
}
