import { constants } from 'node:os'
import type { ProgramOutcome } from '../../runs/job.ts'

/**
 * Exit code in a shell's notation: 128 plus the signal's number; -1 for a program that the runtime
 * ended.
 */
export function shellExitCode({ exitCode, signal, error }: ProgramOutcome): number {
  if (exitCode !== null && error?.type !== 'Timeout') return exitCode
  if (error?.type === 'NotStarted') return 127
  const number = signal === null ? undefined : constants.signals[signal as NodeJS.Signals]
  return number === undefined || error ? -1 : 128 + number
}
