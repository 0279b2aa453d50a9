import {
  closeSync,
  constants,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  opendirSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
  type Stats,
} from 'node:fs'
import { readAt } from '../../../util/bytes/read-at.ts'
import type { Steps } from '../../../util/slices/run-in-slices.ts'
import type { Spans } from '../../../util/spans.ts'
import { GUEST_FOLDERS } from '../../sandbox/guest-host/guest-job.ts'

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants
const MAX_LINKS = 40
const MAX_PARTS = 200

/** Host folders of a workspace: its own, and those mounted inside of it. */
interface TreeRoots {
  root: string
  /** By path inside the workspace, such as `skills`. */
  mounts: ReadonlyMap<string, { source: string; isWritable: boolean }>
  /** Owner of the files; undefined if it is this process's user. */
  user: number | undefined
  spans?: Spans | undefined
}

/** A file or folder, accessed through its open parent folder. */
export interface TreeEntry {
  /** Path relative to the workspace's root, without symlinks. */
  name: string
  /** Path by which this process accesses it. */
  path: string
  stat: Stats
}

/** A piece of a file. */
export interface FilePiece {
  bytes: Buffer
  size: number
  name: string
  changedMs: number
}

type ListedEntries = { name: string; stat: Stats }[]

/** Names that are read from a folder at once. */
const NAMES_PER_READ = 256

/** A path that leads out of the workspace. */
export class OutsideWorkspaceError extends Error {}

/**
 * The files of a workspace as programs inside see them. Programs can create symlinks at any time,
 * also during an operation: every step starts from an open folder, and symlinks are resolved only
 * within the workspace.
 */
export class WorkspaceTree {
  /** Paths that this process was not allowed to read. */
  readonly unreadable: Set<string> = new Set()
  /** Records operations on many files. */
  readonly spans: Spans | undefined
  readonly #roots: TreeRoots

  constructor(roots: TreeRoots) {
    this.#roots = roots
    this.spans = roots.spans
  }

  /**
   * Passes an entry to `use`; undefined if it does not exist or the path leads out. Descriptors are
   * closed afterwards.
   */
  withEntry<T>(path: string, use: (entry: TreeEntry) => T, { follows = true } = {}): T | undefined {
    const walk = new TreeWalk(this.#roots)
    try {
      const entry = walk.resolve(path, follows)
      return entry && use(entry)
    } catch (error) {
      return this.#noteMissing(path, error)
    } finally {
      walk.close()
    }
  }

  /** Throws unless the error says that the path does not exist or leads out. */
  #noteMissing(path: string, error: unknown): undefined {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') this.unreadable.add(path)
    if (!(error instanceof OutsideWorkspaceError || isNotFound(error))) throw error
  }

  /** The beginning of a regular file, and its total size. */
  read(path: string, maxBytes: number): FilePiece | undefined {
    return this.readAt(path, 0, maxBytes)
  }

  /** A piece of a regular file. */
  readAt(path: string, offset: number, maxBytes: number): FilePiece | undefined {
    return this.withEntry(path, (entry) => {
      const fd = openSync(entry.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      try {
        const stat = fstatSync(fd)
        if (!stat.isFile()) return undefined
        const size = Math.max(0, Math.min(maxBytes, stat.size - offset))
        const bytes = readAt(fd, offset, size)
        return { bytes, size: stat.size, name: entry.name, changedMs: stat.mtimeMs }
      } finally {
        closeSync(fd)
      }
    })
  }

  /** Entries of a folder, as far as the budget reaches; empty if it is not a folder. */
  *list(path: string, budget: { left: number }): Steps<ListedEntries> {
    const entries: ListedEntries = []
    const walk = new TreeWalk(this.#roots)
    try {
      const folder = walk.resolve(path, true)
      if (folder?.stat.isDirectory() !== true) return entries
      const names = opendirSync(folder.path, { bufferSize: NAMES_PER_READ })
      try {
        for (let each = names.readSync(); each && budget.left > 0; each = names.readSync()) {
          budget.left -= 1
          const stat = lstatSync(`${folder.path}/${each.name}`, { throwIfNoEntry: false })
          if (stat) entries.push({ name: each.name, stat })
          yield
        }
      } finally {
        names.closeSync()
      }
    } catch (error) {
      this.#noteMissing(path, error)
    } finally {
      walk.close()
    }
    return entries
  }

  /** Creates a folder and its parents; throws if a path component is not a folder. */
  makeFolder(path: string): void {
    const walk = new TreeWalk(this.#roots)
    try {
      walk.makeFolders(path)
    } catch (error) {
      throw toOutsideError(error)
    } finally {
      walk.close()
    }
  }

  /** Opens a new file for writing; an existing file is removed first. */
  create(path: string): number {
    return this.#withParent(path, (parent) => {
      removeFile(parent)
      const fd = openSync(parent, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644)
      this.#changeOwner(parent)
      return fd
    })
  }

  /** Creates a symlink; an existing file is removed first. */
  link(path: string, to: string): void {
    this.#withParent(path, (parent) => {
      removeFile(parent)
      symlinkSync(to, parent)
      this.#changeOwner(parent)
    })
  }

  #changeOwner(path: string): void {
    const { user } = this.#roots
    if (user !== undefined) lchownSync(path, user, user)
  }

  #withParent<T>(path: string, use: (target: string) => T): T {
    const [folder, name] = splitParent(path)
    const walk = new TreeWalk(this.#roots)
    try {
      walk.makeFolders(folder)
      walk.checkWritable()
      return use(`/proc/self/fd/${walk.top}/${name}`)
    } catch (error) {
      throw toOutsideError(error)
    } finally {
      walk.close()
    }
  }
}

