import { open } from 'node:fs/promises'

/** Writes a file that is not there yet; it is on the disk when this returns. */
export async function writeSynced(path: string, data: string | Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(data)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes what was renamed, linked or removed in a folder survive a crash. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
