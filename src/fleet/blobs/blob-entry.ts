import { parseBlobFolder } from '../../core/storage/blob-id.ts'
import type { BlobInfo } from '../../core/storage/blob-store.ts'
import { blobDamagedError } from '../../core/storage/verify-blob.ts'
import type { StoredMessage } from '../engine/engine.ts'
import { isObjectRef } from '../objects/chunks.ts'
import { decodeEntry, encodeEntry, type NamedUploads } from '../objects/entries.ts'
import type { ObjectRef } from '../objects/objects.ts'

/** A blob: its content is in the entry, or in the chunks of an object. */
export interface BlobEntry {
  info: BlobInfo
  content: Buffer | ObjectRef
}

/** The entry as it is stored. */
interface StoredEntry extends NamedUploads, Omit<BlobInfo, 'id'> {
  /** In base64. */
  content?: string
  object?: ObjectRef
}

/** Subject of a blob's entry. Throws `blob/not-found` for an invalid id. */
export function nameBlobEntry(id: string): string {
  return `b.${parseBlobFolder(id)}`
}

export function encodeBlobEntry({ info, content }: BlobEntry): string {
  const { id: _, ...facts } = info
  const stored: StoredEntry = Buffer.isBuffer(content)
    ? { ...facts, uploads: [], content: content.toString('base64') }
    : { ...facts, uploads: [content.upload], object: content }
  return encodeEntry(stored)
}

/** Throws `blob/damaged`. */
export function decodeBlobEntry(id: string, message: StoredMessage): BlobEntry {
  try {
    const { content, object, ...facts } = decodeEntry<StoredEntry>(message)
    const { kind, size, digest, createdAt } = facts
    const isValid =
      typeof kind === 'string' &&
      typeof digest === 'string' &&
      Number.isSafeInteger(size) &&
      typeof createdAt === 'string' &&
      Number.isFinite(Date.parse(createdAt))
    if (!isValid) throw new Error('a member is missing or has another type')
    const info: BlobInfo = { id, kind, size: size as number, digest, createdAt }
    if (typeof content === 'string') return { info, content: Buffer.from(content, 'base64') }
    const hasObject = isObjectRef(object) && object.size === size && object.digest === digest
    if (!hasObject) throw new Error('its content is missing')
    return { info, content: object }
  } catch (cause) {
    throw blobDamagedError(id, cause)
  }
}

/** Names of the objects of a blob. */
export function listBlobUploads({ content }: BlobEntry): string[] {
  return Buffer.isBuffer(content) ? [] : [content.upload]
}
