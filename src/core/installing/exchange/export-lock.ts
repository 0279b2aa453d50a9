import { lstatSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { SkillsError, toSkillsError } from '../../../errors.ts'
import { writeFileWhole } from '../../../util/files/write-file-whole.ts'
import { toPrintable } from '../../../util/printable.ts'
import { fetchSource } from '../../sources/fetch-source.ts'
import type { FetchOptions } from '../../sources/fetched-skill.ts'
import { parseSkillSource } from '../../sources/skill-source.ts'
import type { InstallPlaces } from '../install-places.ts'
import type { LockedSkill } from '../lock-file.ts'
import { prepareSkill } from '../prepare-skill.ts'
import { selectLocked } from '../select-locked.ts'
import { createEntry, type CreatedEntry } from './create-entry.ts'
import { describeSource } from './create-entry.ts'
import {
  FOREIGN_FILES,
  readForeignLock,
  type ForeignFormat,
  type ForeignLock,
} from './foreign-lock.ts'
import { mergeEntries, type MergedEntries } from './merge-entries.ts'

/** The file to write, and its format. */
export interface ExportTarget {
  file: string
  format: ForeignFormat
}

interface ExportRequest extends ExportTarget, Pick<FetchOptions, 'signal' | 'env'> {
  places: InstallPlaces
  /** Replaces entries of other sources. */
  force: boolean
}

/** A skill of the lock, and its entry in the other format. */
export interface ExportedSkill {
  name: string
  entry?: CreatedEntry
  /** The reason for which there is no entry. */
  problem?: string
  /** Exit status of this skill: 0 also if the format has no such source. */
  exit: number
}

/** Writes the lock in the format of another tool, whose other entries are kept. */
export async function exportLock(
  request: ExportRequest,
): Promise<{ exported: readonly ExportedSkill[]; merged: MergedEntries }> {
  const { places, file, format, force } = request
  const before = readReplacedLock(file, format)
  const exported: ExportedSkill[] = []
  for (const locked of selectLocked(places, [])) {
    exported.push(await exportEntry(request, locked))
  }
  const created = exported.flatMap(({ entry }) => (entry ? [entry] : []))
  const merged = mergeEntries(created, { format, before, now: new Date().toISOString() })
  if (!force) refuseReplaced(file, merged)
  if (merged.states.some(({ state }) => state !== 'unchanged')) {
    mkdirSync(dirname(file), { recursive: true })
    await writeFileWhole(file, merged.text)
  }
  return { exported, merged }
}

/** The file that would be changed; a link could lead out of the project. */
function readReplacedLock(file: string, format: ForeignFormat): ForeignLock | undefined {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    throw new SkillsError('file/outside', `"${file}" is a link, and is not replaced`, {
      hint: 'Name the file to which it leads',
    })
  }
  const before = readForeignLock(file)
  if (before === undefined || before.format === format) return before
  const { version } = FOREIGN_FILES[before.format]
  throw new SkillsError('usage/invalid', `"${file}" has the format ${before.format}`, {
    hint: `Pass --format ${before.format} for version ${version}, or name another file`,
  })
}

function refuseReplaced(file: string, { states }: MergedEntries): void {
  const [first] = states.filter(({ state }) => state === 'replaced')
  if (first === undefined) return
  throw new SkillsError(
    'skill/exists',
    `"${file}" has "${toPrintable(first.key)}" from another source, "${toPrintable(String(first.before))}"`,
    { hint: 'Pass --force to replace the entry' },
  )
}

/** Reads a skill from its source, and describes it as the other tool does. */
async function exportEntry(
  { places, file, format, signal, env }: ExportRequest,
  locked: LockedSkill,
): Promise<ExportedSkill> {
  const { name } = locked
  const relativeTo = format === 'skills-lock' ? dirname(file) : undefined
  const described = describeSource(locked, { base: places.base, relativeTo })
  if ('problem' in described) return { name, problem: described.problem, exit: 0 }
  try {
    const place = parseSkillSource(locked.resolved, places.base)
    const fetched = await fetchSource(place, { signal, env, withLeftOut: true })
    if (prepareSkill(fetched.files).tree !== locked.tree) {
      const problem = `its source has other files than skills.lock; type "skills update ${name}"`
      return { name, problem, exit: 3 }
    }
    const entry = createEntry(format, { locked, described, fetched })
    return typeof entry === 'string' ? { name, problem: entry, exit: 0 } : { name, entry, exit: 0 }
  } catch (thrown) {
    signal.throwIfAborted()
    const error = toSkillsError(thrown)
    return { name, problem: error.message, exit: error.outcome.exit }
  }
}
