import { lstatSync } from 'node:fs'
import type { ReadyGuest } from '../guest-host/control-channel.ts'
import type { RootfsMount } from './mounts.ts'

/**
 * Lists the folders that a run mounts read-only, without those inside others. The guest mounts views
 * over them, in which no socket or pipe of the host can be reached. `copies` is the folder of the
 * files that are copied for the run.
 */
export function listViewedFolders(mounts: readonly RootfsMount[], copies: string): string[] {
  const sources = mounts.flatMap((mount) =>
    mount.kind === 'bind' && mount.writable !== true && mount.isLive !== true
      ? [isInside(mount.source, copies) ? copies : mount.source]
      : [],
  )
  return [...new Set(sources)].filter(
    (source) => !sources.some((other) => isBelow(source, other)) && isFolder(source),
  )
}

/**
 * Lists those that contain no writable folder of the run: its source would be covered before the
 * launcher can open it.
 */
export function listSeparateViews(mounts: readonly RootfsMount[], copies: string): string[] {
  const writable = mounts.flatMap((mount) =>
    mount.kind === 'bind' && mount.writable === true ? [mount.source] : [],
  )
  return listViewedFolders(mounts, copies).filter(
    (folder) => !writable.some((source) => isInside(source, folder)),
  )
}

/**
 * Lists the folders of the host, by their paths inside, whose sockets and pipes a run can reach:
 * writable ones, and those that the kernel could not show as a view. `copies` are folders with files
 * of the runtime.
 */
export function listReachableFolders(
  mounts: readonly RootfsMount[],
  { views = [] }: Pick<ReadyGuest, 'views'>,
  copies: readonly string[],
): string[] {
  const targets = mounts.flatMap((mount) => {
    if (mount.kind !== 'bind' || mount.isLive === true || views.includes(mount.target)) return []
    const isCopy = copies.some((copy) => isInside(mount.source, copy))
    return isCopy || !isFolder(mount.source) ? [] : [mount.target]
  })
  return targets.filter((target) => !targets.some((other) => isBelow(target, other)))
}

function isInside(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder)
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`)
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
