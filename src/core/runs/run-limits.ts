import type { Limits } from '../sandbox/backend.ts'

/** Time from SIGTERM to SIGKILL. Programs that clean up take less; callers wait for it. */
export const KILL_GRACE_MS = 2000

/** The soft limit of Linux, which programs expect. */
const OPEN_FILES = 1024

/** A small workspace has room for the files of a cache of bytecode, too. */
const MIN_INODES = 1024
const BYTES_PER_INODE = 4096

/** Adds the limits that no setting names. There is a file or folder for each page of the workspace. */
export function completeLimits<T extends Partial<Limits> & Pick<Limits, 'workspaceBytes'>>(
  limits: T,
): T & Pick<Limits, 'openFiles' | 'inodes'> {
  const inodes = Math.max(MIN_INODES, Math.ceil(limits.workspaceBytes / BYTES_PER_INODE))
  return { openFiles: OPEN_FILES, inodes, ...limits }
}
