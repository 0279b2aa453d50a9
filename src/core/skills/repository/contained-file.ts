import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  read,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
} from 'node:fs'
import { join, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { SkillsError } from '../../../errors.ts'
import {
  canResolveDescriptors,
  listFoldersBetween,
  captureFolders,
} from '../../../util/still-folders.ts'

/** Maximum size of a file in a single response, in bytes. */
export const MAX_READ = 1024 * 1024

/** A worker thread takes longer than a read of this size. */
const MAX_SYNC_READ = 256 * 1024
const readAsync = promisify(read)

/** The reason why a path cannot name a file of a skill; undefined if it can. */
export function findPathProblem(path: string): string | undefined {
  if (path === '') return 'it is empty'
  if (path.includes('\0')) return 'it has a NUL character'
  if (path.includes('\\')) return 'it has a backslash'
  if (path.startsWith('/') || /^[a-zA-Z]:/.test(path)) return 'it is absolute'
  if (/%(?:2e|2f|5c|00)/i.test(path)) return 'it has percent-encoded separators or dots'
  const parts = path.split('/')
  if (parts.includes('..')) return 'it leads out with ".."'
  if (parts.includes('') || parts.includes('.')) return 'it has an empty or "." segment'
  return undefined
}

/**
 * Reads a file inside a folder. Symlinks within the folder are followed, those that lead out are
 * rejected; the opened file is checked again, so a symlink that was swapped in is detected.
 */
export async function readContainedFile(
  dir: string,
  path: string,
  maxBytes: number = MAX_READ,
): Promise<Uint8Array> {
  const problem = findPathProblem(path)
  if (problem) throw outsideError(path, problem)
  // The skill's folder may have been removed since it was found.
  const base = resolveRealPath(dir, path)
  const target = resolveRealPath(join(base, path), path)
  if (!isInsideFolder(base, target)) throw outsideError(path, 'it is a link that leads out of the skill')
  const file = canResolveDescriptors()
    ? openResolvedFile({ base, target, path })
    : await openStillFile({ base, target, path })
  try {
    const stat = fstatSync(file)
    checkRegularFile(stat, path)
    if (stat.size > maxBytes) throw fileTooLargeError(path, stat.size, maxBytes)
    let bytes = Buffer.alloc(stat.size + 1)
    let length = await readInto(file, bytes)
    if (length === bytes.length) {
      // The file grew while it was read.
      bytes = Buffer.alloc(Math.max(stat.size, MAX_READ) + 1)
      length = await readInto(file, bytes)
    }
    if (length > maxBytes || length === bytes.length) throw fileTooLargeError(path, length, maxBytes)
    return bytes.subarray(0, length)
  } finally {
    closeSync(file)
  }
}

function resolveRealPath(file: string, path: string): string {
  try {
    return realpathSync.native(file)
  } catch (cause) {
    throw fileNotFoundError(path, cause)
  }
}

/** A file to open. */
interface ContainedPath {
  /** Real path of the skill. */
  base: string
  /** Real path of the file. */
  target: string
  /** As requested. */
  path: string
}

/** Opens a file and checks its real path, which the kernel reports. */
function openResolvedFile({ base, target, path }: ContainedPath): number {
  const file = openRegularFile(target, path)
  if (isInsideFolder(base, readDescriptorPath(file))) return file
  closeSync(file)
  throw outsideError(path, 'it is a link that leads out of the skill')
}

function readDescriptorPath(file: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${file}`)
  } catch {
    return ''
  }
}

const MAX_OPENS = 5

/** Opens a file while the folders above it do not change: for systems without /proc. */
async function openStillFile({ base, target, path }: ContainedPath): Promise<number> {
  const folders = listFoldersBetween(base, target)
  for (let attempt = 0; attempt < MAX_OPENS; attempt++) {
    const first = captureFolders(folders)
    if (!first) throw outsideError(path, 'it changed into a link while it was read')
    if (first.settleMs > 0) await sleep(first.settleMs)
    const before = captureFolders(folders)
    if (before?.text !== first.text) continue
    const file = openRegularFile(target, path)
    if (captureFolders(folders)?.text === before.text) return file
    closeSync(file)
  }
  throw new SkillsError('file/unreadable', `The folder of "${path}" changes while it is read`, {
    hint: 'Read it again when no other process writes to the skill',
  })
}

function openRegularFile(target: string, path: string): number {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  try {
    return openSync(target, flags)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') throw fileNotFoundError(path, cause)
    if (code === 'ELOOP') throw outsideError(path, 'it changed into a link while it was read')
    if (code === 'ENXIO') throw new SkillsError('file/not-found', `"${path}" is not a regular file`)
    throw new SkillsError(
      'file/unreadable',
      `Cannot read "${path}" (${code ?? 'unknown reason'})`,
      {
        hint: 'Check the permissions of the file',
        cause,
      },
    )
  }
}

async function readInto(file: number, bytes: Buffer): Promise<number> {
  let length = 0
  while (length < bytes.length) {
    const rest = bytes.length - length
    const count =
      bytes.length <= MAX_SYNC_READ
        ? readSync(file, bytes, length, rest, length)
        : (await readAsync(file, bytes, length, rest, length)).bytesRead
    if (count === 0) break
    length += count
  }
  return length
}

function checkRegularFile(stat: Stats, path: string): void {
  if (stat.isDirectory()) {
    throw new SkillsError('file/not-found', `"${path}" is a folder, expected a file`, {
      data: { param: 'path', reason: 'is a folder' },
    })
  }
  if (!stat.isFile()) throw new SkillsError('file/not-found', `"${path}" is not a regular file`)
}

function isInsideFolder(base: string, target: string): boolean {
  return target.startsWith(base.endsWith(sep) ? base : base + sep)
}

function outsideError(path: string, reason: string): SkillsError {
  return new SkillsError('file/outside', `Cannot read ${JSON.stringify(path)}: ${reason}`, {
    hint: 'Pass a path inside the skill, such as "SKILL.md"',
    data: { param: 'path', reason },
  })
}

function fileNotFoundError(path: string, cause: unknown): SkillsError {
  return new SkillsError('file/not-found', `The skill has no file ${JSON.stringify(path)}`, {
    data: { param: 'path', reason: 'not found' },
    cause,
  })
}

function fileTooLargeError(path: string, size: number, maxBytes: number): SkillsError {
  return new SkillsError(
    'file/too-large',
    `"${path}" has ${size} bytes, expected at most ${maxBytes}`,
    {
      data: { param: 'path', size_bytes: size, max_bytes: maxBytes },
    },
  )
}
