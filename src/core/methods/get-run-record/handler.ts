import { describeFoundRun } from '../../runs/detached/describe-run-state.ts'
import { findRun } from '../../runs/detached/find-run.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { createRecordFilter } from '../caller-record.ts'
import type { GetRunRecordParams, GetRunRecordResult } from './definition.ts'

/** `get_run_record`: returns the record of a run, also while it runs. */
export async function getRunRecord(
  services: Services,
  { run_id: id }: GetRunRecordParams,
  call: RunCall,
): Promise<GetRunRecordResult> {
  const found = await findRun(services, id, call.caller)
  const { status } = await describeFoundRun(services, found)
  const { recordedId, detached, isOwn } = found
  const record =
    recordedId === undefined ? undefined : await (await services.runs()).get(recordedId)
  return {
    run_id: id,
    status,
    detached: detached !== undefined,
    own: isOwn,
    record: record ? createRecordFilter(services, call)(record) : null,
  }
}
