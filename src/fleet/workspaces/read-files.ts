import { createHash } from 'node:crypto'
import { closeSync, fstatSync, type BigIntStats } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { readAt } from '../../util/bytes/read-at.ts'
import type { LeftOutEntries } from './left-out-entries.ts'
import type { PackPart, ManifestFile } from './manifest.ts'
import { openFileBeneath } from './open-beneath.ts'
import { PACK_BYTES, type PackWriter } from './pack-writer.ts'
import { describeFile, type ScannedFile } from './scan-folder.ts'

/** Times that a file is read if it changes meanwhile. */
const MAX_READS = 3

export interface ReadFilesOptions {
  /** Open folders of the areas. */
  roots: ReadonlyMap<string, number>
  writer: PackWriter
  /** Finds stored content. */
  findParts: (sha256: string) => readonly PackPart[] | undefined
  leftOut: LeftOutEntries
  maxBytes: number
}

/** A file that was read, and its stamp if a later change will be visible. */
export interface StoredFile {
  file: ManifestFile
  stamp: string | undefined
}

/** Reads and stores a file. Undefined if it is gone, or cannot be read. */
export async function readAndStoreFile(
  options: ReadFilesOptions,
  { path }: ScannedFile,
): Promise<StoredFile | undefined> {
  const fd = openScannedFile(options, path)
  if (fd === undefined) return undefined
  try {
    for (let reads = 1; ; reads++) {
      const before = fstatSync(fd, { bigint: true })
      if (!before.isFile()) return options.leftOut.add('special', path) as undefined
      if (Number(before.size) > options.maxBytes) {
        return options.leftOut.add('large', path) as undefined
      }
      const content = await storeContent(options, fd, Number(before.size))
      const isSame = isUnchanged(before, fstatSync(fd, { bigint: true }))
      const isLarge = content.size > PACK_BYTES
      if (!isSame && reads < MAX_READS && !isLarge) continue
      if (!isSame) options.leftOut.add('changing', path)
      const { mode, changedMs, stamp, isSettled } = describeFile(before)
      const file: ManifestFile = { type: 'file', path, mode, changedMs, ...content }
      return { file, stamp: isSame && isSettled ? stamp : undefined }
    }
  } finally {
    closeSync(fd)
  }
}

function openScannedFile({ roots, leftOut }: ReadFilesOptions, path: string): number | undefined {
  const [area = ''] = path.split('/', 1)
  try {
    return openFileBeneath(roots.get(area) as number, path.slice(area.length + 1))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EPERM') leftOut.add('unreadable', path)
    // Otherwise it was removed or replaced meanwhile.
    return undefined
  }
}

async function storeContent(
  { writer, findParts }: ReadFilesOptions,
  fd: number,
  size: number,
): Promise<Pick<ManifestFile, 'size' | 'sha256' | 'parts'>> {
  const hash = createHash('sha256')
  if (size <= PACK_BYTES) {
    const bytes = readAt(fd, 0, size)
    const sha256 = hash.update(bytes).digest('hex')
    const parts = findParts(sha256) ?? (await writer.add(bytes))
    return { size: bytes.length, sha256, parts }
  }
  const parts: PackPart[] = []
  let read = 0
  // Own packs: an unchanged beginning of a large file is found by the names of its packs.
  await writer.flush()
  while (read < size) {
    const bytes = readAt(fd, read, Math.min(PACK_BYTES, size - read))
    if (bytes.length === 0) break
    hash.update(bytes)
    parts.push(...(await writer.add(bytes)))
    read += bytes.length
    await setImmediate()
  }
  return { size: read, sha256: hash.digest('hex'), parts }
}

function isUnchanged(before: BigIntStats, after: BigIntStats): boolean {
  return (
    before.size === after.size &&
    before.mtimeNs === after.mtimeNs &&
    before.ctimeNs === after.ctimeNs
  )
}
