import { randomBytes } from 'node:crypto'
import { SkillsError } from '../../errors.ts'

const ID = /^blob:([0-9a-f]{32})$/

export function createBlobId(): string {
  return `blob:${randomBytes(16).toString('hex')}`
}

/** True if a text has the form of a blob id. */
export function isBlobId(text: string): boolean {
  return ID.test(text)
}

/** Name of a blob's folder. Throws `blob/not-found` for an invalid id. */
export function parseBlobFolder(id: string): string {
  const name = ID.exec(id)?.[1]
  if (name === undefined) throw blobNotFoundError(id)
  return name
}

/** The blob is unknown, malformed, removed or expired: callers cannot distinguish these cases. */
export function blobNotFoundError(id: string, cause?: unknown): SkillsError {
  return new SkillsError('blob/not-found', `Unknown blob "${id.slice(0, 100)}"`, {
    hint: 'Type "skills blobs ls" to list the stored blobs',
    data: { id },
    cause,
  })
}
