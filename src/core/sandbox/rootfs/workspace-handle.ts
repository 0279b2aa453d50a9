import { closeSync, constants, fchmodSync, fstatSync, openSync } from 'node:fs'
import { removeStagingFolder } from './remove-staging-folder.ts'
import { copyFolder } from './copy-folder.ts'

/** An open workspace that can be read after its sandbox is dead. */
export interface WorkspaceHandle {
  /** Copies files and folders into a new folder, completely or not at all. */
  copyTo(dir: string, maxBytes: number): ReturnType<typeof copyFolder>
  close(): void
}

/** Opens the workspace of a running sandbox. */
export function openWorkspaceHandle(path: string): WorkspaceHandle {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  const fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  return {
    copyTo: async (dir, maxBytes) => {
      const from = Buffer.from(`/proc/self/fd/${fd}`)
      try {
        // The folder may belong to code that locked it.
        unlockFolder(fd)
        return await copyFolder(from, Buffer.from(dir), { maxBytes })
      } catch (error) {
        // An existing folder is not ours.
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') removeStagingFolder(dir)
        throw error
      }
    },
    close: () => closeSync(fd),
  }
}

function unlockFolder(fd: number): void {
  const { mode } = fstatSync(fd)
  if ((mode & 0o700) !== 0o700) fchmodSync(fd, (mode & 0o777) | 0o700)
}
