/** Ends a process, or says something else to it; one that is gone, or another user's, is left. */
export function killProcess(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch {
    // There is nothing left to end here.
  }
}
