import { SkillsError } from '../../errors.ts'
import { formatShowRun } from '../messages/format-show-run.ts'

const RETRY_AFTER_MS = 1000

export function noWorkerError(): SkillsError {
  return new SkillsError('fleet/no-worker', 'No worker of the fleet is there', {
    hint: 'Start one with "skills worker --fleet <url>", and look at "skills fleet status"',
    data: { retry_after_ms: RETRY_AFTER_MS },
  })
}

/** The engine does not answer, and nothing of the call has begun. */
export function engineSilentError(): SkillsError {
  return new SkillsError('fleet/unavailable', 'The engine of the fleet does not answer', {
    hint: 'Repeat the call later: nothing of it has begun',
    data: { retry_after_ms: RETRY_AFTER_MS },
  })
}

/** The engine does not answer, so the end of the call is not known. */
export function unknownEndError(call: string): SkillsError {
  return new SkillsError(
    'run/unknown',
    'The engine of the fleet does not answer, so it is not known how the run ended',
    {
      hint: `Ask again later: ${formatShowRun(call)}`,
      data: { run_id: call, retry_after_ms: RETRY_AFTER_MS },
    },
  )
}

/** The engine does not answer, so it is not known whether a detached run was accepted. */
export function unknownStartError(call: string): SkillsError {
  return new SkillsError(
    'run/unknown',
    'The engine of the fleet does not answer, so it is not known whether the run was accepted',
    {
      hint: `Ask later: ${formatShowRun(call)}`,
      data: { run_id: call, retry_after_ms: RETRY_AFTER_MS },
    },
  )
}

/** A control message that its worker did not answer. */
export function silentWorkerError(node: string): SkillsError {
  return new SkillsError('run/unknown', `The worker "${node}" did not answer`, {
    hint: 'Repeat the call: it may have had an effect',
    data: { retry_after_ms: RETRY_AFTER_MS },
  })
}

/** A call that another node had, of which the engine has nothing. */
export function unknownCallError(call: string): SkillsError {
  return new SkillsError('run/not-found', `The fleet has nothing of the run "${call}"`, {
    hint: 'Send the call again: its node ended before the run began',
    data: { run_id: call, retry_after_ms: RETRY_AFTER_MS },
  })
}

/** The id of a call belongs to another one. */
export function callTakenError(call: string): SkillsError {
  return new SkillsError('params/invalid', `Invalid params: '_meta.run_id': '${call}' is taken`, {
    data: { param: '_meta.run_id', reason: `'${call}' is taken` },
  })
}

/** The caller asks again. Other errors are thrown. */
export function ignoreAway(error: unknown): undefined {
  if (error instanceof SkillsError && error.code === 'fleet/unavailable') return undefined
  throw error
}
