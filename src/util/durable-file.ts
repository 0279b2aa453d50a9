import { closeSync, fsync, openSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { folderSyncs } from './process-state.ts'
import { startWorkSlices } from './slices/work-slices.ts'

const PIECE_BYTES = 1024 ** 2

/** Only fsync waits for the disk; for the other calls, a worker thread would take longer. */
const sync = promisify(fsync)

/** Creates a file; it is on disk when this returns. */
export async function writeSynced(path: string, data: string | Uint8Array): Promise<void> {
  const file = openSync(path, 'wx', 0o600)
  try {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    const yieldIfDue = startWorkSlices()
    for (let at = 0; at < bytes.length;) {
      at += writeSync(file, bytes, at, Math.min(PIECE_BYTES, bytes.length - at))
      await yieldIfDue()
    }
    await sync(file)
  } finally {
    closeSync(file)
  }
}

const { requested, waiting } = folderSyncs

/**
 * Makes renames, links and removals in a folder durable. Calls during a sync share the next one.
 */
export async function syncFolder(path: string): Promise<void> {
  await (waiting.get(path) ?? scheduleSync(path))
}

function scheduleSync(path: string): Promise<void> {
  const next = syncAfter(requested.get(path), path)
  waiting.set(path, next)
  requested.set(path, next)
  return next
}

async function syncAfter(before: Promise<void> | undefined, path: string): Promise<void> {
  await before?.catch(() => {})
  waiting.delete(path)
  try {
    await syncNow(path)
  } finally {
    if (!waiting.has(path)) requested.delete(path)
  }
}

async function syncNow(path: string): Promise<void> {
  const folder = openSync(path, 'r')
  try {
    await sync(folder)
  } finally {
    closeSync(folder)
  }
}
