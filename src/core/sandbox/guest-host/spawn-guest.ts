import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { exhaustedError } from '../../../errors.ts'

/**
 * Starts a program of a sandbox. With no file descriptor left, Node creates a child without streams
 * and emits an error that would end this process if it had no listener.
 */
export function spawnGuest(
  [program = '', ...args]: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  const child = spawn(program, args, options)
  child.on('error', () => {})
  const streams = child.stdio as ChildProcess['stdio'] | undefined
  if (!streams) throw exhaustedError('EMFILE')
  for (const each of streams) each?.on('error', () => {})
  return child
}
