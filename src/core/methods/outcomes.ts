import type { CallOutcome } from './method.ts'

/** Reads the status of a result as its outcome. */
export function readStatus<Status extends CallOutcome>({ status }: { status: Status }): Status {
  return status
}

/** Derives the outcome of a command from its exit code. */
export function readCommandOutcome(result: {
  exit_code: number
  timed_out?: boolean
}): CallOutcome {
  if (result.timed_out === true) return 'timeout'
  return result.exit_code === 0 ? 'completed' : 'failed'
}

/** Outcome of a command that may still be running; an ended one has an exit code. */
export function readSessionOutcome(view: SessionOutcomeView): CallOutcome {
  if (view.status === 'running') return 'running'
  return readCommandOutcome({
    exit_code: view.exit_code ?? -1,
    timed_out: view.result?.timed_out === true,
  })
}

interface SessionOutcomeView {
  status: 'running' | 'exited'
  exit_code?: number | undefined
  result?: { timed_out: boolean } | undefined
}
