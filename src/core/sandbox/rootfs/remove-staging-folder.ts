import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_PATH } from '../../../util/find-program.ts'

/**
 * Removes a folder that code of a run wrote to, which may have created folders that Node cannot
 * empty: locked ones, and very deep ones.
 */
export function removeStagingFolder(dir: string): void {
  try {
    rmSync(dir, { recursive: true, force: true })
  } catch {
    try {
      unlockFolders(dir)
    } catch {
      // The path exceeds PATH_MAX.
    } finally {
      // `rm` removes folders of any depth. Synchronous, because callers clean up without waiting.
      spawnSync('rm', ['-rf', '--', dir], { env: { PATH: DEFAULT_PATH }, stdio: 'ignore' })
    }
  }
}

function unlockFolders(dir: string): void {
  chmodSync(dir, 0o700)
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    if (entry.isDirectory()) unlockFolders(join(dir, entry.name))
  }
}
