import type { Engine } from '../engine/engine.ts'
import { removeEntry } from '../objects/entries.ts'
import type { EntryIndex, IndexedEntry } from '../objects/entry-index.ts'
import type { IndexedBlob } from './blob-index.ts'

/** Removes a blob; its chunks remain for readers until a later sweep. False if it was removed already. */
export async function removeBlob(
  engine: Engine,
  index: EntryIndex<IndexedBlob>,
  { name, seq, value }: IndexedEntry<Pick<IndexedBlob, 'uploads'>>,
): Promise<boolean> {
  const tombstone = { seq, uploads: value.uploads }
  // Named by the position of the entry: an id may be used again.
  const isRemoved = await removeEntry(engine, {
    subject: `b.${name}`,
    token: String(seq),
    tombstone,
  })
  index.delete(name, seq)
  return isRemoved
}
