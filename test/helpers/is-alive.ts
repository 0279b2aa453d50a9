import { readFileSync } from 'node:fs'

/** True for a process that runs. A zombie has ended: its parent only has to collect it. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}
