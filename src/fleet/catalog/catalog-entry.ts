import { isSkillName } from '../../core/skills/manifest/fields.ts'
import type { StoredMessage } from '../engine/engine.ts'
import { decodeMessage } from '../messages/encoding.ts'
import { isObjectRef } from '../objects/chunks.ts'
import type { ObjectRef } from '../objects/objects.ts'
import { encodeToken } from './subject-token.ts'

const PREFIX = 'k.catalog.'

/** Subjects of all entries. */
export const CATALOG_PATTERN = `${PREFIX}*.*`

/** Names a version of a skill. */
export interface SkillVersion {
  name: string
  version: string
}

/** How a skill came into the catalog: by the operator, or by `create_skill`. */
export type CatalogSource = 'push' | 'upload'

/** A version of a skill that all nodes have. It never changes. */
export interface CatalogEntry extends SkillVersion {
  /** Digest of its files, as of `digestFolder`. */
  digest: string
  /** Its archive. */
  object: ObjectRef
  source: CatalogSource
  /** In milliseconds since 1970. */
  addedAt: number
  /** The node or user that added it. */
  by: string
}

/** A version that was removed. It stays listed, so that other files cannot take its place. */
export interface RemovedCatalogEntry extends SkillVersion {
  digest: string
  removedAt: number
  by: string
}

/** An entry with its position in the stream. */
export interface StoredCatalogEntry {
  seq: number
  entry: CatalogEntry | RemovedCatalogEntry
}

export function isRemoved(entry: CatalogEntry | RemovedCatalogEntry): entry is RemovedCatalogEntry {
  return 'removedAt' in entry
}

export function getCatalogSubject({ name, version }: SkillVersion): string {
  return `${PREFIX}${encodeToken(name)}.${encodeToken(version)}`
}

/** Longer versions are not names of folders on every system. */
const VERSION = /^[0-9A-Za-z][0-9A-Za-z.+-]{0,127}$/

/** True if the name and version can be names of folders. */
export function isSkillVersion({ name, version }: SkillVersion): boolean {
  return isSkillName(name) && VERSION.test(version)
}

/** Undefined if the message is not an entry, or not that of its subject. */
export function readEntryMessage({
  subject,
  body,
  seq,
}: StoredMessage): StoredCatalogEntry | undefined {
  const entry = decodeMessage(body) as CatalogEntry | RemovedCatalogEntry | undefined
  if (!entry || !hasIdentity(entry) || getCatalogSubject(entry) !== subject) return undefined
  if (isRemoved(entry)) return { seq, entry }
  return hasObject(entry) ? { seq, entry } : undefined
}

function hasIdentity({ name, version, digest }: Partial<CatalogEntry>): boolean {
  if (typeof name !== 'string' || typeof version !== 'string') return false
  return isSkillVersion({ name, version }) && isDigest(digest)
}

function hasObject({ object, source }: CatalogEntry): boolean {
  return (source === 'push' || source === 'upload') && isObjectRef(object)
}

function isDigest(value: unknown): boolean {
  return typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value)
}
