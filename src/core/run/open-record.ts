import { takeFresh } from '../record/run-id.ts'
import type { RunRecord } from '../record/run-record.ts'
import type { OpenRecord } from '../record/run-store.ts'
import type { Runtime } from '../runtime.ts'

/** What a record may hold of logs besides what the run printed: notes and log levels. */
const ROOM_FOR_NOTES = 64 * 1024

/** Begins the record of a run of any kind; `outputBytes` is what it may hold of the run's words. */
export async function openRecord(
  runtime: Runtime,
  started: RunRecord,
  outputBytes: number,
): Promise<OpenRecord> {
  const store = await runtime.runs()
  return await store.open(started, {
    mayBeTaken: !takeFresh(started.run_id),
    maxLogBytes: outputBytes + ROOM_FOR_NOTES,
  })
}
