import type { Limits, SandboxExit } from '../../sandbox/backend.ts'
import { findLimitError, formatSignal } from './limit-errors.ts'
import type { ProgramOutcome } from '../job.ts'
import type { RunError } from '../result.ts'

/** The part of an outcome that the exit determines. */
type ExitOutcome = Pick<ProgramOutcome, 'status' | 'exitCode' | 'signal' | 'error'>

/**
 * Resolves the outcome of a program by its exit. Causes outside the program have priority over its
 * exit code.
 */
export function resolveProgramOutcome(
  exit: SandboxExit,
  limits: Limits,
  argv: readonly string[],
): ExitOutcome {
  const nothing = { exitCode: null, signal: null }
  if (exit.endedBecause === 'cancelled') return { status: 'cancelled', ...nothing }
  const limit = findLimitError({ exit, limits })
  if (limit) {
    const signal = formatSignal(exit.signal) ?? null
    const status = limit.type === 'Timeout' ? 'timeout' : 'failure'
    return { status, exitCode: exit.exitCode, signal, error: limit }
  }
  const error = findStartError(exit, argv)
  if (error) return { status: 'failure', ...nothing, error }
  const signal = formatSignal(exit.signal) ?? null
  const status = exit.exitCode === 0 ? 'success' : 'failure'
  return { status, exitCode: exit.exitCode, signal }
}

function findStartError(
  { failure, notStarted, exitCode, signal }: SandboxExit,
  argv: readonly string[],
): RunError | undefined {
  if (failure !== undefined) return { type: 'SandboxError', message: failure }
  if (notStarted) return describeStartFailure(notStarted, argv[0] ?? '')
  if (exitCode === null && signal === null) {
    return { type: 'SandboxError', message: 'The sandbox ended before the program did' }
  }
  return undefined
}

const FOLDER_FAILURES: Readonly<Record<string, string>> = {
  EROFS: 'it does not exist, and cannot be made in a read-only folder',
  EACCES: 'it does not exist and cannot be made, or may not be entered',
  EEXIST: 'it is a file, or a link to nothing',
  ENOTDIR: 'a part of its path is a file',
  ENOSPC: 'it does not exist, and there is no space to make it',
  ENAMETOOLONG: 'a name in its path is too long',
}

const START_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'the file, or the interpreter in its first line, does not exist',
  EACCES: 'it is not executable',
  ENOEXEC: 'its format is unknown, and its first line names no interpreter',
  E2BIG: 'its arguments and its environment are too long',
}

function describeStartFailure(failure: { step: string; error: string }, program: string): RunError {
  if (failure.step === 'fork') {
    return {
      type: 'NotStarted',
      message: `The sandbox of the session has no room for another process (${failure.error}); without running commands, it is ended now with its processes in the background`,
      hint: 'End running commands, or run it again: it gets a new sandbox',
    }
  }
  if (failure.step === 'folder') {
    const why = FOLDER_FAILURES[failure.error] ?? failure.error
    const message = `The folder to start in cannot be used: ${why}`
    return { type: 'NotStarted', message, hint: 'Select a folder that exists' }
  }
  const message = `"${program}" cannot be started: ${START_FAILURES[failure.error] ?? failure.error}`
  return { type: 'NotStarted', message }
}
