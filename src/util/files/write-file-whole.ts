import { chmodSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { syncFolder, writeSynced } from '../durable-file.ts'
import { createOwnName, sweepLeftovers } from '../leftovers.ts'

/** Writes a file in one step: a killed process leaves the old content or the new one. */
export async function writeFileWhole(path: string, text: string): Promise<void> {
  const folder = dirname(path)
  await sweepLeftovers(folder)
  const temporary = join(folder, createOwnName())
  try {
    await writeSynced(temporary, text)
    chmodSync(temporary, 0o644)
    renameSync(temporary, path)
  } catch (thrown) {
    rmSync(temporary, { force: true })
    throw thrown
  }
  await syncFolder(folder)
}
