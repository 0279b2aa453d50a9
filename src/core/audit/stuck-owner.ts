import { readdirSync, readFileSync } from 'node:fs'

/** Waits for a lock after which its owner may be fenced off, by the state of the owner. */
const PATIENCE_MS = {
  /** Stopped by a signal or a debugger. */
  stopped: 50,
  /** Does not return to its event loop, for example in spawnSync. */
  blocked: 1000,
  /** Waits for the disk, as a sync of the log does; or its state is unknown. */
  onDisk: 5000,
}

/** True if the owner of a lock has not released it for so long that others should not wait for it. */
export function isOwnerStuck(pid: number, waitedMs: number): boolean {
  if (waitedMs < PATIENCE_MS.stopped) return false
  return waitedMs >= PATIENCE_MS[findOwnerState(pid)]
}

function findOwnerState(pid: number): keyof typeof PATIENCE_MS {
  const states = readThreadStates(pid)
  if (states.length === 0) return 'onDisk'
  if (states.every((state) => state === 'T' || state === 't')) return 'stopped'
  return states.includes('D') ? 'onDisk' : 'blocked'
}

function readThreadStates(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((task) => {
      const stat = readFileSync(`/proc/${pid}/task/${task}/stat`, 'latin1')
      // The name in parentheses may contain spaces.
      return stat.slice(stat.lastIndexOf(')') + 2).charAt(0)
    })
  } catch {
    return []
  }
}
