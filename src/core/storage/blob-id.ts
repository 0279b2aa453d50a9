import { randomBytes } from 'node:crypto'
import { SkillsError } from '../../errors.ts'

const ID = /^blob:([0-9a-f]{32})$/

/** A fresh id. */
export function createBlobId(): string {
  return `blob:${randomBytes(16).toString('hex')}`
}

/** Whether a text has the form of an id. */
export function isBlobId(text: string): boolean {
  return ID.test(text)
}

/** The name of a blob's folder. Throws `blob/not-found` for what is no id. */
export function parseBlobFolder(id: string): string {
  const name = ID.exec(id)?.[1]
  if (name === undefined) throw blobNotFoundError(id)
  return name
}

/** Unknown, malformed, removed or expired: a caller cannot tell these apart. */
export function blobNotFoundError(id: string, cause?: unknown): SkillsError {
  return new SkillsError('blob/not-found', `Unknown blob "${id.slice(0, 100)}"`, {
    hint: 'Type "skills blobs ls" to see what is stored',
    data: { id },
    cause,
  })
}
