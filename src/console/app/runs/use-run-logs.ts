import { useEffect, useState } from 'preact/hooks'
import { LogLines } from '../../models/log-lines.ts'
import { keepTrying } from '../keep-trying.ts'
import { readLogTexts } from './read-log-texts.ts'

/** The logs of a run; `version` changes with each addition, `log` is the same object. */
interface RunLogsState {
  log: LogLines
  version: number
  isComplete: boolean
  error: unknown
}

/** Additions within this time are shown together. */
const BATCH_MS = 100

/** Reads the logs of a run from their begin, and goes on while it runs. */
export function useRunLogs(runId: string): RunLogsState {
  const [state, setState] = useState<RunLogsState>(create)
  useEffect(() => {
    const aborted = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const show = (changes: Partial<RunLogsState>) =>
      setState((before) => ({ ...before, version: before.version + 1, ...changes }))
    const follow = async () => {
      // A further attempt reads the logs from their begin.
      const log = new LogLines()
      setState({ log, version: 0, isComplete: false, error: undefined })
      for await (const text of readLogTexts(runId, aborted.signal)) {
        log.add(text)
        timer ??= setTimeout(() => {
          timer = undefined
          show({})
        }, BATCH_MS)
      }
    }
    keepTrying(follow, aborted.signal).then(
      () => show({ isComplete: true }),
      (error: unknown) => {
        if (!aborted.signal.aborted) show({ error })
      },
    )
    return () => {
      aborted.abort()
      clearTimeout(timer)
    }
  }, [runId])
  return state
}

function create(): RunLogsState {
  return { log: new LogLines(), version: 0, isComplete: false, error: undefined }
}
