import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { compareContent, type ContentChanges } from '../signing/verify/compare-content.ts'
import { readContent } from '../skills/content/read-content.ts'
import { readLockFile, type LockedSkill } from './lock-file.ts'
import type { InstallPlaces } from './swap-skill.ts'

export type InstalledState = 'unchanged' | 'changed' | 'missing' | 'link'

/** A skill of the lock, compared with the disk. */
export interface InstalledSkill {
  skill: LockedSkill
  state: InstalledState
  changes: ContentChanges | undefined
}

export interface InstalledReport {
  skills: readonly InstalledSkill[]
  /** Entries of the folder that the lock does not have. */
  unknown: readonly string[]
}

/** Hashes every installed file again. */
export async function checkInstalled(places: InstallPlaces): Promise<InstalledReport> {
  const locked = readLockFile(places.lock)
  const skills: InstalledSkill[] = []
  for (const skill of locked) skills.push(await checkSkillFolder(places, skill))
  const folders = new Set(locked.map(({ folder }) => folder))
  const found = lstatSync(places.skills, { throwIfNoEntry: false })
    ? readdirSync(places.skills)
    : []
  return { skills, unknown: found.filter((name) => !folders.has(name)).sort() }
}

async function checkSkillFolder(
  places: InstallPlaces,
  skill: LockedSkill,
): Promise<InstalledSkill> {
  const path = join(places.skills, skill.folder)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return { skill, state: 'missing', changes: undefined }
  if (!stat.isDirectory() || lstatSync(places.skills).isSymbolicLink()) {
    return { skill, state: 'link', changes: undefined }
  }
  const changes = compareContent(skill.files, await readContent(path))
  const isSame = changes.changed.length + changes.extra.length + changes.missing.length === 0
  return { skill, state: isSame ? 'unchanged' : 'changed', changes }
}
