import { useEffect, useState } from 'preact/hooks'
import type { CallerRun } from '../../../core/methods/run-view.ts'
import { callMethod } from '../api.ts'
import { keepTrying } from '../keep-trying.ts'
import { readLogTexts } from './read-log-texts.ts'

/** A run that this page follows. */
export interface FollowedRunView {
  view: CallerRun | undefined
  logs: string
  /** Characters of logs that are not kept. */
  droppedLogs: number
  error: unknown
}

/** Longer logs are on the page of the run. */
const MAX_LOG_CHARACTERS = 200_000
const WAIT_MS = 20_000

/** Follows the logs and the end of a run by its id, also after the page was loaded again. */
export function useRun(runId: string | undefined): FollowedRunView {
  const [run, setRun] = useState<FollowedRunView>(NOTHING)
  useEffect(() => {
    setRun(NOTHING)
    if (runId === undefined) return undefined
    const aborted = new AbortController()
    const { signal } = aborted
    const fail = (error: unknown) => {
      if (signal.aborted) return
      setRun((before) => ({ ...before, error }))
    }
    keepTrying(async () => {
      // A further attempt reads the logs from their begin.
      setRun((before) => ({ ...before, logs: '', droppedLogs: 0 }))
      for await (const text of readLogTexts(runId, signal))
        setRun((before) => addLogs(before, text))
    }, signal).catch(fail)
    const show = (view: CallerRun) => setRun((before) => ({ ...before, view }))
    keepTrying(async () => await followEnd(runId, signal, show), signal).catch(fail)
    return () => aborted.abort()
  }, [runId])
  return run
}

const NOTHING: FollowedRunView = { view: undefined, logs: '', droppedLogs: 0, error: undefined }

function addLogs(before: FollowedRunView, text: string): FollowedRunView {
  const all = before.logs + text
  const excess = Math.max(0, all.length - MAX_LOG_CHARACTERS)
  return { ...before, logs: all.slice(excess), droppedLogs: before.droppedLogs + excess }
}

// eslint-disable-next-line max-params -- the run, the end of interest, and the receiver
async function followEnd(
  runId: string,
  signal: AbortSignal,
  show: (view: CallerRun) => void,
): Promise<void> {
  show(await callMethod('runs', { action: 'get', run_id: runId }, { signal }))
  for (;;) {
    const view = await callMethod(
      'runs',
      { action: 'get', run_id: runId, wait_ms: WAIT_MS },
      { signal, timeoutMs: 2 * WAIT_MS },
    )
    show(view)
    if (view.status !== 'running') return
  }
}
