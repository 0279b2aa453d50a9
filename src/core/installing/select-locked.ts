import { readLockFile, type LockedSkill } from './lock-file.ts'
import type { InstallPlaces } from './install-places.ts'
import { expandShortName } from '../skills/repository/short-name.ts'
import { SkillsError } from '../../errors.ts'
import { listSome } from '../../util/join-text.ts'
import { findNearest } from '../../util/find-nearest.ts'

/** The skills of the lock with these names, or all. */
export function selectLocked(places: InstallPlaces, names: readonly string[]): LockedSkill[] {
  const locked = readLockFile(places.lock)
  if (locked.length === 0) {
    throw new SkillsError('skill/not-found', 'There is no skill in skills.lock', {
      hint: 'Install one: skills install ./folder, or github:owner/repo/path',
    })
  }
  const known = locked.map(({ name }) => name)
  const full = names.map((name) => expandShortName(name, known) ?? name)
  const unknown = full.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const near = findNearest(unknown, known)
    throw new SkillsError('skill/not-found', `The skill "${unknown}" is not in skills.lock`, {
      hint: near === undefined ? `It has ${listSome(known)}` : `Did you mean "${near}"?`,
    })
  }
  return full.length === 0 ? locked : locked.filter(({ name }) => full.includes(name))
}
