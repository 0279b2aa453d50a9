import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fchmodSync,
  futimesSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { WorkspaceState } from '../../core/workspaces/workspace-state.ts'
import { yieldEvery } from '../../util/slices/yield-every.ts'
import type { Engine } from '../engine/engine.ts'
import type { WorkspaceManifest, ManifestFile } from './manifest.ts'
import { PackDamagedError, PackReader } from './pack-reader.ts'
import { listPacks } from './stored-manifest.ts'

const PERMISSIONS = 0o777

export interface RestoreOptions {
  engine: Engine
  workspace: string
  manifest: WorkspaceManifest
  /** Folder of a new workspace that no program uses yet. */
  dir: string
  maxBytes: number
}

/**
 * Writes the entries of a snapshot into a new workspace. Each file is verified by its digest. Throws
 * `PackDamagedError` if contents are missing or changed.
 */
export async function restoreSnapshot(options: RestoreOptions): Promise<WorkspaceState> {
  const { engine, workspace, manifest, dir, maxBytes } = options
  const { entries, state } = manifest
  const reader = new PackReader(engine, workspace, listPacks(manifest))
  const breathe = yieldEvery()
  const user = findRunUser(dir)
  const modes: { path: Buffer; mode: number }[] = []
  let bytes = 0
  for (const entry of entries) {
    await breathe()
    const target = Buffer.concat([Buffer.from(`${dir}/`), Buffer.from(entry.path, 'latin1')])
    if (entry.type === 'folder') {
      makeFolder(target)
      modes.push({ path: target, mode: entry.mode })
    } else if (entry.type === 'link') symlinkSync(Buffer.from(entry.target, 'latin1'), target)
    else {
      bytes += entry.size
      if (bytes > maxBytes) throw new PackDamagedError('the snapshot is larger than a workspace')
      await writeFile(reader, entry, target)
    }
    // Artifacts belong to this process.
    if (user !== undefined && !entry.path.startsWith('artifacts/')) lchownSync(target, user, user)
  }
  // A folder without write permission gets its mode when it has its entries.
  for (const { path, mode } of modes.toReversed()) chmodSync(path, mode & PERMISSIONS)
  makeMountPoints(dir, state)
  return state
}

/** User id of commands, if it is not this process's. */
function findRunUser(dir: string): number | undefined {
  const { uid } = lstatSync(join(dir, 'root'))
  return uid === process.getuid?.() ? undefined : uid
}

/** A new workspace has some folders already. */
function makeFolder(path: Buffer): void {
  if (!lstatSync(path, { throwIfNoEntry: false })) mkdirSync(path, { mode: 0o700 })
}

async function writeFile(reader: PackReader, file: ManifestFile, target: Buffer): Promise<void> {
  const hash = createHash('sha256')
  const fd = openSync(target, 'wx', 0o600)
  try {
    for (const part of file.parts) {
      const bytes = await reader.read(part)
      hash.update(bytes)
      for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written)
    }
    if (hash.digest('hex') !== file.sha256) {
      throw new PackDamagedError('the content of a file does not match its digest')
    }
    fchmodSync(fd, file.mode & PERMISSIONS)
    futimesSync(fd, file.changedMs / 1000, file.changedMs / 1000)
  } finally {
    closeSync(fd)
  }
}

/** Without its mount point, a skill would be copied again, and changes of its copy be lost. */
function makeMountPoints(dir: string, { skills }: WorkspaceState): void {
  for (const [name, { isCopy }] of Object.entries(skills)) {
    const isPlain = name !== '' && !name.startsWith('.') && !name.includes('/')
    if (isCopy && isPlain) mkdirSync(join(dir, 'skills', name), { recursive: true, mode: 0o755 })
  }
}
