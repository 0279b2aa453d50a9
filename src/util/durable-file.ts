import { closeSync, fsync, openSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'

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

/** Makes what was renamed, linked or removed in a folder survive a crash. */
export async function syncFolder(path: string): Promise<void> {
  const folder = openSync(path, 'r')
  try {
    await sync(folder)
  } finally {
    closeSync(folder)
  }
}
