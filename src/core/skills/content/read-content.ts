import { createHash, hash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs'
import { join } from 'node:path'
import { SkillsError, throwIfExhausted } from '../../../errors.ts'
import { startWorkSlices } from '../../../util/slices/work-slices.ts'
import { stepMemory } from '../../../util/process-state.ts'
import { canResolveDescriptors } from '../../../util/still-folders.ts'
import { digestContent, type ContentEntry, type ContentMode } from './content-manifest.ts'
import { listContent, type ListedContent } from './list-content.ts'

/** Bytes that are read and hashed in one step. */
const PIECE_BYTES = stepMemory.length

/** Receives the bytes of a file in one or more pieces, which are valid until it returns. */
export type UseBytes = (path: string, bytes: Buffer) => void

/** Reads and hashes the files of a skill. Links are read as their targets, and never followed. */
export async function readContent(folder: string, useBytes?: UseBytes): Promise<ContentEntry[]> {
  const root = realpathSync.native(folder)
  const yieldIfDue = startWorkSlices()
  const entries: ContentEntry[] = []
  for (const listed of listContent(folder)) {
    entries.push(await hashFile(root, listed, useBytes))
    await yieldIfDue()
  }
  return entries
}

/** Reads a file below `root`, a real path, completely; refuses links and more than `maxBytes`. */
export function readContentFile(
  root: string,
  listed: ListedContent,
  { maxBytes }: { maxBytes: number },
): { bytes: Buffer; isExecutable: boolean } | undefined {
  const opened = openContentFile(root, listed)
  try {
    const { size, mode } = opened
    if (size > maxBytes) return undefined
    return { bytes: readPiece(opened, Buffer.allocUnsafe(size)), isExecutable: mode === '100755' }
  } finally {
    closeSync(opened.descriptor)
  }
}

/** The digest of all files of a skill's folder, `sha256:<hex>`. */
export async function digestFolder(folder: string): Promise<string> {
  return digestContent(await readContent(folder))
}

async function hashFile(
  root: string,
  { path, file, isLink }: ListedContent,
  useBytes?: UseBytes,
): Promise<ContentEntry> {
  if (isLink) return hashLink(path, file)
  const opened = openContentFile(root, { path, file })
  try {
    const { size, mode } = opened
    const readNext = (left: number): Buffer => {
      const bytes = readPiece(opened, stepMemory.subarray(0, left))
      useBytes?.(path, bytes)
      return bytes
    }
    if (size <= PIECE_BYTES) return { path, mode, size, sha256: hash('sha256', readNext(size)) }
    const yieldIfDue = startWorkSlices()
    const running = createHash('sha256')
    for (let left = size; left > 0; left -= PIECE_BYTES) {
      running.update(readNext(left))
      await yieldIfDue()
    }
    return { path, mode, size, sha256: running.digest('hex') }
  } finally {
    closeSync(opened.descriptor)
  }
}

function hashLink(path: string, file: string): ContentEntry {
  const target = readTarget(path, file)
  return { path, mode: '120000', size: target.length, sha256: hash('sha256', target) }
}

function readTarget(path: string, file: string): Buffer {
  try {
    return readlinkSync(file, { encoding: 'buffer' })
  } catch (cause) {
    throw unreadableError(path, cause)
  }
}

/** An open file, of which exactly `size` bytes may be read. */
interface OpenedFile {
  path: string
  descriptor: number
  size: number
  mode: Exclude<ContentMode, '120000'>
}

function openContentFile(
  root: string,
  { path, file }: Pick<ListedContent, 'path' | 'file'>,
): OpenedFile {
  let descriptor: number
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (cause) {
    throw unreadableError(path, cause)
  }
  const stat = fstatSync(descriptor)
  if (!stat.isFile() || !isStillInside(root, descriptor)) {
    closeSync(descriptor)
    throw changedError(path)
  }
  const mode = (stat.mode & 0o100) === 0 ? '100644' : '100755'
  return { path, descriptor, size: stat.size, mode }
}

/** False if a folder of the path was replaced by a link that leads out of the skill. */
function isStillInside(root: string, descriptor: number): boolean {
  if (!canResolveDescriptors()) return true
  return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(join(root, '/'))
}

/** Fills the memory from the current position; a file that became shorter has changed. */
function readPiece({ path, descriptor }: OpenedFile, bytes: Buffer): Buffer {
  for (let filled = 0; filled < bytes.length;) {
    const count = readSync(descriptor, bytes, filled, bytes.length - filled, null)
    if (count === 0) throw changedError(path)
    filled += count
  }
  return bytes
}

function unreadableError(path: string, cause: unknown): SkillsError {
  throwIfExhausted(cause)
  return new SkillsError('file/unreadable', `Cannot read "${path}" of the skill`, {
    hint: 'Check the permissions of the file, and that its name is UTF-8',
    data: { path },
    cause,
  })
}

function changedError(path: string): SkillsError {
  return new SkillsError('skill/changed', `"${path}" changed while it was read`, {
    hint: 'Try again when no other process writes to the skill',
    data: { path },
  })
}
