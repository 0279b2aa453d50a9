import { createHash } from 'node:crypto'
import { closeSync } from 'node:fs'
import { join } from 'node:path'
import {
  createWorkspaceState,
  readWorkspaceState,
  type WorkspaceState,
} from '../../core/workspaces/workspace-state.ts'
import type { Engine } from '../engine/engine.ts'
import type { SnapshotRef } from './home-record.ts'
import { LeftOutEntries } from './left-out-entries.ts'
import type { WorkspaceManifest, PackPart, ManifestEntry, ManifestFile } from './manifest.ts'
import { openFolder } from './open-beneath.ts'
import { PackWriter } from './pack-writer.ts'
import { readAndStoreFile, type ReadFilesOptions } from './read-files.ts'
import {
  FolderScan,
  type ScannedEntry,
  type ScannedFile,
  type SnapshotLimits,
} from './scan-folder.ts'
import { storeManifest } from './stored-manifest.ts'

/** A snapshot that the record of the home names, and stamps of files by their path. */
export interface SnapshotBase {
  manifest: WorkspaceManifest
  fingerprint: string
  /** Those of files whose next change will be visible; renewed when nothing else changed. */
  stamps: ReadonlyMap<string, string>
}

/** A snapshot that was stored, but not published yet. */
export interface TakenSnapshot extends SnapshotBase {
  ref: SnapshotRef
}

export interface TakeSnapshotOptions {
  engine: Engine
  /** Key of the workspace, which names its packs. */
  workspace: string
  /** Folder of the workspace. */
  dir: string
  limits: SnapshotLimits
  base: SnapshotBase | undefined
  /** Called if the snapshot takes so long that no caller should wait for it. */
  onLarge: () => void
}

/** Areas of a workspace, with the entry of each that is left out: staged skills are copied again. */
const AREAS = [
  { area: 'root', omits: 'skills' },
  { area: 'copies', omits: undefined },
  { area: 'artifacts', omits: undefined },
] as const

/** Work that takes more than about 50 ms. */
const LARGE_ENTRIES = 4000
const LARGE_BYTES = 8 * 1024 ** 2
/** A pack is written again if less than this part of it is in use. */
const MIN_LIVE_PART = 1 / 4
const MIN_SPARSE_BYTES = 64 * 1024

/** Stores everything that changed since the base. Undefined if nothing did. */
export async function takeSnapshot(
  options: TakeSnapshotOptions,
): Promise<TakenSnapshot | undefined> {
  const { engine, workspace, dir, base } = options
  const at = new Date().toISOString()
  const state = readWorkspaceState(dir) ?? createWorkspaceState()
  const leftOut = new LeftOutEntries()
  const roots = openAreas(dir)
  try {
    const scanned = await scanAreas(options, roots, leftOut)
    const reused = selectReusable(base, scanned)
    const writer = new PackWriter(engine, workspace)
    const known = indexContents(base, reused.sparse)
    const { entries, stamps } = await storeEntries(scanned, {
      reusable: reused.files,
      onLarge: options.onLarge,
      read: {
        roots,
        writer,
        leftOut,
        maxBytes: options.limits.bytes,
        findParts: (sha256) => known.get(sha256),
      },
    })
    const manifest: WorkspaceManifest = { at, state, entries, leftOut: leftOut.list() }
    const fingerprint = computeFingerprint(manifest)
    if (fingerprint === base?.fingerprint && !reused.isRepacked) {
      // Files may have other stamps, but the same contents.
      base.stamps = stamps
      return undefined
    }
    await writer.close()
    const ref = await storeManifest(engine, workspace, manifest)
    return { manifest, fingerprint, stamps, ref }
  } finally {
    for (const fd of roots.values()) closeSync(fd)
  }
}

/** Digest of everything that a restored workspace shows. */
export function computeFingerprint({ state, entries, leftOut }: WorkspaceManifest): string {
  const lines = entries.map((entry) => {
    if (entry.type !== 'file') return JSON.stringify(entry)
    const { path, mode, changedMs, sha256 } = entry
    return JSON.stringify([path, mode, changedMs, sha256])
  })
  const stable: Partial<WorkspaceState> = { ...state }
  delete stable.usedAt
  const hash = createHash('sha256').update(JSON.stringify([stable, leftOut]))
  // A folder may list its entries in another order.
  for (const line of lines.sort()) hash.update(line).update('\n')
  return hash.digest('hex')
}

