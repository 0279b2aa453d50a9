import { chmodSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { syncFolder, writeSynced } from '../durable-file.ts'
import { createOwnName, sweepLeftovers } from '../leftovers.ts'

interface WholeFileOptions {
  /** Throws at the last moment, so that the old content stays. */
  check?: () => void
  /** Permission bits; default: 644 in octal. */
  mode?: number
}

/** Writes a file in one step: a killed process leaves the old content or the new one. */
export async function writeFileWhole(
  path: string,
  content: string | Uint8Array,
  { check, mode = 0o644 }: WholeFileOptions = {},
): Promise<void> {
  const folder = dirname(path)
  await sweepLeftovers(folder)
  const temporary = join(folder, createOwnName())
  try {
    await writeSynced(temporary, content)
    chmodSync(temporary, mode)
    check?.()
    renameSync(temporary, path)
  } catch (thrown) {
    rmSync(temporary, { force: true })
    throw thrown
  }
  await syncFolder(folder)
}
