import { gunzip, gzip } from 'node:zlib'
import { promisify } from 'node:util'
import type { WorkspaceState } from '../../core/workspaces/workspace-state.ts'

/** A message with contents, named by the SHA-256 of its bytes. */
export interface Pack {
  digest: string
  /** Position of the first content: bytes before it only make the name unique. */
  start: number
  size: number
}

/** Bytes of a pack. */
export interface PackPart {
  pack: Pack
  offset: number
  length: number
}

/**
 * An entry of a workspace. Paths and targets are bytes in Latin-1: names of files need not be text.
 * The first part of a path is the area: `root`, `copies` or `artifacts`.
 */
export type ManifestEntry =
  | { type: 'folder'; path: string; mode: number }
  | { type: 'link'; path: string; target: string }
  | ManifestFile

export interface ManifestFile {
  type: 'file'
  path: string
  mode: number
  /** Time of the last change of its content, in milliseconds since 1970. */
  changedMs: number
  size: number
  sha256: string
  parts: readonly PackPart[]
}

/** Entries that a snapshot does not have, by reason. */
export interface SkippedEntries {
  reason: SkipReason
  count: number
  /** The first paths, made printable. */
  examples: readonly string[]
}

export type SkipReason = 'special' | 'unreadable' | 'deep' | 'large' | 'many' | 'changing'

/** Everything that a snapshot consists of. Folders precede their entries. */
export interface WorkspaceManifest {
  /** Time at which the snapshot began, in ISO 8601. */
  at: string
  state: WorkspaceState
  entries: readonly ManifestEntry[]
  leftOut: readonly SkippedEntries[]
}

/** The manifest is damaged, or was written by a newer program. */
export class ManifestError extends Error {
  override name = 'ManifestError'
}

type EncodedPart = [pack: number, offset: number, length: number]
type EncodedEntry =
  | ['d', string, number]
  | ['l', string, string]
  | ['f', string, number, number, number, string, EncodedPart[]]

interface EncodedManifest {
  v: 1
  at: string
  state: WorkspaceState
  packs: [digest: string, start: number, size: number][]
  entries: EncodedEntry[]
  leftOut: readonly SkippedEntries[]
}

const AREAS = new Set(['root', 'copies', 'artifacts'])
/** Bytes of the text of a manifest, which a damaged or hostile one could exceed. */
const MAX_TEXT_BYTES = 128 * 1024 ** 2

export async function encodeManifest(manifest: WorkspaceManifest): Promise<Buffer> {
  const { at, state, leftOut } = manifest
  const numbers = new Map<string, number>()
  const packs: EncodedManifest['packs'] = []
  const encodePart = ({ pack, offset, length }: PackPart): EncodedPart => {
    let number = numbers.get(pack.digest)
    if (number === undefined) {
      number = packs.push([pack.digest, pack.start, pack.size]) - 1
      numbers.set(pack.digest, number)
    }
    return [number, offset, length]
  }
  const entries = manifest.entries.map((entry): EncodedEntry => {
    if (entry.type === 'folder') return ['d', entry.path, entry.mode]
    if (entry.type === 'link') return ['l', entry.path, entry.target]
    const { path, mode, changedMs, size, sha256, parts } = entry
    return ['f', path, mode, changedMs, size, sha256, parts.map(encodePart)]
  })
  const encoded: EncodedManifest = { v: 1, at, state, packs, entries, leftOut }
  return await promisify(gzip)(JSON.stringify(encoded), { level: 1 })
}

/** Decodes a manifest, and checks everything that becomes a path. */
export async function decodeManifest(bytes: Uint8Array): Promise<WorkspaceManifest> {
  try {
    const text = await promisify(gunzip)(bytes, { maxOutputLength: MAX_TEXT_BYTES })
    const encoded = JSON.parse(text.toString()) as EncodedManifest
    if (encoded.v !== 1) throw new ManifestError('it was written by another version')
    const packs = encoded.packs.map(([digest, start, size]): Pack => ({ digest, start, size }))
    const decodePart = ([number, offset, length]: EncodedPart): PackPart => {
      const pack = packs[number]
      if (!pack) throw new ManifestError('a pack is missing')
      return { pack, offset, length }
    }
    const entries = encoded.entries.map((entry): ManifestEntry => {
      if (entry[0] === 'd') return { type: 'folder', path: entry[1], mode: entry[2] }
      if (entry[0] === 'l') return { type: 'link', path: entry[1], target: entry[2] }
      const [, path, mode, changedMs, size, sha256, parts] = entry
      return { type: 'file', path, mode, changedMs, size, sha256, parts: parts.map(decodePart) }
    })
    checkPaths(entries)
    return { at: encoded.at, state: encoded.state, entries, leftOut: encoded.leftOut }
  } catch (error) {
    if (error instanceof ManifestError) throw error
    throw new ManifestError((error as Error).message)
  }
}

/** Refuses entries outside of folders of the same manifest: a link could lead them anywhere. */
function checkPaths(entries: readonly ManifestEntry[]): void {
  const seen = new Set<string>()
  const folders = new Set(AREAS)
  for (const { type, path } of entries) {
    const [parent, name] = splitLast(path)
    const isPlain = name !== '' && name !== '.' && name !== '..' && !name.includes('\0')
    if (!isPlain || !folders.has(parent) || seen.has(path)) {
      throw new ManifestError('a path of it is not valid')
    }
    seen.add(path)
    if (type === 'folder') folders.add(path)
  }
}

/** Splits a path into its folder and its last name. */
function splitLast(path: string): [folder: string, name: string] {
  const at = path.lastIndexOf('/')
  return [path.slice(0, Math.max(0, at)), path.slice(at + 1)]
}