function openAreas(dir: string): Map<string, number> {
  const roots = new Map<string, number>()
  try {
    for (const { area } of AREAS) roots.set(area, openFolder(join(dir, area)))
  } catch (error) {
    for (const fd of roots.values()) closeSync(fd)
    throw error
  }
  return roots
}

async function scanAreas(
  { limits, onLarge }: TakeSnapshotOptions,
  roots: ReadonlyMap<string, number>,
  leftOut: LeftOutEntries,
): Promise<ScannedEntry[]> {
  const scanned: ScannedEntry[] = []
  const onEntry = (entry: ScannedEntry) => {
    scanned.push(entry)
    if (scanned.length === LARGE_ENTRIES) onLarge()
  }
  const scan = new FolderScan({ limits, leftOut, onEntry })
  for (const { area, omits } of AREAS) await scan.scan(roots.get(area) as number, area, { omits })
  return scanned
}

interface ReusableFiles {
  /** Files of the base that did not change, by path. */
  files: ReadonlyMap<string, ManifestFile>
  /** Digests of packs that are mostly unused. */
  sparse: ReadonlySet<string>
  /** True if unchanged files are stored again, so that a sparse pack can be removed. */
  isRepacked: boolean
}

function selectReusable(
  base: SnapshotBase | undefined,
  scanned: readonly ScannedEntry[],
): ReusableFiles {
  const files = new Map<string, ManifestFile>()
  if (!base) return { files, sparse: new Set(), isRepacked: false }
  const before = new Map(base.manifest.entries.map((entry) => [entry.path, entry]))
  const live = new Map<string, { size: number; used: number }>()
  for (const entry of scanned) {
    const stored = before.get(entry.path)
    if (entry.type !== 'file' || stored?.type !== 'file') continue
    if (base.stamps.get(entry.path) === entry.stamp) files.set(entry.path, stored)
    // A file that is read again has mostly the same content.
    else if (stored.size !== entry.size) continue
    for (const { pack, length } of stored.parts) {
      const { used } = live.get(pack.digest) ?? { used: 0 }
      live.set(pack.digest, { size: pack.size, used: used + length })
    }
  }
  const isSparse = ([, { size, used }]: [string, { size: number; used: number }]) =>
    size > MIN_SPARSE_BYTES && used < size * MIN_LIVE_PART
  const sparse = new Set([...live].filter(isSparse).map(([digest]) => digest))
  const repacked = [...files.values()].filter(({ parts }) => usesPack(parts, sparse))
  for (const { path } of repacked) files.delete(path)
  return { files, sparse, isRepacked: repacked.length > 0 }
}

function usesPack(parts: readonly PackPart[], packs: ReadonlySet<string>): boolean {
  return packs.size > 0 && parts.some(({ pack }) => packs.has(pack.digest))
}

/** Contents of the base by SHA-256: its packs stay as long as the record names it. */
function indexContents(
  base: SnapshotBase | undefined,
  sparse: ReadonlySet<string>,
): ReadonlyMap<string, readonly PackPart[]> {
  const known = new Map<string, readonly PackPart[]>()
  for (const entry of base?.manifest.entries ?? []) {
    if (entry.type === 'file' && !usesPack(entry.parts, sparse))
      known.set(entry.sha256, entry.parts)
  }
  return known
}

async function storeEntries(
  scanned: readonly ScannedEntry[],
  {
    reusable,
    onLarge,
    read,
  }: {
    reusable: ReadonlyMap<string, ManifestFile>
    onLarge: () => void
    read: ReadFilesOptions
  },
): Promise<{ entries: ManifestEntry[]; stamps: Map<string, string> }> {
  const isNew = (entry: ScannedEntry): entry is ScannedFile =>
    entry.type === 'file' && !reusable.has(entry.path)
  const newBytes = scanned.filter(isNew).reduce((sum, { size }) => sum + size, 0)
  if (newBytes > LARGE_BYTES) onLarge()
  const entries: ManifestEntry[] = []
  const stamps = new Map<string, string>()
  for (const entry of scanned) {
    if (entry.type !== 'file') {
      entries.push(entry)
      continue
    }
    const same = reusable.get(entry.path)
    if (same) stamps.set(entry.path, entry.stamp)
    const found = same ? { file: same, stamp: entry.stamp } : await readAndStoreFile(read, entry)
    if (!found) continue
    entries.push(found.file)
    if (found.stamp !== undefined) stamps.set(entry.path, found.stamp)
  }
  return { entries, stamps }
}
