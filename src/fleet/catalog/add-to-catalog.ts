import { writeArchive } from '../../core/packing/formats.ts'
import { describeFiles, type PackedFile } from '../../core/packing/packed-file.ts'
import { readSkillFiles } from '../../core/packing/read-skill-files.ts'
import { digestContent } from '../../core/skills/content/content-manifest.ts'
import { SkillsError } from '../../errors.ts'
import { formatBytes } from '../../util/quantity.ts'
import type { Engine } from '../engine/engine.ts'
import type { Objects } from '../objects/objects.ts'
import {
  getCatalogSubject,
  isRemoved,
  isSkillVersion,
  readEntryMessage,
  type CatalogEntry,
  type CatalogSource,
  type SkillVersion,
  type StoredCatalogEntry,
} from './catalog-entry.ts'
import { SKILL_LIMITS } from './catalog-limits.ts'
import { checkIdentity } from './check-identity.ts'

/** A skill to add. */
export interface CatalogAddition extends SkillVersion {
  /** Its files, or the folder that has them. Tests and caches of a folder are left out. */
  content: readonly PackedFile[] | { folder: string }
  source: CatalogSource
  /** The node or user that adds it. */
  by: string
}

/** The result of an addition. */
export type CatalogResult =
  | { state: 'added' | 'unchanged'; revision: number; digest: string }
  /** The version exists with other files, or was removed with other files. */
  | {
      state: 'refused'
      revision: number
      digest: string
      existing: StoredCatalogEntry['entry']
    }

/**
 * Adds a version. Its archive is stored first and its entry last, so that a version is listed completely
 * or not at all. Of several writers of one version, one succeeds.
 */
export async function addToCatalog(
  engine: Engine,
  objects: Objects,
  addition: CatalogAddition,
): Promise<CatalogResult> {
  checkVersion(addition)
  const files = await readFiles(addition.content)
  checkIdentity(files, addition)
  const digest = digestContent(describeFiles(files))
  const before = await readStored(engine, addition)
  if (before && !mayAdd(before.entry, digest)) return compare(before, digest)
  const object = await objects.write(await writeArchive('tar.gz', files, { folder: addition.name }))
  const { name, version, source, by } = addition
  const entry: CatalogEntry = { name, version, digest, object, source, by, addedAt: Date.now() }
  const revision = await engine.replace('state', getCatalogSubject(addition), {
    body: JSON.stringify(entry),
    seq: before?.seq ?? 0,
  })
  if (revision !== undefined) return { state: 'added', revision, digest }
  await objects.remove(object).catch(() => {})
  const stored = await readStored(engine, addition)
  return stored ? compare(stored, digest) : await addToCatalog(engine, objects, addition)
}

/**
 * Removes a version from all nodes; false if there is none. Its digest is kept, because the same
 * files may be added again, and others may not.
 */
export async function removeFromCatalog(
  engine: Engine,
  objects: Objects,
  { name, version, by }: SkillVersion & { by: string },
): Promise<boolean> {
  const subject = getCatalogSubject({ name, version })
  for (;;) {
    const message = await engine.last('state', subject)
    if (!message) return false
    const stored = readEntryMessage({ ...message, subject })
    // A damaged entry names no files.
    if (!stored) return (await engine.remove('state', subject)) > 0
    if (isRemoved(stored.entry)) return false
    const { digest, object } = stored.entry
    const body = JSON.stringify({ name, version, digest, by, removedAt: Date.now() })
    if ((await engine.replace('state', subject, { body, seq: stored.seq })) === undefined) continue
    await objects.remove(object).catch(() => {})
    return true
  }
}

/** Nothing is stored, or the same files were removed. */
function mayAdd(existing: StoredCatalogEntry['entry'], digest: string): boolean {
  return isRemoved(existing) && existing.digest === digest
}

function compare({ entry, seq }: StoredCatalogEntry, digest: string): CatalogResult {
  const isSame = !isRemoved(entry) && entry.digest === digest
  if (isSame) return { state: 'unchanged', revision: seq, digest }
  return { state: 'refused', revision: seq, digest, existing: entry }
}

async function readStored(
  engine: Engine,
  skill: SkillVersion,
): Promise<StoredCatalogEntry | undefined> {
  const subject = getCatalogSubject(skill)
  const message = await engine.last('state', subject)
  if (!message) return undefined
  const stored = readEntryMessage({ ...message, subject })
  if (stored) return stored
  throw new SkillsError(
    'store/unavailable',
    `The entry of ${skill.name}@${skill.version} in the catalog of the fleet is damaged`,
    { hint: 'Increase the version, or remove the entry from the stream "state"' },
  )
}

async function readFiles(content: CatalogAddition['content']): Promise<readonly PackedFile[]> {
  if ('folder' in content) return (await readSkillFiles(content.folder, SKILL_LIMITS)).files
  const bytes = content.reduce((sum, file) => sum + file.bytes.length, 0)
  const { maxFiles, maxBytes } = SKILL_LIMITS
  if (content.length <= maxFiles && bytes <= maxBytes) return content
  throw new SkillsError(
    'file/too-large',
    `The skill has ${content.length} files with ${formatBytes(bytes)}, expected at most ${maxFiles} with ${formatBytes(maxBytes)}`,
    { hint: 'Load large data when it is needed' },
  )
}

function checkVersion({ name, version }: SkillVersion): void {
  if (isSkillVersion({ name, version })) return
  throw new SkillsError(
    'skill/invalid',
    `A fleet cannot have "${name}@${version}": expected a name such as "user.tools.greet" and a version such as "0.1.0"`,
    { hint: 'Change the name or version of its manifest' },
  )
}
