import { SkillsError } from '../../../errors.ts'
import { isPrerelease } from '../../../util/semver.ts'
import type { SkillEntry } from './repository.ts'
import type { RepositorySnapshot } from './take-snapshot.ts'

/** The part of a snapshot in which a name is looked up. */
type KnownSkills = Pick<RepositorySnapshot, 'byName' | 'problems'>

/** Returns one version of a skill, by default the newest. Throws `skill/not-found`. */
export async function selectVersion(
  snapshot: KnownSkills,
  name: string,
  version: string | undefined,
): Promise<SkillEntry> {
  const versions = snapshot.byName.get(name) ?? []
  if (version !== undefined) {
    const exact = versions.find((each) => each.version === version)
    if (exact) return exact
  }
  const newest = findNewest(versions)
  if (!newest) throw await createSkillNotFoundError(snapshot, name)
  if (version === undefined) return newest
  const have = versions.map((each) => each.version).join(', ')
  throw new SkillsError('skill/version-not-found', `skill '${name}' has no version '${version}'`, {
    hint: `It has: ${have}`,
    data: { param: 'version', reason: 'not found' },
  })
}

async function createSkillNotFoundError(snapshot: KnownSkills, name: string): Promise<SkillsError> {
  const { findNearest } = await import('../../../util/find-nearest.ts')
  const broken = snapshot.problems.find(
    (each) => each.kind === 'invalid' && each.path.includes(name),
  )
  const guess = findNearest(name, snapshot.byName.keys())
  const hint = guess
    ? `Did you mean "${guess}"?`
    : broken
      ? `Run "skills lint" to see what is wrong with the skills that could not be read`
      : 'Run "skills list" to see the skills that were found'
  return new SkillsError('skill/not-found', `skill '${name}' not found`, {
    hint,
    data: { param: 'name', reason: 'not found' },
  })
}

/** Returns the newest version of each skill. A pre-release counts only if there is no release. */
export function listNewestVersions(entries: readonly SkillEntry[]): SkillEntry[] {
  const newest = new Map<string, SkillEntry>()
  for (const entry of entries) {
    const current = newest.get(entry.name)
    // Entries are sorted newest first.
    if (!current || (isPrerelease(current.version) && !isPrerelease(entry.version))) {
      newest.set(entry.name, entry)
    }
  }
  return [...newest.values()]
}

function findNewest(versions: readonly SkillEntry[]): SkillEntry | undefined {
  return versions.find((each) => !isPrerelease(each.version)) ?? versions[0]
}
