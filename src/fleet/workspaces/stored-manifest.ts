import type { Engine } from '../engine/engine.ts'
import type { SnapshotRef } from './home-record.ts'
import {
  decodeManifest,
  encodeManifest,
  type WorkspaceManifest,
  type ManifestFile,
} from './manifest.ts'
import { PackReader } from './pack-reader.ts'
import { PACK_BYTES, PackWriter } from './pack-writer.ts'

/** Stores a manifest as packs of its workspace. */
export async function storeManifest(
  engine: Engine,
  workspace: string,
  manifest: WorkspaceManifest,
): Promise<SnapshotRef> {
  const bytes = await encodeManifest(manifest)
  const writer = new PackWriter(engine, workspace)
  const parts = []
  for (let at = 0; at < bytes.length; at += PACK_BYTES) {
    parts.push(...(await writer.add(bytes.subarray(at, at + PACK_BYTES))))
    await writer.flush()
  }
  await writer.close()
  // The time makes the bytes of each manifest new, so that no pack of it has a salt.
  return { manifest: parts.map(({ pack }) => pack.digest), at: manifest.at }
}

/** Reads the manifest of a snapshot. Throws `PackDamagedError` or `ManifestError`. */
export async function readManifest(
  engine: Engine,
  workspace: string,
  { manifest }: SnapshotRef,
): Promise<WorkspaceManifest> {
  const reader = new PackReader(engine, workspace, manifest)
  const pieces: Buffer[] = []
  for (const digest of manifest) pieces.push(await reader.readPack(digest))
  return await decodeManifest(Buffer.concat(pieces))
}

/** Digests of the packs of files, in the order of their first use. */
export function listPacks({ entries }: WorkspaceManifest): string[] {
  const digests = new Set<string>()
  const files = entries.filter((entry): entry is ManifestFile => entry.type === 'file')
  for (const { parts } of files) for (const { pack } of parts) digests.add(pack.digest)
  return [...digests]
}
