/** Signals a process; ignores one that is gone or belongs to another user. */
export function killProcess(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process is gone or not ours.
  }
}
