import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Interpreter } from '../backend.ts'
import { removeStagingFolder } from '../rootfs/remove-staging-folder.ts'
import {
  renderEtcFiles,
  createStagingFolder,
  writeEtc,
  writeGuestFolder,
} from '../rootfs/stage-files.ts'

/** Host files that a zygote and its forks see, besides /usr and the interpreter. */
export interface ZygoteFolder {
  etc: string
  guest: string
  /** Contains these, and the files of runs, which are added and removed while the zygote lives. */
  staged: string
  /** Empty folder at which a launcher may mount the zygote's root. */
  top: string
  /** Files of /etc that all runs share. */
  common: readonly string[]
  /** Files of /etc that contain the user id, as `{user}`. */
  accounts: Readonly<Record<string, string>>
  remove(): void
}

/** Creates the folder at a path that reveals nothing about this machine. */
export function createZygoteFolder(id: string, compiled: Interpreter['compiled']): ZygoteFolder {
  const dir = createStagingFolder(id)
  try {
    const { passwd, group } = renderEtcFiles('{user}', undefined)
    const staged = join(dir, 'staged')
    mkdirSync(staged)
    chmodSync(staged, 0o755)
    const etc = writeEtc(join(staged, 'etc'), 0, {})
    const top = join(dir, 'root')
    mkdirSync(top, { mode: 0o700 })
    return {
      etc,
      guest: writeGuestFolder(join(staged, 'guest'), compiled),
      staged,
      top,
      common: readdirSync(etc).filter((name) => name !== 'passwd' && name !== 'group'),
      accounts: { passwd, group },
      remove: () => removeStagingFolder(dir),
    }
  } catch (error) {
    removeStagingFolder(dir)
    throw error
  }
}
