import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from 'node:fs'
import { basename, join } from 'node:path'
import { SkillsError, throwIfExhausted } from '../../../errors.ts'
import { listSourceFiles } from '../../skills/manifest/read-source.ts'
import type { SkillFile } from '../../skills/manifest/source.ts'
import { isLeftOutPath } from './left-out-paths.ts'
import { SnapshotBuilder } from './snapshot-builder.ts'
import type { ContentSnapshot } from './snapshot.ts'

/** Reads all files of a folder. Links are recorded and never followed. */
export function readFolderSnapshot(dir: string, label: string): ContentSnapshot {
  const { files, cut } = listSourceFiles(dir)
  const builder = new SnapshotBuilder(label, basename(dir))
  for (const file of files) {
    if (file.type === 'directory' || isLeftOutPath(file.path)) continue
    if (builder.isFull()) break
    addEntry(builder, dir, file)
  }
  if (cut) builder.noteTooMany()
  return builder.build()
}

function addEntry(builder: SnapshotBuilder, dir: string, { path, type, mode }: SkillFile): void {
  if (type === 'symlink') builder.addLink(path, readlinkSync(join(dir, path)))
  else if (type === 'other') builder.addSpecial(path, mode)
  else addRegularFile(builder, join(dir, path), path)
}

const CHUNK = 1024 * 1024

/** Reads in chunks, so that the memory does not depend on the size. */
function addRegularFile(builder: SnapshotBuilder, absolute: string, path: string): void {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  let descriptor: number
  try {
    descriptor = openSync(absolute, flags)
  } catch (cause) {
    throwIfExhausted(cause)
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new SkillsError('file/unreadable', `Cannot read "${absolute}" (${reason})`, {
      hint: 'Check its permissions, and that no other program changes the folder',
      cause,
    })
  }
  try {
    const { mode, size } = fstatSync(descriptor)
    const hash = createHash('sha256')
    const kept = builder.keepsSize(size) ? ([] as Buffer[]) : undefined
    const chunk = Buffer.alloc(Math.min(CHUNK, size + 1))
    let total = 0
    // A file that grows meanwhile ends at the size that was counted.
    while (total < size) {
      const got = readSync(descriptor, chunk, 0, Math.min(chunk.length, size - total), total)
      if (got === 0) break
      const part = chunk.subarray(0, got)
      hash.update(part)
      kept?.push(Buffer.from(part))
      total += got
    }
    const bytes = kept && Buffer.concat(kept)
    builder.addFile(path, { mode: mode & 0o7777, size: total, digest: hash.digest('hex'), bytes })
  } finally {
    closeSync(descriptor)
  }
}
