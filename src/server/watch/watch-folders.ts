import { watch, type FSWatcher } from 'node:fs'
import { findSkillFolders } from './find-skill-folders.ts'

/** Watches folders of skills for changes. */
interface FolderWatch {
  /** Adds and removes watches for folders that came or went. */
  sync(): void
  close(): void
}

/** Each watched folder uses kernel memory; above this number the folders are polled. */
const MAX_WATCHED = 20_000
const POLL_MS = 2000

/** Calls `onChange` when something may have changed. */
export function watchFolders(
  roots: readonly string[],
  onChange: () => void,
  { isDeep = false }: { isDeep?: boolean } = {},
): FolderWatch {
  const watched = new Map<string, FSWatcher>()
  let poll: NodeJS.Timeout | undefined
  const drop = (dir: string) => {
    watched.get(dir)?.close()
    watched.delete(dir)
  }
  const startPolling = () => {
    for (const dir of watched.keys()) drop(dir)
    poll ??= setInterval(onChange, POLL_MS).unref()
  }
  const add = (dir: string) => {
    const watcher = watch(dir, { persistent: false }, onChange)
    watcher.on('error', () => drop(dir))
    watched.set(dir, watcher)
  }
  const sync = () => {
    if (poll) return
    const folders = findSkillFolders(roots, MAX_WATCHED, isDeep)
    if (!folders) return startPolling()
    for (const dir of watched.keys()) if (!folders.has(dir)) drop(dir)
    let isNew = false
    for (const dir of folders) {
      if (watched.has(dir)) continue
      try {
        add(dir)
        isNew = true
      } catch (error) {
        // ENOENT: the folder was removed in the meantime. Any other error: the kernel's limit of
        // watches is reached.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return startPolling()
      }
    }
    // Detects files that were written to a new folder before it was watched.
    if (isNew) setImmediate(onChange)
  }
  sync()
  return {
    sync,
    close() {
      clearInterval(poll)
      for (const dir of watched.keys()) drop(dir)
    },
  }
}
