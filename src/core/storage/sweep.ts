import { stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const INTERVAL_MS = 3_600_000

/** Removes expired data in the background, at most once an hour across all processes. */
export class Sweeper {
  #dir: string
  #sweep: () => Promise<unknown>
  #checkedAt = -Infinity

  constructor(dir: string, sweep: () => Promise<unknown>) {
    this.#dir = dir
    this.#sweep = sweep
  }

  /** Cheap enough to be called often. */
  sweepIfDue(): void {
    const now = Date.now()
    if (now - this.#checkedAt < INTERVAL_MS) return
    this.#checkedAt = now
    // Not awaited: readers treat expired files as expired even if their removal fails.
    void sweepFolderIfDue(this.#dir, this.#sweep).catch(() => {})
  }
}

async function sweepFolderIfDue(dir: string, sweep: () => Promise<unknown>): Promise<void> {
  const file = join(dir, '.swept')
  const last = await stat(file).catch(() => undefined)
  if (last && Date.now() - last.mtimeMs < INTERVAL_MS) return
  // Marked before the sweep, so that other processes skip it.
  await writeFile(file, '', { mode: 0o600 })
  const now = new Date()
  await utimes(file, now, now)
  if (last) await sweep()
}
