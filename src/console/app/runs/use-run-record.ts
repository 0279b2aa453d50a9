import { useEffect } from 'preact/hooks'
import type { GetRunRecordResult } from '../../../core/methods/get-run-record/definition.ts'
import type { RunRecord } from '../../../core/runs/history/run-record.ts'
import { callMethod } from '../api.ts'
import { keepTrying } from '../keep-trying.ts'
import { useMethod, type MethodState } from '../use-method.ts'

/** A run and its record, which is null until the run starts. */
export type LoadedRun = Omit<GetRunRecordResult, 'record'> & { record: RunRecord | null }

const WAIT_MS = 20_000
/** A run of another caller cannot be waited for. */
const REPEAT_MS = 2000

/** The record of a run, which is read again when the run ends. */
export function useRunRecord(runId: string): MethodState<LoadedRun> {
  const state = useMethod('get_run_record', { run_id: runId })
  const { data, reload } = state
  const isRunning = data?.status === 'running'
  useEffect(() => {
    if (!isRunning) return undefined
    const aborted = new AbortController()
    const { signal } = aborted
    // A run that is gone is reported by the next reading of its record.
    keepTrying(async () => await waitForEnd(runId, data.own, signal), signal).then(
      reload,
      () => !signal.aborted && reload(),
    )
    return () => aborted.abort()
  }, [runId, isRunning, data])
  return state as MethodState<LoadedRun>
}

// eslint-disable-next-line max-params -- the run, its owner, and the end of interest
async function waitForEnd(runId: string, isOwn: boolean, signal: AbortSignal): Promise<void> {
  if (isOwn) {
    const params = { action: 'get', run_id: runId, wait_ms: WAIT_MS } as const
    await callMethod('runs', params, { signal, timeoutMs: 2 * WAIT_MS })
  } else await new Promise((resolve) => setTimeout(resolve, REPEAT_MS))
}
