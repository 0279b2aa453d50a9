import { SkillsError } from '../../../errors.ts'
import { GUIDE_NAME } from '../manifest/fields.ts'
import type { Repository, SkillEntry } from './repository.ts'

/** A repository that hides skills, but not the guide, which belongs to this program. */
export function filterRepository(
  repository: Repository,
  isVisible: (entry: SkillEntry) => boolean,
): Repository {
  const shows = (entry: SkillEntry) => entry.name === GUIDE_NAME || isVisible(entry)
  let last: readonly SkillEntry[] = []
  const list = async () => {
    const visible = (await repository.list()).filter(shows)
    // Returns the same array while nothing changed; callers compare by identity.
    if (!haveSameEntries(visible, last)) last = visible
    return last
  }
  return {
    ...repository,
    list,
    listed: () => undefined,
    async resolve(name, version) {
      const entry = await repository.resolve(name, version).catch((error: unknown) => {
        // The original message might name a hidden skill.
        if (error instanceof SkillsError && error.code === 'skill/not-found')
          throw skillNotFoundError(name)
        throw error
      })
      if (!shows(entry)) throw skillNotFoundError(name)
      return entry
    },
    async versions(name) {
      const visible = new Set((await list()).flatMap((each) => (each.name === name ? each.version : [])))
      return (await repository.versions(name)).filter((version) => visible.has(version))
    },
  }
}

function haveSameEntries(a: readonly SkillEntry[], b: readonly SkillEntry[]): boolean {
  return a.length === b.length && a.every((entry, at) => entry === b[at])
}

function skillNotFoundError(name: string): SkillsError {
  return new SkillsError('skill/not-found', `skill '${name}' not found`, {
    data: { param: 'name', reason: 'not found' },
  })
}
