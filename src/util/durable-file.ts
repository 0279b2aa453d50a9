import { closeSync, fsync, openSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { folderSyncs } from './process-state.ts'

/** Only this waits for the disk; for the rest, waiting for a thread would take longer. */
const sync = promisify(fsync)

/** Writes a file that is not there yet; it is on the disk when this returns. */
export async function writeSynced(path: string, data: string | Uint8Array): Promise<void> {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(file, data)
    await sync(file)
  } finally {
    closeSync(file)
  }
}

const { asked, waiting } = folderSyncs

/**
 * Makes what was renamed, linked or removed in a folder survive a crash. Who asks while the folder
 * is being synced shares the next time with all who ask until then.
 */
export async function syncFolder(path: string): Promise<void> {
  await (waiting.get(path) ?? scheduleSync(path))
}

function scheduleSync(path: string): Promise<void> {
  const next = syncAfter(asked.get(path), path)
  waiting.set(path, next)
  asked.set(path, next)
  return next
}

async function syncAfter(before: Promise<void> | undefined, path: string): Promise<void> {
  await before?.catch(() => {})
  waiting.delete(path)
  try {
    await syncNow(path)
  } finally {
    if (!waiting.has(path)) asked.delete(path)
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
