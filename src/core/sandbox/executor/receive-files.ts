import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeSync,
  type Stats,
} from 'node:fs'
import type { Readable } from 'node:stream'
import { takeRandomBytes } from '../../../util/random-bytes.ts'
import { ENTRY, PieceReader, type EntryHead } from './archive.ts'

const CHUNK = 256 * 1024
const MAX_LINK = 4096
const SLASH = Buffer.from('/')

/** Folders that get the changed files of a run. */
export interface ReturnTargets {
  /** Folders of the host by their path inside. */
  folders: ReadonlyMap<string, string>
  maxBytes: number
  maxEntries: number
}

/** The changed files exceed the limit of the workspace; none or only some were written. */
export class ReturnLimitError extends Error {}

/**
 * Writes the changed files of a run to the folders that it could write to. The bytes come from
 * foreign code: no entry leaves its folder, no link is followed, and modes give no rights to others.
 */
export async function receiveFiles(source: Readable, targets: ReturnTargets): Promise<void> {
  const reader = new PieceReader(source as AsyncIterable<Buffer>)
  const left = { bytes: targets.maxBytes, entries: targets.maxEntries }
  for (;;) {
    const head = await reader.readEntryHead()
    if (head.type === ENTRY.end) return
    if (head.type === ENTRY.tooMuch) throw new ReturnLimitError()
    left.entries -= head.type === ENTRY.removed ? 0 : 1
    left.bytes -= head.size
    if (left.entries < 0 || left.bytes < 0) throw new ReturnLimitError()
    await receiveEntry(reader, head, locateEntry(head.path, targets.folders))
  }
}

interface EntryLocation {
  top: Buffer
  /** Names below the top. */
  names: readonly Buffer[]
}

/** Throws for a path outside of the folders. */
function locateEntry(path: Buffer, folders: ReturnTargets['folders']): EntryLocation {
  for (const [inside, dir] of folders) {
    const prefix = Buffer.from(`${inside.slice(1)}/`)
    if (!path.subarray(0, prefix.length).equals(prefix)) continue
    const names = splitPath(path.subarray(prefix.length))
    if (names.every(isName)) return { top: Buffer.from(dir), names }
  }
  throw new Error('a returned file is outside of the folders of the run')
}

function splitPath(path: Buffer): Buffer[] {
  const names: Buffer[] = []
  for (let rest = path; ;) {
    const at = rest.indexOf('/')
    if (at === -1) return [...names, rest]
    names.push(rest.subarray(0, at))
    rest = rest.subarray(at + 1)
  }
}

function isName(name: Buffer): boolean {
  const text = name.toString('latin1')
  return text !== '' && text !== '.' && text !== '..' && !text.includes('\0')
}

async function receiveEntry(
  reader: PieceReader,
  { type, mode, size }: EntryHead,
  { top, names }: EntryLocation,
): Promise<void> {
  const owner = lstatSync(top)
  if (type === ENTRY.file) {
    const draft = await receiveDraft(reader, { top, mode, size, owner })
    try {
      const path = openPlace(top, names, owner)
      removeFolder(path)
      renameSync(draft, path)
    } catch (error) {
      rmSync(draft, { force: true })
      throw error
    }
    return
  }
  if (type === ENTRY.link && size > MAX_LINK) throw new Error('a returned link is too long')
  const link = await reader.readExactly(type === ENTRY.link ? size : 0)
  // No other code of this process runs between the check of the parents and the change.
  if (type === ENTRY.removed) return removeEntry(top, names)
  const path = openPlace(top, names, owner)
  if (type === ENTRY.folder) return makeFolder(path, (mode & 0o777) | 0o700, owner)
  rmSync(path, { recursive: true, force: true })
  symlinkSync(link, path)
  own(path, owner)
}

interface ReturnedDraft {
  top: Buffer
  mode: number
  size: number
  owner: Stats
}

/** Receives the content under a new name, so that the file is replaced as a whole. */
async function receiveDraft(reader: PieceReader, draft: ReturnedDraft): Promise<Buffer> {
  const name = Buffer.from(`.returned-${takeRandomBytes(12).toString('hex')}`)
  const path = join(draft.top, name)
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  const fd = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    for (let left = draft.size; left > 0;) {
      const piece = await reader.readSome(Math.min(left, CHUNK))
      writeAll(fd, piece)
      left -= piece.length
    }
    fchmodSync(fd, (draft.mode & 0o777) | 0o600)
    if (process.getuid?.() === 0) fchownSync(fd, draft.owner.uid, draft.owner.gid)
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(fd)
  }
  return path
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at)
}

/** Makes the folders above an entry; a link or a file in their place is replaced. */
function openPlace(top: Buffer, names: readonly Buffer[], owner: Stats): Buffer {
  let path = top
  for (const name of names.slice(0, -1)) {
    path = join(path, name)
    if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) makeFolder(path, 0o755, owner)
  }
  return join(path, names.at(-1) ?? Buffer.alloc(0))
}

function makeFolder(path: Buffer, mode: number, owner: Stats): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    rmSync(path, { force: true })
    mkdirSync(path)
    own(path, owner)
  }
  // Not followed: it is a folder, and nothing else changes it.
  chmodSync(path, mode)
}

/** A file replaces a folder only if that is removed before. */
function removeFolder(path: Buffer): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    rmSync(path, { recursive: true, force: true })
  }
}

function removeEntry(top: Buffer, names: readonly Buffer[]): void {
  let path = top
  for (const name of names) {
    // A link above it would lead elsewhere.
    if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return
    path = join(path, name)
  }
  rmSync(path, { recursive: true, force: true })
}

/** Files belong to the owner of their folder, as whom other runs work in it. */
function own(path: Buffer, { uid, gid }: Stats): void {
  if (process.getuid?.() === 0) lchownSync(path, uid, gid)
}

function join(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, SLASH, name])
}
