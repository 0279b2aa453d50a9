import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_PATH } from '../../../util/find-program.ts'

/** Without a sandbox, code may have made folders that nothing of Node's can empty. */
export function removeStagingFolder(dir: string): void {
  try {
    rmSync(dir, { recursive: true, force: true })
  } catch {
    try {
      unlockFolders(dir)
    } catch {
      // Too deep to be named.
    } finally {
      // However deep they are. Its callers clean up without waiting, so this waits here.
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
