import type { Engine } from '../engine/engine.ts'
import { matchOpenMarks, matchUpload } from './chunks.ts'
import { decodeEntry, isTombstone, REMOVED_GRACE_MS } from './entries.ts'
import { listMessages } from './list-messages.ts'
import type { ObjectStream } from './objects.ts'
import { ABANDONED_MS } from './open-marks.ts'

export interface SweepUploadsOptions {
  stream: ObjectStream
  /** Returns the uploads that entries name. Called after the old uploads were listed. */
  listNamed: () => Promise<ReadonlySet<string>>
  dryRun?: boolean | undefined
}

/**
 * Removes uploads that no entry names and whose writers have not marked them as open for an hour.
 * Returns their names. For the keeper of a fleet: others have no permission to remove chunks.
 */
export async function sweepUploads(
  engine: Engine,
  { stream, listNamed, dryRun = false }: SweepUploadsOptions,
): Promise<string[]> {
  const old = await listOldUploads(engine, stream)
  if (old.length === 0) return []
  const named = await listNamed()
  const abandoned = old.filter((upload) => !named.has(upload))
  if (dryRun) return abandoned
  for (const upload of abandoned) await engine.remove(stream, matchUpload(stream, upload))
  return abandoned
}

/** Removes the abandoned uploads of blobs and outputs. */
export async function sweepDataUploads(
  engine: Engine,
  { dryRun }: { dryRun?: boolean | undefined } = {},
): Promise<string[]> {
  const listNamed = async () => await listDataUploads(engine)
  return await sweepUploads(engine, { stream: 'data', listNamed, dryRun })
}

/** Uploads that entries of blobs and outputs name, and those of entries that were just removed. */
async function listDataUploads(engine: Engine): Promise<ReadonlySet<string>> {
  const named = new Set<string>()
  for (const pattern of ['b.>', 'u.>']) {
    for await (const message of listMessages(engine, { stream: 'data', pattern })) {
      const isOld = message.storedAt < Date.now() - REMOVED_GRACE_MS
      if (isTombstone(message.subject) && isOld) continue
      try {
        for (const upload of decodeEntry(message).uploads ?? []) named.add(upload)
      } catch {
        // A damaged entry cannot be read, with or without its chunks.
      }
    }
  }
  return named
}

async function listOldUploads(engine: Engine, stream: ObjectStream): Promise<string[]> {
  const markedAt = new Map<string, number>()
  const marks = listMessages(engine, { stream, pattern: matchOpenMarks(stream) })
  for await (const { subject, storedAt } of marks) {
    const [, upload = ''] = subject.split('.')
    markedAt.set(upload, Math.max(storedAt, markedAt.get(upload) ?? 0))
  }
  const oldest = Date.now() - ABANDONED_MS
  return [...markedAt].filter(([, at]) => at < oldest).map(([upload]) => upload)
}
