import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import { cancelledError } from '../../../errors.ts'
import { formatBytes } from '../../../util/quantity.ts'
import type { Limits, SandboxExit } from '../backend.ts'
import type { ReadyGuest } from '../guest-host/control-channel.ts'
import type { GuestProcess } from '../guest-host/guest-process.ts'
import { namespacesDeniedError, startFailedError } from '../start-errors.ts'

/** Exit codes of shells and bwrap above this are signal numbers. */
const SIGNAL_EXIT_BASE = 128
/** Messages of the launchers for namespaces that the system denies. */
const DENIED =
  /^(?:no namespaces: |bwrap: (?=Creating new namespace failed|No permissions to create|setting up uid map|loopback: Failed RTM))(.*)$/m
/** Limit of stderr that is kept for the error message. */
const MAX_STDERR_CHARS = 4000

/** The sandbox died before the run began, without a reason that would recur. */
class EarlyExitError extends Error {}

/**
 * Starts a sandbox, and once more if it died before the run began: low memory or an operator may
 * have killed it. Failures with a reason are not retried, since they would recur.
 */
export async function startWithOneRetry<Started>(
  signal: AbortSignal | undefined,
  start: () => Promise<Started>,
): Promise<Started> {
  try {
    return await start()
  } catch (error) {
    if (!(error instanceof EarlyExitError)) throw error
    if (signal?.aborted) throw cancelledError()
  }
  try {
    return await start()
  } catch (error) {
    throw error instanceof EarlyExitError
      ? startFailedError(`tried twice, ${error.message}`)
      : error
  }
}

/**
 * Waits until the guest has received its job. Call it in the tick that started the child, so that
 * no stderr is lost.
 */
export async function waitUntilReady(
  running: GuestProcess,
  child: ChildProcess,
  limits: Limits,
): Promise<ReadyGuest> {
  let problem: NodeJS.ErrnoException | undefined
  child.once('error', (error) => (problem = error))
  let stderr = ''
  const append = (chunk: Buffer) =>
    (stderr = (stderr + chunk.toString('utf8')).slice(0, MAX_STDERR_CHARS))
  child.stderr?.on('data', append)
  try {
    return await running.ready
  } catch (error) {
    const exit = await running.exited
    if (exit.endedBecause === 'cancelled' || exit.failure !== undefined) throw error
    const why = problem
      ? `it could not be spawned (${problem.code})`
      : describeExceededLimit(exit, limits)
    if (why !== undefined) throw startFailedError(why)
    const denied = DENIED.exec(stderr)?.[1]
    if (denied !== undefined) throw namespacesDeniedError(denied)
    if (stderr.trim() !== '' && child.signalCode === null) throw startFailedError(stderr.trim())
    throw new EarlyExitError(describeChildExit(child))
  } finally {
    child.stderr?.off('data', append)
  }
}

/** Describes a limit that was too low for the start; a retry would reach it again. */
function describeExceededLimit(
  { endedBecause, memoryHit, totalHit }: SandboxExit,
  { memoryBytes }: Limits,
): string | undefined {
  if (totalHit) return 'all runs together had no memory left for it'
  if (memoryHit || endedBecause === 'memory') {
    return `it needed more than ${formatBytes(memoryBytes)} of memory`
  }
  return endedBecause && `it exceeded a limit (${endedBecause}) during its start`
}

function describeChildExit({ exitCode, signalCode }: ChildProcess): string {
  const number = (exitCode ?? 0) - SIGNAL_EXIT_BASE
  const entry = Object.entries(constants.signals).find(([, value]) => value === number)
  const signal = signalCode ?? entry?.[0]
  return signal
    ? `it was killed by ${signal}`
    : `it exited with code ${exitCode} and without a message`
}
