import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { compareSemver } from '../../util/semver.ts'
import type { LockedSkill } from './lock-file.ts'
import type { InstallPlaces } from './swap-skill.ts'

interface UpdateRequest {
  skill: Pick<LockedSkill, 'name' | 'version' | 'folder' | 'source'>
  allowsDowngrade: boolean
}

/** Refuses a skill that would replace another one, or a newer version of itself. */
export function checkUpdate(
  places: InstallPlaces,
  locked: readonly LockedSkill[],
  { skill, allowsDowngrade }: UpdateRequest,
): LockedSkill | undefined {
  const before = locked.find(({ name }) => name === skill.name)
  if (before === undefined) {
    if (!lstatSync(join(places.skills, skill.folder), { throwIfNoEntry: false })) return undefined
    throw refuseUpdate(
      `the folder ".agents/skills/${skill.folder}" exists and is not in skills.lock`,
      'Move it away, and install the skill again',
    )
  }
  const remedy = `Remove the installed one first: skills remove ${skill.name}`
  if (dropVersion(before.source) !== dropVersion(skill.source)) {
    throw refuseUpdate(
      `"${skill.name}" is installed from another source, "${before.source}"`,
      remedy,
    )
  }
  if (before.folder !== skill.folder) throw refuseUpdate('its folder has another name now', remedy)
  if (!allowsDowngrade && compareSemver(skill.version, before.version) < 0) {
    throw refuseUpdate(
      `its version ${skill.version} is older than the installed ${before.version}`,
      'Pass --allow-downgrade to install it nevertheless',
    )
  }
  return before
}

/** Equal for two archives in one folder of a server, or two addresses that differ in the digest. */
function dropVersion(source: string): string {
  const [place = ''] = source.split('#')
  return /\.(?:zip|skill|tgz|tar\.gz)$/.test(place)
    ? place.slice(0, place.lastIndexOf('/') + 1)
    : place
}

function refuseUpdate(problem: string, hint: string): SkillsError {
  return new SkillsError('skill/exists', `The skill is not installed: ${problem}`, { hint })
}
