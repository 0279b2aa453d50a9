import { BEFORE_LONG_STEP, runInSlices, type Steps } from '../../../util/slices/run-in-slices.ts'
import { PIECE_CHARS } from '../../../util/slices/split-text.ts'
import { findFiles, MAX_LISTED_NAMES } from './find-files.ts'
import { sniffMimeType, decodeText } from './mime-type.ts'
import type { FilePiece, WorkspaceTree } from './workspace-tree.ts'

/** Maximum bytes to read of one file. */
export const MAX_FILE_BYTES: number = 4 * 1024 ** 2
const MAX_TOTAL_BYTES = 64 * 1024 ** 2
const MAX_FILES = 100

/** A file that a command left, as part of a result. */
export interface OutputFile {
  name: string
  content?: string
  mime_type: string
  size_bytes: number
  /** Present if only a part of the file was read. */
  truncated?: true
  /** Reference for reading the file later. */
  ref: string
}

/** The same, with the bytes that were read. */
export interface CollectedFile extends OutputFile {
  bytes: Buffer
  changedMs: number
}

export interface CollectLimits {
  maxFiles?: number | undefined
  maxFileBytes?: number | undefined
  maxTotalBytes?: number | undefined
}

/** Reads matching files up to the limits; names the limits that were reached. */
export async function collectFiles(
  tree: WorkspaceTree,
  patterns: readonly string[],
  limits: CollectLimits = {},
): Promise<CollectedFiles> {
  const collect = async () => await runInSlices(collectMatches(tree, patterns, limits))
  const span = {
    name: 'workspace.collect',
    attributes: { 'skills.files.patterns': patterns.join(' ').slice(0, MAX_SPAN_TEXT) },
    describe: ({ files }: CollectedFiles) => ({ 'skills.files.count': files.length }),
  }
  return await (tree.spans?.record(span, collect) ?? collect())
}

const MAX_SPAN_TEXT = 256

interface CollectedFiles {
  files: CollectedFile[]
  limitsHit: string[]
}

function* collectMatches(
  tree: WorkspaceTree,
  patterns: readonly string[],
  limits: CollectLimits,
): Steps<CollectedFiles> {
  const max = {
    files: useIfPositive(limits.maxFiles, MAX_FILES),
    file: Math.min(useIfPositive(limits.maxFileBytes, MAX_FILE_BYTES), MAX_FILE_BYTES),
    total: useIfPositive(limits.maxTotalBytes, MAX_TOTAL_BYTES),
  }
  const hit = new Set<string>()
  const files: CollectedFile[] = []
  let total = 0
  const budget = { left: MAX_LISTED_NAMES }
  for (const name of yield* findFiles(tree, patterns, budget)) {
    yield
    if (files.length >= max.files || total >= max.total) {
      hit.add(files.length >= max.files ? 'max_files' : 'max_total_bytes')
      break
    }
    const room = Math.min(max.file, max.total - total)
    const read = tree.read(name, room)
    if (read && read.bytes.length > PIECE_CHARS) yield BEFORE_LONG_STEP
    if (!read) continue
    if (read.size > read.bytes.length)
      hit.add(room < max.file ? 'max_total_bytes' : 'max_file_bytes')
    total += read.bytes.length
    files.push(describeFile(name, read))
  }
  if (budget.left <= 0) hit.add('directory entries')
  return { files, limitsHit: [...hit] }
}

/** Describes a file by its path relative to the workspace's root. */
export function describeFile(
  name: string,
  { bytes, size, changedMs }: Pick<FilePiece, 'bytes' | 'size' | 'changedMs'>,
): CollectedFile {
  const mime = sniffMimeType(name, bytes.subarray(0, 65_536))
  const content = decodeText(mime, bytes)
  return {
    name,
    ...(content !== undefined && { content }),
    mime_type: mime,
    size_bytes: size,
    ...(size > bytes.length && { truncated: true }),
    ref: `workspace://${name}`,
    bytes,
    changedMs,
  }
}

function useIfPositive(value: number | undefined, otherwise: number): number {
  return value !== undefined && value > 0 ? value : otherwise
}
