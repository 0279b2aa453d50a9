import type { ChildProcess } from 'node:child_process'
import { killProcess } from '../../util/kill-process.ts'
import { exitCallbacks } from '../../util/process-state.ts'
import { killTree } from '../../util/process-tree.ts'

/** Kills a program, its descendants, and processes of its group whose parent has exited. */
export function killProgramTree(
  { pid, exitCode, signalCode }: ChildProcess,
  hasGroup: boolean,
): void {
  if (pid === undefined) return
  try {
    if (exitCode === null && signalCode === null) killTree(pid)
  } catch {
    // Without /proc, descendants cannot be listed.
    killProcess(pid)
  }
  if (hasGroup) killProcess(-pid)
}

/** Calls a function when this process exits. Returns a function that unregisters it. */
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
