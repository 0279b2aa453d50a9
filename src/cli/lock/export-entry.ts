import { dirname } from 'node:path'
import { createEntry, type CreatedEntry } from '../../core/installing/exchange/create-entry.ts'
import { describeSource } from '../../core/installing/exchange/describe-source.ts'
import type { ForeignFormat } from '../../core/installing/exchange/foreign-lock.ts'
import type { InstallPlaces } from '../../core/installing/install-places.ts'
import type { LockedSkill } from '../../core/installing/lock-file.ts'
import { prepareSkill } from '../../core/installing/prepare-skill.ts'
import { fetchSource } from '../../core/sources/fetch-source.ts'
import { parseSkillSource } from '../../core/sources/skill-source.ts'
import { toSkillsError } from '../../errors.ts'
import type { Context } from '../context.ts'

/** A skill of the lock, and its entry in the other format. */
export interface ExportedSkill {
  name: string
  entry?: CreatedEntry
  /** The reason for which there is no entry. */
  problem?: string
  /** Exit status of this skill: 0 also if the format has no such source. */
  exit: number
}

interface ExportRequest {
  places: InstallPlaces
  locked: LockedSkill
  file: string
  format: ForeignFormat
}

/** Reads a skill from its source, and describes it as the other tool does. */
export async function exportEntry(
  { signal, env }: Context,
  { places, locked, file, format }: ExportRequest,
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
