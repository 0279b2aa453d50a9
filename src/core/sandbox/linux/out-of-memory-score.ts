import { writeFileSync } from 'node:fs'

/**
 * Makes the kernel end this process and the children that it starts later before other processes
 * if memory runs out. The /proc of a run is read-only, so that it cannot undo this.
 */
export function preferForOutOfMemoryKiller(pid: number | undefined): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000', { flag: 'r+' })
  } catch {
    // It has exited, or is a set-uid program.
  }
}
