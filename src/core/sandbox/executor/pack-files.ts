import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs'
import { posix } from 'node:path'
import { waitForTurn } from '../../../util/slices/next-turn.ts'
import { encodeEntryHead, ENTRY } from './archive.ts'

const CHUNK = 256 * 1024

/** Something to place for a run. */
export interface PlacedItem {
  /** Path inside, absolute. */
  target: string
  /** File, link or folder of the host; without it and without a link, an empty folder. */
  source?: string | undefined
  /** Content of a symbolic link. */
  link?: string | undefined
  /** Folders are placed with all that they contain, which counts towards the limit. */
  isCounted?: boolean | undefined
}

export interface PackOptions {
  /** Paths inside that are left out, with all below them. */
  hidden: ReadonlySet<string>
  maxBytes: number
  maxEntries: number
}

/** The files of a run exceed a limit of its workspace. */
export class TooManyFilesError extends Error {}

/** Yields an archive of the items, in order. Links are kept as links, special files are left out. */
export async function* packFiles(
  items: readonly PlacedItem[],
  options: PackOptions,
): AsyncGenerator<Buffer> {
  const state = { ...options, bytes: 0, entries: 0, made: new Set<string>() }
  for (const item of items) {
    yield* packParents(item.target, state)
    if (item.link !== undefined) yield encodeLink(Buffer.from(item.target), Buffer.from(item.link))
    else if (item.source === undefined) yield* packParents(`${item.target}/.`, state)
    else yield* packTree(Buffer.from(item.source), Buffer.from(item.target), { ...item, state })
  }
  yield encodeEntryHead({ type: ENTRY.end })
}

interface PackState extends PackOptions {
  bytes: number
  entries: number
  made: Set<string>
}

/** Folders above an item, which no other item has created. */
function* packParents(target: string, { made }: PackState): Generator<Buffer> {
  const parents = posix.dirname(target).split('/').slice(1)
  for (let depth = 1; depth <= parents.length; depth++) {
    const folder = `/${parents.slice(0, depth).join('/')}`
    if (folder === '/' || made.has(folder)) continue
    made.add(folder)
    yield encodeEntryHead({
      type: ENTRY.folder,
      mode: 0o755,
      path: toEntryPath(Buffer.from(folder)),
    })
  }
}

interface PackedTree {
  isCounted?: boolean | undefined
  state: PackState
}

async function* packTree(
  source: Buffer,
  target: Buffer,
  { isCounted, state }: PackedTree,
): AsyncGenerator<Buffer> {
  const path = target.toString('latin1')
  const stat = lstatSync(source, { throwIfNoEntry: false })
  if (!stat || state.hidden.has(target.toString())) return
  if (isCounted) count(stat, state)
  if (stat.isSymbolicLink()) {
    yield encodeLink(target, readlinkSync(source, { encoding: 'buffer' }))
  } else if (stat.isFile()) yield* packFile(source, target)
  else if (stat.isDirectory()) {
    await waitForTurn()
    if (!state.made.has(path)) {
      state.made.add(path)
      // A run cannot work in a folder that it cannot open.
      const mode = (stat.mode & 0o777) | 0o700
      yield encodeEntryHead({ type: ENTRY.folder, mode, path: toEntryPath(target) })
    }
    for (const name of readdirSync(source, { encoding: 'buffer' })) {
      yield* packTree(join(source, name), join(target, name), { isCounted, state })
    }
  }
}

function count({ size }: Stats, state: PackState): void {
  state.entries += 1
  state.bytes += size
  if (state.entries > state.maxEntries || state.bytes > state.maxBytes)
    throw new TooManyFilesError()
}

/** Reads through a descriptor, so that a link swapped in meanwhile is not followed. */
function* packFile(source: Buffer, target: Buffer): Generator<Buffer> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const fd = openSync(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const { size, mode } = fstatSync(fd)
    const path = toEntryPath(target)
    yield encodeEntryHead({ type: ENTRY.file, mode: (mode & 0o777) | 0o400, path, size })
    for (let left = size; left > 0;) {
      const chunk = Buffer.alloc(Math.min(left, CHUNK))
      const read = readSync(fd, chunk)
      // A file that became shorter is filled up, so that the archive remains one.
      const piece = read === 0 ? chunk : chunk.subarray(0, read)
      left -= piece.length
      yield piece
    }
  } finally {
    closeSync(fd)
  }
}

function encodeLink(target: Buffer, link: Buffer): Buffer {
  const path = toEntryPath(target)
  return Buffer.concat([encodeEntryHead({ type: ENTRY.link, path, size: link.length }), link])
}

/** Paths of entries are relative to the folder of the run. */
function toEntryPath(path: Buffer): Buffer {
  return path.subarray(1)
}

function join(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, Buffer.from('/'), name])
}