/** Resolves a path from the root down, one open folder at a time. */
class TreeWalk {
  #roots: TreeRoots
  #open: { fd: number; name: string }[] = []
  #linkCount = 0

  constructor(roots: TreeRoots) {
    this.#roots = roots
    this.#open.push({ fd: openFolder(roots.root), name: '' })
  }

  get top(): number {
    return this.#current().fd
  }

  close(): void {
    for (const { fd } of this.#open.splice(0)) closeSync(fd)
  }

  resolve(path: string, follows: boolean): TreeEntry | undefined {
    let parts = splitPath(path)
    while (parts.length > 0) {
      const [part = '', ...rest] = parts
      const next = this.#enter(part, { isLast: rest.length === 0, follows })
      if (next && 'links' in next) parts = [...next.links, ...rest]
      else if (next && rest.length > 0) return undefined
      else if (next) return next
      else parts = rest
    }
    const { fd, name } = this.#current()
    return { name, path: `/proc/self/fd/${fd}`, stat: fstatSync(fd) }
  }

  makeFolders(path: string): void {
    let parts = splitPath(path)
    while (parts.length > 0) {
      const [part = '', ...rest] = parts
      const target = `/proc/self/fd/${this.top}/${part}`
      if (!isDots(part) && !lstatSync(target, { throwIfNoEntry: false })) {
        this.checkWritable()
        mkdirSync(target, { mode: 0o755 })
        const { user } = this.#roots
        if (user !== undefined) lchownSync(target, user, user)
      }
      const next = this.#enter(part, { isLast: false, follows: true })
      if (next && 'links' in next) parts = [...next.links, ...rest]
      else if (next) throw new OutsideWorkspaceError(`"${next.name}" is not a folder`)
      else parts = rest
    }
  }

  /** Inputs must not be written into read-only mounts, also not through a symlink. */
  checkWritable(): void {
    const { name } = this.#current()
    const around = [...this.#roots.mounts].filter(
      ([at]) => name === at || name.startsWith(`${at}/`),
    )
    const inner = around.sort(([a], [b]) => b.length - a.length)[0]
    if (inner?.[1].isWritable === false) throw new OutsideWorkspaceError(`"${name}" is read-only`)
  }

  /** Enters a folder; otherwise returns the entry, or a symlink's target. */
  #enter(
    part: string,
    { isLast, follows }: { isLast: boolean; follows: boolean },
  ): TreeEntry | { links: string[] } | undefined {
    if (part === '.') return undefined
    if (part === '..') return this.#leave()
    const name = joinPath(this.#current().name, part)
    const path = `/proc/self/fd/${this.top}/${part}`
    const mounted = this.#roots.mounts.get(name)
    if (mounted !== undefined) {
      this.#open.push({ fd: openFolder(mounted.source), name })
      return undefined
    }
    const stat = lstatSync(path)
    if (stat.isDirectory()) {
      this.#open.push({ fd: openFolder(path), name })
      return undefined
    }
    if (!stat.isSymbolicLink() || (isLast && !follows)) return { name, path, stat }
    return { links: this.#followLink(readlinkSync(path)) }
  }

  #leave(): undefined {
    const folder = this.#open.length > 1 ? this.#open.pop() : undefined
    if (!folder) throw new OutsideWorkspaceError('the path leads out of the workspace')
    closeSync(folder.fd)
  }

  #followLink(target: string): string[] {
    this.#linkCount += 1
    if (this.#linkCount > MAX_LINKS) throw new OutsideWorkspaceError('there are too many links')
    if (!target.startsWith('/')) return splitPath(target)
    const isInside =
      target === GUEST_FOLDERS.workspace || target.startsWith(`${GUEST_FOLDERS.workspace}/`)
    if (!isInside) throw new OutsideWorkspaceError('a link leads out of the workspace')
    for (const { fd } of this.#open.splice(1)) closeSync(fd)
    return splitPath(target.slice(GUEST_FOLDERS.workspace.length))
  }

  #current(): { fd: number; name: string } {
    return this.#open.at(-1) as { fd: number; name: string }
  }
}

function openFolder(path: string): number {
  return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
}

function splitPath(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '')
  if (parts.length > MAX_PARTS) throw new OutsideWorkspaceError('the path is too long')
  return parts
}

function splitParent(path: string): [folder: string, name: string] {
  const parts = splitPath(path)
  const name = parts.pop()
  if (name === undefined || isDots(name))
    throw new OutsideWorkspaceError(`"${path}" does not name a file`)
  return [parts.join('/'), name]
}

function isDots(part: string): boolean {
  return part === '.' || part === '..'
}

function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** With EINVAL, another process has replaced a link before it was read. */
const NOT_FOUND_CODES = [
  'ENOENT',
  'EINVAL',
  'ENOTDIR',
  'ELOOP',
  'ENXIO',
  'EACCES',
  'ENAMETOOLONG',
  'ERR_INVALID_ARG_VALUE',
]
/** The path is blocked by an existing entry, or is invalid. */
const BLOCKED_CODES = [...NOT_FOUND_CODES, 'EEXIST', 'EISDIR', 'EPERM', 'EROFS']

function isNotFound(error: unknown): boolean {
  return NOT_FOUND_CODES.includes((error as NodeJS.ErrnoException).code ?? '')
}

function toOutsideError(error: unknown): unknown {
  const { code = '' } = error as NodeJS.ErrnoException
  return BLOCKED_CODES.includes(code)
    ? new OutsideWorkspaceError(`the path is not writable (${code})`)
    : error
}

/** Folders are never removed: a recursive removal could follow a folder that was swapped in. */
function removeFile(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat?.isDirectory()) throw new OutsideWorkspaceError('a folder exists at this path')
  if (stat) unlinkSync(path)
}
