import { stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const INTERVAL_MS = 3_600_000
/** When this process last looked, by folder. */
const looked = new Map<string, number>()

/** Removes what has expired, an hour apart over all processes, beside whatever else is going on. */
export function sweepNowAndThen(dir: string, sweep: () => Promise<unknown>): void {
  const now = Date.now()
  if (now - (looked.get(dir) ?? -Infinity) < INTERVAL_MS) return
  looked.set(dir, now)
  // Nobody waits for it: what it cannot remove today expires for readers all the same.
  void sweepIfDue(dir, sweep).catch(() => {})
}

async function sweepIfDue(dir: string, sweep: () => Promise<unknown>): Promise<void> {
  const file = join(dir, '.swept')
  const last = await stat(file).catch(() => undefined)
  if (last && Date.now() - last.mtimeMs < INTERVAL_MS) return
  // Marked first: other processes that start now need not do the same.
  await writeFile(file, '', { mode: 0o600 })
  const now = new Date()
  await utimes(file, now, now)
  if (last) await sweep()
}
