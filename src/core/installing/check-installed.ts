import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { compareContent, type ContentChanges } from '../signing/verify/compare-content.ts'
import type { ContentEntry } from '../skills/content/content-manifest.ts'
import { readContent, type UseBytes } from '../skills/content/read-content.ts'
import { checkAgents, type CheckedAgent } from './agents/agent-place.ts'
import { readLockFile, type LockedSkill } from './lock-file.ts'
import type { InstallPlaces } from './install-places.ts'
import { listOwnSkills, type OwnSkills } from './own-skills.ts'
import { findLockDifference, readInstalledManifest } from './prepare-skill.ts'
import { listUnfinishedSwaps } from './undo-swaps.ts'

/** `lock-differs`: the lock has another name, version or other rights than the files. */
export type InstalledState = 'unchanged' | 'changed' | 'missing' | 'link' | 'lock-differs'

/** A skill of the lock, compared with the disk. */
export interface InstalledSkill {
  skill: LockedSkill
  state: InstalledState
  changes: ContentChanges | undefined
  /** The reason for which the files cannot be compared, such as a named pipe among them. */
  problem?: string
  agents: readonly CheckedAgent[]
}

export interface InstalledReport extends OwnSkills {
  skills: readonly InstalledSkill[]
  /** Folders whose replacement did not end: the process was killed, or is still running. */
  unfinished: readonly string[]
}

/** Hashes every installed file again. Changes nothing. */
export async function checkInstalled(places: InstallPlaces): Promise<InstalledReport> {
  const locked = readLockFile(places.lock)
  const skills: InstalledSkill[] = []
  for (const skill of locked) {
    const agents = await checkAgents(places, skill)
    skills.push({ ...(await checkSkillFolder(places, skill)), agents })
  }
  return {
    skills,
    ...listOwnSkills(places, locked),
    unfinished: listUnfinishedSwaps(places),
  }
}

export async function checkSkillFolder(
  places: InstallPlaces,
  skill: LockedSkill,
): Promise<Omit<InstalledSkill, 'agents'>> {
  const path = join(places.skills, skill.folder)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return { skill, state: 'missing', changes: undefined }
  if (!stat.isDirectory() || lstatSync(places.skills).isSymbolicLink()) {
    return { skill, state: 'link', changes: undefined }
  }
  const manifests = new Map<string, Buffer>()
  const found = await tryReadContent(path, (name, bytes) => {
    if (!MANIFESTS.has(name)) return
    manifests.set(name, Buffer.concat([manifests.get(name) ?? EMPTY, bytes]))
  })
  if (typeof found === 'string') {
    return { skill, state: 'changed', changes: undefined, problem: found }
  }
  const changes = compareContent(skill.files, found)
  const isSame = changes.changed.length + changes.extra.length + changes.missing.length === 0
  if (!isSame) return { skill, state: 'changed', changes }
  return { skill, state: hasOwnFacts(skill, manifests) ? 'unchanged' : 'lock-differs', changes }
}

/** The files of a folder, or the reason for which they cannot be those of a skill. */
export async function tryReadContent(
  path: string,
  useBytes?: UseBytes,
): Promise<ContentEntry[] | string> {
  try {
    return await readContent(path, useBytes)
  } catch (thrown) {
    if (thrown instanceof SkillsError && thrown.code !== 'host/exhausted') return thrown.message
    throw thrown
  }
}

const EMPTY = Buffer.alloc(0)
const MANIFESTS = new Set(['skill.toml', 'SKILL.md'])

/** True if name, version and rights of the lock are those of the files, whose digest is right. */
function hasOwnFacts(skill: LockedSkill, manifests: ReadonlyMap<string, Buffer>): boolean {
  const found = readInstalledManifest((name) => manifests.get(name)?.toString('utf8'))
  return findLockDifference(skill, found) === undefined
}

/** True if the files and all places of agents are as the lock has them. */
export function isIntact({ state, agents }: InstalledSkill): boolean {
  return state === 'unchanged' && agents.every((each) => each.state === 'unchanged')
}
