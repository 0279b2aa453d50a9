import { rm } from 'node:fs/promises'
import { toSkillsError } from '../../errors.ts'
import type { Objects } from '../objects/objects.ts'
import type { CatalogEntry, SkillVersion } from './catalog-entry.ts'
import type { CatalogProblem } from './catalog.ts'
import type { LocalSkills } from './local-skills.ts'
import { unpackSkill } from './unpack-skill.ts'

/** State of a folder before its entry is placed. */
interface CheckedFolder {
  /** True if it has the files of the entry. */
  isSame: boolean
  /** New path of other files that were not from the catalog. */
  aside: string | undefined
}

/** Checks the folder of a version. Files that differ from the entry are removed, or set aside. */
export async function checkFolder(local: LocalSkills, entry: CatalogEntry): Promise<CheckedFolder> {
  const found = await local.digest(entry)
  if (found?.digest !== entry.digest) return { isSame: false, aside: await local.clear(entry) }
  if (!local.isMarked(entry)) await local.mark(entry, found)
  return { isSame: true, aside: undefined }
}

/** Fetches the archive of an entry, and places its files after they were checked. */
export async function fetchEntry(
  local: LocalSkills,
  objects: Objects,
  entry: CatalogEntry,
): Promise<void> {
  const draft = local.createDraft()
  try {
    await local.place(draft, entry, await unpackSkill(objects, entry, draft))
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

const REFUSALS = new Set(['archive/invalid', 'archive/too-large', 'skill/invalid'])

/** Describes why a version could not be placed. */
export function describeFailure({ name, version }: SkillVersion, error: unknown): CatalogProblem {
  const isDamaged = error instanceof Error && error.name === 'ObjectDamagedError'
  const { code, message } = toSkillsError(error)
  const kind = isDamaged || REFUSALS.has(code) ? 'refused' : 'failed'
  return { name, version, kind, reason: error instanceof Error ? error.message : message }
}
