import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { callOnExit } from '../../host-programs/kill-program-tree.ts'
import type { Interpreter, SandboxRequest } from '../backend.ts'
import { removeStagingFolder } from '../rootfs/remove-staging-folder.ts'
import { createStagingFolder, writeGuestFolder } from '../rootfs/stage-files.ts'

/**
 * The guest's files for all runs of a process, which mount them read-only. The first run writes only
 * what it needs itself: a command line has no second one.
 */
export class SharedGuest {
  #runs = 0
  #folders = new Map<string, string>()

  /** Returns the folder for a run; undefined if the run writes its own. */
  take(
    { nodePackages = [] }: Pick<SandboxRequest, 'nodePackages'>,
    interpreter: Interpreter,
  ): string | undefined {
    this.#runs += 1
    // Packages of the host are links in the folder of one run.
    if (this.#runs === 1 || nodePackages.length > 0) return undefined
    const { executable, version, mounts, compiled } = interpreter
    const key = JSON.stringify([executable, version, mounts])
    const present = this.#folders.get(key)
    // A cleaner of temporary files may have removed it.
    const folder = present !== undefined && existsSync(present) ? present : createFolder(compiled)
    this.#folders.set(key, folder)
    return folder
  }
}

/** Creates a folder that is removed when this process exits, or by another one if it is killed. */
function createFolder(compiled: Interpreter['compiled']): string {
  const dir = createStagingFolder(`guest-${randomUUID()}`)
  callOnExit(() => removeStagingFolder(dir))
  return writeGuestFolder(join(dir, 'guest'), compiled)
}
