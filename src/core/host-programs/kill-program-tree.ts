import type { ChildProcess } from 'node:child_process'
import { killProcess } from '../../util/kill-process.ts'
import { exitCallbacks } from '../../util/process-state.ts'
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
  if (exitCallbacks.size === 0) process.on('exit', runExitCalls)
  exitCallbacks.add(end)
  return () => {
    exitCallbacks.delete(end)
    if (exitCallbacks.size === 0) process.off('exit', runExitCalls)
  }
}

function runExitCalls(): void {
  for (const end of exitCallbacks) end()
}
