import { SkillsError } from '../../../errors.ts'
import {
  CATALOG_PATTERN,
  isRemoved,
  readEntryMessage,
  type CatalogEntry,
  type SkillVersion,
} from '../../../fleet/catalog/catalog-entry.ts'
import type { Engine } from '../../../fleet/engine/engine.ts'
import { findNearest } from '../../../util/find-nearest.ts'
import { toPrintable } from '../../../util/printable.ts'
import type { CommandLine } from '../../command.ts'
import { parseReference } from '../../find-skill.ts'

/** The version that the command line names. */
export function readSkillVersion({ args }: CommandLine): SkillVersion {
  const [reference = ''] = args
  const { name, version } = parseReference(reference)
  if (version !== undefined) return { name, version }
  throw new SkillsError('usage/invalid', `Missing the version of "${reference}"`, {
    hint: `Write it as ${name}@1.0.0`,
  })
}

async function listCatalogEntries(engine: Engine): Promise<CatalogEntry[]> {
  const entries: CatalogEntry[] = []
  for await (const message of engine.list('state', CATALOG_PATTERN)) {
    const entry = readEntryMessage(message)?.entry
    if (entry && !isRemoved(entry)) entries.push(entry)
  }
  return entries
}

/** Throws `skill/not-found` if no caller uploaded a version of a skill. */
export async function requireUploadedName(engine: Engine, name: string): Promise<void> {
  const entries = await listCatalogEntries(engine)
  if (entries.some((entry) => entry.name === name && entry.source === 'upload')) return
  throw new SkillsError(
    'skill/not-found',
    `The catalog of the fleet has no uploaded skill "${toPrintable(name)}"`,
    { hint: 'A skill that was pushed belongs to the operator' },
  )
}

/** Throws `skill/not-found`, with a guess. */
export async function findCatalogEntry(
  engine: Engine,
  { name, version }: SkillVersion,
): Promise<CatalogEntry> {
  const entries = await listCatalogEntries(engine)
  const found = entries.find((entry) => entry.name === name && entry.version === version)
  if (found) return found
  throw entryNotFoundError({ name, version }, entries)
}

export function entryNotFoundError(
  { name, version }: SkillVersion,
  entries: readonly SkillVersion[],
): SkillsError {
  const references = entries.map((entry) => `${entry.name}@${entry.version}`)
  const guess =
    findNearest(`${name}@${version}`, references) ??
    references.find((reference) => reference.startsWith(`${name}@`))
  const message = `The catalog of the fleet has no skill "${toPrintable(`${name}@${version}`)}"`
  return new SkillsError('skill/not-found', message, {
    ...(guess !== undefined && { hint: `Did you mean "${guess}"?` }),
  })
}
