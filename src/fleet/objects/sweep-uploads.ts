import { toSkillsError } from '../../errors.ts'
import type { Engine } from '../engine/engine.ts'
import { listJobUploads } from '../jobs/store-job.ts'
import { listRunUploads } from '../records/run-objects.ts'
import { matchOpenMarks, matchUpload, nameOpenMark } from './chunks.ts'
import { decodeEntry, isTombstone, REMOVED_GRACE_MS } from './entries.ts'
import type { ObjectStream } from './objects.ts'
import { ABANDONED_MS } from './open-marks.ts'

/** Number of the mark that a sweep stores; writers count theirs from 0. */
const SWEEP_MARK = 1e9

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
  const removed: string[] = []
  for (const upload of abandoned) {
    if (await removeAbandoned(engine, stream, upload)) removed.push(upload)
  }
  return removed
}

/**
 * Removes an upload, unless its writer continues: a writer that was stopped for long stores a mark and
 * then checks for its first one, before an entry names its chunks. Returns false in that case.
 */
async function removeAbandoned(
  engine: Engine,
  stream: ObjectStream,
  upload: string,
): Promise<boolean> {
  await storeSweepMark(engine, stream, upload)
  await engine.remove(stream, nameOpenMark(stream, upload, 0))
  const isContinued = await hasNewMark(engine, stream, upload)
  if (!isContinued) await engine.remove(stream, matchUpload(stream, upload))
  return !isContinued
}

/** If this process is killed, a later sweep finds the rest of the upload by this mark. */
async function storeSweepMark(engine: Engine, stream: ObjectStream, upload: string): Promise<void> {
  try {
    await engine.create(stream, nameOpenMark(stream, upload, SWEEP_MARK), '')
  } catch (error) {
    // A full stream needs the sweep most.
    if (toSkillsError(error).code !== 'store/full') throw error
  }
}

async function hasNewMark(engine: Engine, stream: ObjectStream, upload: string): Promise<boolean> {
  const oldest = Date.now() - ABANDONED_MS
  const pattern = matchUpload(stream, upload).replace(/>$/, 'open.*')
  const ownMark = nameOpenMark(stream, upload, SWEEP_MARK)
  let isNew = false
  for await (const { subject, storedAt } of engine.list(stream, pattern)) {
    isNew ||= subject !== ownMark && storedAt >= oldest
  }
  return isNew
}

/** Removes the abandoned uploads of blobs, outputs and runs: those that nothing in the engine names. */
export async function sweepDataUploads(
  engine: Engine,
  { dryRun }: { dryRun?: boolean | undefined } = {},
): Promise<string[]> {
  const listNamed = async () =>
    new Set([
      ...(await listDataUploads(engine)),
      ...(await listRunUploads(engine)),
      ...(await listJobUploads(engine)),
    ])
  return await sweepUploads(engine, { stream: 'data', listNamed, dryRun })
}

/** Uploads that entries of blobs and outputs name, and those of entries that were just removed. */
async function listDataUploads(engine: Engine): Promise<ReadonlySet<string>> {
  const named = new Set<string>()
  for (const pattern of ['b.>', 'u.>']) {
    for await (const message of engine.list('data', pattern)) {
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
  const marks = engine.list(stream, matchOpenMarks(stream))
  for await (const { subject, storedAt } of marks) {
    const [, upload = ''] = subject.split('.')
    markedAt.set(upload, Math.max(storedAt, markedAt.get(upload) ?? 0))
  }
  const oldest = Date.now() - ABANDONED_MS
  return [...markedAt].filter(([, at]) => at < oldest).map(([upload]) => upload)
}
