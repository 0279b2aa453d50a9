import {
  closeSync,
  constants,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  symlinkSync,
  unlinkSync,
  type Stats,
} from 'node:fs'
import { GUEST_FOLDERS } from '../../sandbox/guest-host/guest-job.ts'

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants
const MAX_LINKS = 40
const MAX_PARTS = 200

/** Where a workspace's files lie on the host: its own folder, and others at places inside of it. */
interface TreeRoots {
  root: string
  /** By the path inside: `skills` and the like. */
  mounts: ReadonlyMap<string, { source: string; isWritable: boolean }>
  /** Whose files they are, where that is not this process. */
  user: number | undefined
}

/** A file or folder, held by the folder that it lies in. */
export interface TreeEntry {
  /** Its path from the top of the workspace, without links. */
  name: string
  /** How this process reaches it. */
  path: string
  stat: Stats
}

/** The beginning of a file. */
export interface FilePiece {
  bytes: Buffer
  size: number
  name: string
  changedMs: number
}

/** A path that leads out of the workspace. */
export class OutsideWorkspaceError extends Error {}

/**
 * The files of a workspace, as a program inside sees them. Programs leave links wherever they like,
 * also while this goes on: every step is taken from a folder that is held open, and no link is
 * followed but by looking up where it leads in here.
 */
export class WorkspaceTree {
  readonly #roots: TreeRoots

  constructor(roots: TreeRoots) {
    this.#roots = roots
  }

  /** What lies there; undefined where nothing does or the path leads out. What it hands on is closed after. */
  withEntry<T>(path: string, use: (entry: TreeEntry) => T, { follows = true } = {}): T | undefined {
    const walk = new TreeWalk(this.#roots)
    try {
      const entry = walk.resolve(path, follows)
      return entry && use(entry)
    } catch (error) {
      if (error instanceof OutsideWorkspaceError || isNotFound(error)) return undefined
      throw error
    } finally {
      walk.close()
    }
  }

  /** The beginning of a regular file, and how long it is. */
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
        const bytes = readPiece(fd, offset, size)
        return { bytes, size: stat.size, name: entry.name, changedMs: stat.mtimeMs }
      } finally {
        closeSync(fd)
      }
    })
  }

  /** Names in a folder; none where there is no folder. */
  list(path: string): { name: string; canonical: string; stat: Stats }[] {
    const found = this.withEntry(path, (entry) => {
      if (!entry.stat.isDirectory()) return []
      return readdirSync(entry.path).flatMap((name) => {
        const stat = lstatSync(`${entry.path}/${name}`, { throwIfNoEntry: false })
        return stat ? [{ name, canonical: joinPath(entry.name, name), stat }] : []
      })
    })
    return found ?? []
  }

  /** Makes a folder and those above it; throws where something else stands in the way. */
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

  /** Opens a new file for writing; what was there before is removed first. */
  create(path: string): number {
    return this.#withParent(path, (parent) => {
      removeFile(parent)
      const fd = openSync(parent, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644)
      this.#changeOwner(parent)
      return fd
    })
  }

  /** Puts a link in the place of whatever is there. */
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

/** One way from the top down, folder by folder. */
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
      else if (next) throw new OutsideWorkspaceError(`"${next.name}" is no folder`)
      else parts = rest
    }
  }

  /** Commands cannot write where they only read, nor have it done for them by a link. */
  checkWritable(): void {
    const { name } = this.#current()
    const around = [...this.#roots.mounts].filter(
      ([at]) => name === at || name.startsWith(`${at}/`),
    )
    const inner = around.sort(([a], [b]) => b.length - a.length)[0]
    if (inner?.[1].isWritable === false)
      throw new OutsideWorkspaceError(`"${name}" can only be read`)
  }

  /** Goes into a folder; else says what lies there, or where a link leads. */
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
  if (name === undefined || isDots(name)) throw new OutsideWorkspaceError(`"${path}" names no file`)
  return [parts.join('/'), name]
}

function isDots(part: string): boolean {
  return part === '.' || part === '..'
}

function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

const NOT_FOUND_CODES = [
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'ENXIO',
  'EACCES',
  'ENAMETOOLONG',
  'ERR_INVALID_ARG_VALUE',
]
/** What lies there, or how it is called, is in the way. */
const BLOCKED_CODES = [...NOT_FOUND_CODES, 'EEXIST', 'EISDIR', 'EPERM', 'EROFS', 'EINVAL']

function isNotFound(error: unknown): boolean {
  return NOT_FOUND_CODES.includes((error as NodeJS.ErrnoException).code ?? '')
}

function toOutsideError(error: unknown): unknown {
  const { code = '' } = error as NodeJS.ErrnoException
  return BLOCKED_CODES.includes(code)
    ? new OutsideWorkspaceError(`nothing can be written there (${code})`)
    : error
}

/** A folder stays: removing what is in it would follow whatever takes its place meanwhile. */
function removeFile(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat?.isDirectory()) throw new OutsideWorkspaceError('a folder is in its place')
  if (stat) unlinkSync(path)
}

function readPiece(fd: number, offset: number, size: number): Buffer {
  const bytes = Buffer.alloc(size)
  let length = 0
  while (length < size) {
    const count = readSync(fd, bytes, length, size - length, offset + length)
    if (count === 0) break
    length += count
  }
  return bytes.subarray(0, length)
}
