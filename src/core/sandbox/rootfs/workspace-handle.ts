import { closeSync, constants, openSync } from 'node:fs'
import { copyFolder } from './copy-folder.ts'

/** An open workspace that can be read after its sandbox is dead. */
export interface WorkspaceHandle {
  /** Copies files and folders. Returns the number of symlinks and special files left out. */
  copyTo(dir: string, maxBytes: number): Promise<number>
  close(): void
}

/** Opens the workspace of a running sandbox. */
export function openWorkspaceHandle(path: string): WorkspaceHandle {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  const fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  return {
    copyTo: async (dir, maxBytes) => {
      const from = Buffer.from(`/proc/self/fd/${fd}`)
      return (await copyFolder(from, Buffer.from(dir), { maxBytes })).leftOut
    },
    close: () => closeSync(fd),
  }
}
