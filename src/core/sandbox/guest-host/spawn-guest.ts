import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { tooManyFilesError } from '../start-errors.ts'

/**
 * Starts a program of a sandbox. Where no descriptor is left, Node makes a child without streams, and
 * of an error that nobody listens to it ends this process, with all that it serves.
 */
export function spawnGuest(
  [program = '', ...words]: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  const child = spawn(program, words, options)
  child.on('error', () => {})
  const streams = child.stdio as ChildProcess['stdio'] | undefined
  if (!streams) throw tooManyFilesError()
  for (const each of streams) each?.on('error', () => {})
  return child
}
