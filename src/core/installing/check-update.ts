import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { compareSemver } from '../../util/semver.ts'
import { toHyphenatedName } from '../packing/pack-skill.ts'
import { DEFAULT_VERSION } from '../skills/manifest/fields.ts'
import type { FetchedSkill } from '../sources/fetched-skill.ts'
import { parseRemoteSource } from '../sources/skill-source.ts'
import type { LockedSkill } from './lock-file.ts'
import type { InstallPlaces } from './install-places.ts'
import type { ForeignFolder } from './foreign-folder.ts'
import { identifySource } from './source-identity.ts'

/** A skill that would be installed. */
export interface UpdateRequest extends Pick<FetchedSkill, 'fixed' | 'yanked' | 'listed'> {
  skill: Pick<LockedSkill, 'name' | 'version' | 'folder' | 'source' | 'resolved' | 'tree'>
  allowsDowngrade: boolean
  /** Accepts other files under a tag or a version that is installed. */
  allowsRepublished: boolean
  /** The folder that exists although the lock does not have the skill. */
  foreignFolder?: ForeignFolder | undefined
}

/** Refuses a skill that would replace another one, or a newer version of itself. */
export function checkUpdate(
  places: InstallPlaces,
  locked: readonly LockedSkill[],
  request: UpdateRequest,
): LockedSkill | undefined {
  const { skill, allowsDowngrade, yanked } = request
  const before = locked.find(({ name }) => name === skill.name)
  refuseOtherName(request)
  refuseOtherVersion(request)
  if (yanked !== undefined && before?.tree !== skill.tree) {
    throw new SkillsError(
      'policy/denied',
      `The skill is not installed: its publisher withdrew version ${skill.version} (${toPrintable(yanked)})`,
      { hint: 'Install another version' },
    )
  }
  const other = locked.find(({ name, folder }) => name !== skill.name && folder === skill.folder)
  if (other) {
    throw refuseUpdate(
      `its folder ".agents/skills/${skill.folder}" belongs to "${other.name}"`,
      `Remove that one first: skills remove ${other.name}`,
    )
  }
  if (before === undefined) {
    refuseForeignFolder(places, request)
    return undefined
  }
  const remedy = `Remove the installed one first: skills remove ${skill.name}`
  if (identifySource(before, before.version) !== identifySource(skill, skill.version)) {
    throw refuseUpdate(
      `"${skill.name}" is installed from another source, "${before.source}"`,
      remedy,
    )
  }
  if (before.folder !== skill.folder) throw refuseUpdate('its folder has another name now', remedy)
  if (!request.allowsRepublished) refuseRepublished(before, request)
  if (!allowsDowngrade && compareSemver(skill.version, before.version) < 0) {
    throw refuseUpdate(
      `its version ${skill.version} is older than the installed ${before.version}`,
      'Pass --allow-downgrade to install it nevertheless',
    )
  }
  return before
}

/** The user typed the name of one skill, and would get another one. */
function refuseOtherName({ skill: { name, folder }, listed }: UpdateRequest): void {
  if (listed === undefined || [name, folder, toHyphenatedName(name)].includes(listed)) return
  throw new SkillsError(
    'skill/invalid',
    `The skill is not installed: its source calls it "${listed}", and its manifest "${name}"`,
    { hint: 'Ask its publisher' },
  )
}

/** Keeps the files of a folder that the lock does not have, unless the source has all of them. */
function refuseForeignFolder(places: InstallPlaces, { skill, foreignFolder }: UpdateRequest): void {
  if (!lstatSync(join(places.skills, skill.folder), { throwIfNoEntry: false })) return
  if (foreignFolder?.isSame === true) return
  const difference = foreignFolder && ` (${toPrintable(foreignFolder.difference)})`
  throw refuseUpdate(
    `the folder ".agents/skills/${skill.folder}" exists, is not in skills.lock, and differs from the source${difference ?? ''}`,
    'Move it away, and install the skill again',
  )
}

/** A higher version in an index would hide a downgrade. */
function refuseOtherVersion({ skill, fixed }: UpdateRequest): void {
  if (fixed === undefined || 'tag' in fixed) return
  if (skill.version === fixed.version || skill.version === DEFAULT_VERSION) return
  throw new SkillsError(
    'skill/invalid',
    `The skill is not installed: its source calls it version ${toPrintable(fixed.version)}, and its manifest ${skill.version}`,
    { hint: 'Ask its publisher' },
  )
}

/** A tag and a published version name the same files for ever. */
function refuseRepublished(before: LockedSkill, { skill, fixed }: UpdateRequest): void {
  if (fixed === undefined) return
  const remedy = 'Ask its author, and pass --allow-republished to install it nevertheless'
  const moved = 'tag' in fixed ? findMovedTag(before, skill.resolved, fixed.tag) : undefined
  if (moved !== undefined) throw refuseUpdate(moved, remedy)
  if ('tag' in fixed || before.version !== skill.version || before.tree === skill.tree) return
  // A skill without a version has one in the index only.
  if (skill.version !== fixed.version) return
  throw refuseUpdate(
    `version ${fixed.version} had the digest ${before.tree}, and has ${skill.tree} now`,
    remedy,
  )
}

function findMovedTag(before: LockedSkill, resolved: string, tag: string): string | undefined {
  if (readGitRef(before.source) !== tag) return undefined
  const [old, now] = [readGitRef(before.resolved), readGitRef(resolved)]
  return old === now ? undefined : `the tag "${tag}" was ${old}, and is ${now} now`
}

function readGitRef(source: string): string | undefined {
  const place = parseRemoteSource(source)
  return place?.type === 'git' ? place.ref : undefined
}

function refuseUpdate(problem: string, hint: string): SkillsError {
  return new SkillsError('skill/exists', `The skill is not installed: ${problem}`, { hint })
}
