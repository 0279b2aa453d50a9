import type { ChildProcess } from 'node:child_process'
import { killProcess } from '../../util/kill-process.ts'
import { exitCalls } from '../../util/process-facts.ts'
import { killTree } from '../../util/process-tree.ts'

/** Ends a program and what it started: its descendants, and those of its group whose parent is gone. */
export function killProgramTree(
  { pid, exitCode, signalCode }: ChildProcess,
  hasGroup: boolean,
): void {
  if (pid === undefined) return
  try {
    if (exitCode === null && signalCode === null) killTree(pid)
  } catch {
    // Systems without /proc list no descendants.
    killProcess(pid)
  }
  if (hasGroup) killProcess(-pid)
}

/** Calls a function when this process exits; returns what takes that back. */
export function callOnExit(end: () => void): () => void {
  if (exitCalls.size === 0) process.on('exit', runExitCalls)
  exitCalls.add(end)
  return () => {
    exitCalls.delete(end)
    if (exitCalls.size === 0) process.off('exit', runExitCalls)
  }
}

function runExitCalls(): void {
  for (const end of exitCalls) end()
}
