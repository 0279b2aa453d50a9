import { hash } from 'node:crypto'
import type { PackedFile } from '../../packing/packed-file.ts'
import { SnapshotBuilder } from './snapshot-builder.ts'
import type { ContentSnapshot } from './snapshot.ts'

interface MemorySnapshotRequest {
  label: string
  /** Name of the skill's folder. */
  folder: string
}

/** A snapshot of files that are not on disk; none is left out, because all would be installed. */
export function createMemorySnapshot(
  files: readonly PackedFile[],
  { label, folder }: MemorySnapshotRequest,
): ContentSnapshot {
  const builder = new SnapshotBuilder(label, folder)
  for (const { path, isExecutable, bytes } of files) {
    if (builder.isFull()) break
    const size = bytes.length
    const mode = isExecutable ? 0o755 : 0o644
    const digest = hash('sha256', bytes)
    const kept = builder.keepsSize(size) ? { bytes } : {}
    builder.addFile(path, { mode, size, digest, ...kept })
  }
  return builder.build()
}
