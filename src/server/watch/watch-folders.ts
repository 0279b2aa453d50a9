import { statSync, watch, type FSWatcher, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isSearchedFolder } from '../../util/searched-folders.ts'
import { startWorkSlices } from '../../util/slices/work-slices.ts'
import { MAX_DEPTH } from '../../core/skills/repository/found-order.ts'

/** Called with the folders that changed; undefined if they are unknown. */
type OnFolderChange = (dirs: readonly string[] | undefined) => void

interface WatchedFolder {
  watcher: FSWatcher
  depth: number
  /** Differs if the folder was removed and created again. */
  inode: number | undefined
}

/** Each watched folder uses kernel memory; above this number the folders are polled. */
const MAX_WATCHED = 50_000
const POLL_MS = 2000

/** Calls `onChange` when something in one of the roots may have changed. */
export class FolderWatch {
  #roots: readonly DeepFolder[]
  #onChange: OnFolderChange
  #watched = new Map<string, WatchedFolder>()
  #poll: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(roots: readonly string[], onChange: OnFolderChange) {
    this.#roots = roots.map((dir) => ({ dir, depth: 0 }))
    this.#onChange = onChange
  }

  /**
   * Adds and removes watches for folders that came or went in the changed ones; by default searches
   * all roots.
   */
  async sync(changed?: ReadonlySet<string>): Promise<void> {
    if (this.#poll) return
    if (!changed) return await this.#addBelow(this.#roots)
    for (const dir of changed) await this.#syncFolder(dir)
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#poll)
    for (const dir of this.#watched.keys()) this.#drop(dir)
  }

  async #syncFolder(dir: string): Promise<void> {
    const known = this.#watched.get(dir)
    if (!known) return
    if (readInode(dir) !== known.inode) {
      this.#dropBelow(dir)
      return await this.#addBelow([{ dir, depth: known.depth }])
    }
    const below = (listSubfolders(dir) ?? []).map((name) => join(dir, name))
    const fresh = below.filter((each) => !this.#watched.has(each))
    const depth = known.depth + 1
    if (fresh.length > 0) await this.#addBelow(fresh.map((each) => ({ dir: each, depth })))
  }

  async #addBelow(starts: readonly DeepFolder[]): Promise<void> {
    const folders = await findFolders(starts, MAX_WATCHED - this.#watched.size)
    if (!folders) return this.#startPolling()
    const added: string[] = []
    for (const folder of folders) {
      if (this.#watched.has(folder.dir) || this.#isClosed) continue
      try {
        this.#add(folder)
        added.push(folder.dir)
      } catch (error) {
        // ENOENT: the folder was removed in the meantime. Any other error: the kernel's limit of
        // watches is reached.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return this.#startPolling()
      }
    }
    // Detects files that were written to a new folder before it was watched.
    if (added.length > 0) setImmediate(this.#onChange, added)
  }

  #add({ dir, depth }: DeepFolder): void {
    const inode = readInode(dir)
    const watcher = watch(dir, { persistent: false }, () => this.#onChange([dir]))
    watcher.on('error', () => this.#drop(dir))
    this.#watched.set(dir, { watcher, depth, inode })
  }

  #drop(dir: string): void {
    this.#watched.get(dir)?.watcher.close()
    this.#watched.delete(dir)
  }

  #dropBelow(folder: string): void {
    for (const dir of this.#watched.keys()) {
      if (dir === folder || dir.startsWith(`${folder}/`)) this.#drop(dir)
    }
  }

  #startPolling(): void {
    for (const dir of this.#watched.keys()) this.#drop(dir)
    if (this.#isClosed) return
    this.#poll ??= setInterval(() => this.#onChange(undefined), POLL_MS).unref()
  }
}

function readInode(dir: string): number | undefined {
  try {
    return statSync(dir, { throwIfNoEntry: false })?.ino
  } catch {
    return undefined
  }
}

/** A folder and its depth below its root. */
interface DeepFolder {
  dir: string
  depth: number
}

/**
 * Returns the folders in which a change can add, change or remove a skill or one of its files.
 * Undefined if there are more than `maxFolders`.
 */
async function findFolders(
  starts: readonly DeepFolder[],
  maxFolders: number,
): Promise<readonly DeepFolder[] | undefined> {
  const found = new Map<string, DeepFolder>()
  const yieldIfDue = startWorkSlices()
  const pending = [...starts]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { dir, depth } = next
    if (found.has(dir)) continue
    await yieldIfDue()
    const names = listSubfolders(dir)
    if (!names) continue
    found.set(dir, next)
    if (found.size > maxFolders) return undefined
    if (depth === MAX_DEPTH) continue
    for (const name of names) pending.push({ dir: join(dir, name), depth: depth + 1 })
  }
  return [...found.values()]
}

/** Names of the searched subfolders; undefined if the folder cannot be read. */
function listSubfolders(dir: string): string[] | undefined {
  try {
    return readdirSync(dir, { withFileTypes: true })
      .filter((each) => each.isDirectory() && isSearchedFolder(each.name))
      .map((each) => each.name)
  } catch {
    return undefined
  }
}
