import { SkillsError } from '../../errors.ts'
import { parseSealedJson, sealJson } from '../../util/sealed-json.ts'
import type { Engine, StoredMessage } from '../engine/engine.ts'
import { matchUpload } from './chunks.ts'

/**
 * Entries of the stream `data`: `b.<name>` for blobs, `u.<name>` for outputs. An entry is stored after
 * the chunks that it names, and removed after its tombstone, `<prefix>.<name>.<tombstone>`, is stored.
 */
export type EntryPrefix = 'b' | 'u'

/** Member of every entry and tombstone: the uploads whose chunks must not be swept. */
export interface NamedUploads {
  uploads: readonly string[]
}

/** Content of a tombstone. */
export interface Tombstone extends NamedUploads {
  /** Position of the removed entry: another entry may have its name later. */
  seq: number
}

/** Time after the removal of an entry during which readers that have opened it may continue. */
export const REMOVED_GRACE_MS = 600_000

/** True for the subject of a tombstone. */
export function isTombstone(subject: string): boolean {
  return subject.split('.').length > 2
}

/** Encodes an entry or a tombstone, with a checksum. */
export function encodeEntry(value: NamedUploads): string {
  return sealJson(value)
}

/** Decodes an entry or a tombstone. Throws if it is damaged. */
export function decodeEntry<T extends NamedUploads>({ body }: StoredMessage): Partial<T> {
  const entry = parseSealedJson(Buffer.from(body).toString()) as Partial<T>
  if (!Array.isArray(entry.uploads)) throw new SyntaxError('the entry is not valid')
  return entry
}

interface RemovedEntry {
  /** Subject of the entry. */
  subject: string
  /** Last part of the subject of the tombstone. */
  token: string
  tombstone: Tombstone
}

/**
 * Removes an entry at once, and leaves its chunks to the next sweep, so that readers can finish. In a
 * full stream its chunks are removed at once too. Returns false if another process removed it.
 */
export async function removeEntry(
  engine: Engine,
  { subject, token, tombstone }: RemovedEntry,
): Promise<boolean> {
  const storeTombstone = async () =>
    await engine.create('data', `${subject}.${token}`, encodeEntry(tombstone))
  try {
    const { isCreated } = await storeTombstone()
    return (await engine.remove('data', subject)) > 0 || isCreated
  } catch (error) {
    if (!(error instanceof SkillsError) || error.code !== 'store/full') throw error
  }
  const removed = await engine.remove('data', subject)
  for (const upload of tombstone.uploads) {
    await engine.remove('data', matchUpload('data', upload))
  }
  // Without it, the lists of other nodes show the entry until they are built again.
  await storeTombstone().catch(() => {})
  return removed > 0
}
