import type { Limits, SandboxExit } from '../../sandbox/backend.ts'
import { limitError, nameOfSignal } from './limit-errors.ts'
import type { ProgramOutcome } from '../job.ts'
import type { RunError } from '../result.ts'

/** The part of an outcome that its end decides. */
type Judged = Pick<ProgramOutcome, 'status' | 'exitCode' | 'signal' | 'error'>

/** Judges a program by its end; what ended it from outside comes before what it says itself. */
export function judgeProgram(exit: SandboxExit, limits: Limits, argv: readonly string[]): Judged {
  const nothing = { exitCode: null, signal: null }
  if (exit.endedBecause === 'cancelled') return { status: 'cancelled', ...nothing }
  const limit = limitError({ exit, limits })
  if (limit) {
    const signal = nameOfSignal(exit.signal) ?? null
    const status = limit.type === 'Timeout' ? 'timeout' : 'failure'
    return { status, exitCode: exit.exitCode, signal, error: limit }
  }
  const error = startError(exit, argv)
  if (error) return { status: 'failure', ...nothing, error }
  const signal = nameOfSignal(exit.signal) ?? null
  const status = exit.exitCode === 0 ? 'success' : 'failure'
  return { status, exitCode: exit.exitCode, signal }
}

function startError(
  { failure, notStarted, exitCode, signal }: SandboxExit,
  argv: readonly string[],
): RunError | undefined {
  if (failure !== undefined) return { type: 'SandboxError', message: failure }
  if (notStarted) return cannotStart(notStarted, argv[0] ?? '')
  if (exitCode === null && signal === null) {
    return { type: 'SandboxError', message: 'The sandbox ended before the program did' }
  }
  return undefined
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file, or none of what its first line names',
  EACCES: 'it may not be executed',
  ENOEXEC: 'it is no program, and has no first line that names one',
  E2BIG: 'its arguments and its environment are too long',
}

function cannotStart(how: { step: string; error: string }, program: string): RunError {
  if (how.step === 'folder') {
    const message = `The folder to start in cannot be used: ${how.error}`
    return { type: 'NotStarted', message, hint: 'Name a folder that is there' }
  }
  const message = `"${program}" cannot be started: ${REASONS[how.error] ?? how.error}`
  return { type: 'NotStarted', message }
}
