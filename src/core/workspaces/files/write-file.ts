import { chmodSync, closeSync, fchmodSync, writeSync } from 'node:fs'
import type { WorkspaceTree } from './workspace-tree.ts'

const PERMISSION_BITS = 0o777

/** Writes a file of a workspace, replacing an existing one. */
export function writeWorkspaceFile(
  tree: WorkspaceTree,
  path: string,
  { bytes, mode }: { bytes: Uint8Array; mode?: number | undefined },
): void {
  const fd = tree.create(path)
  try {
    for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written)
    if (mode !== undefined) fchmodSync(fd, mode & PERMISSION_BITS)
  } finally {
    closeSync(fd)
  }
}

/** Changes the mode of a regular file; symlinks are not followed. */
export function setMode(tree: WorkspaceTree, path: string, mode: number): void {
  const changeMode = ({ path: entryPath, stat }: { path: string; stat: { isFile(): boolean } }) => {
    if (stat.isFile()) chmodSync(entryPath, mode & PERMISSION_BITS)
  }
  tree.withEntry(path, changeMode, { follows: false })
}
