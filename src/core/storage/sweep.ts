import { stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const INTERVAL_MS = 3_600_000

/** Removes what has expired, an hour apart over all processes, beside whatever else is going on. */
export class Sweeper {
  #dir: string
  #sweep: () => Promise<unknown>
  #checkedAt = -Infinity

  constructor(dir: string, sweep: () => Promise<unknown>) {
    this.#dir = dir
    this.#sweep = sweep
  }

  /** To be called often. */
  sweepIfDue(): void {
    const now = Date.now()
    if (now - this.#checkedAt < INTERVAL_MS) return
    this.#checkedAt = now
    // Runs in the background: files that it cannot remove are expired for readers all the same.
    void sweepFolderIfDue(this.#dir, this.#sweep).catch(() => {})
  }
}

async function sweepFolderIfDue(dir: string, sweep: () => Promise<unknown>): Promise<void> {
  const file = join(dir, '.swept')
  const last = await stat(file).catch(() => undefined)
  if (last && Date.now() - last.mtimeMs < INTERVAL_MS) return
  // Marked first: other processes that start now need not do the same.
  await writeFile(file, '', { mode: 0o600 })
  const now = new Date()
  await utimes(file, now, now)
  if (last) await sweep()
}
