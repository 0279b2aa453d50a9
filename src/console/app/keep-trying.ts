import { sleepWithin } from '../../client/deadline.ts'
import { ConnectionError, ProtocolError } from '../../client/index.ts'
import { noteFailure } from './api.ts'

const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000
/** Refusals of a server that serves again after a while. */
const PASSING = new Set(['rate/exceeded', 'run/busy'])

/** Repeats work with growing pauses while the server is gone or busy. Throws every other error. */
export async function keepTrying<Result>(
  work: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      noteFailure(error)
      if (!isPassing(error)) throw error
      await sleepWithin(pauseMs, { signal, toError: (reason) => reason })
    }
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError) return true
  return (
    error instanceof ProtocolError &&
    PASSING.has(String((error.data as { kind?: unknown } | undefined)?.kind))
  )
}
