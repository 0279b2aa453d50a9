import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { callOnExit } from '../../host-programs/kill-program-tree.ts'
import type { Interpreter, SandboxRequest } from '../backend.ts'
import { removeStagingFolder } from '../rootfs/remove-staging-folder.ts'
import { toStagingError } from '../rootfs/staging-error.ts'
import { createStagingFolder, writeGuestFolder } from '../rootfs/stage-files.ts'

/**
 * The guest's files for all runs of a process, which mount them read-only. The first run writes only
 * what it needs itself: a command line has no second one.
 */
export class SharedGuest {
  #runs = 0
  #folders = new Map<string, GuestFolder>()

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
    if (present && existsSync(present.path)) return present.path
    const folder = createFolder(compiled)
    this.#folders.set(key, folder)
    return folder.path
  }

  /** Removes the folders; a later run writes them again. */
  remove(): void {
    for (const folder of this.#folders.values()) folder.remove()
    this.#folders.clear()
  }
}

interface GuestFolder {
  path: string
  remove(): void
}

/** Creates a folder that is removed when this process exits, or by another one if it is killed. */
function createFolder(compiled: Interpreter['compiled']): GuestFolder {
  let dir: string | undefined
  try {
    dir = createStagingFolder(`guest-${randomUUID()}`)
    const path = writeGuestFolder(join(dir, 'guest'), compiled)
    const remove = removeStagingFolder.bind(undefined, dir)
    const forget = callOnExit(remove)
    return {
      path,
      remove() {
        forget()
        remove()
      },
    }
  } catch (error) {
    if (dir !== undefined) removeStagingFolder(dir)
    throw toStagingError(error, [])
  }
}
