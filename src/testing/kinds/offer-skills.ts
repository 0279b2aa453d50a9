import { resolve } from 'node:path'
import { GUIDE_NAME } from '../../core/skills/manifest/fields.ts'
import { splitReference } from '../../core/skills/reference.ts'
import { readEntryAt } from '../../core/skills/repository/open-repository.ts'
import type { Repository, SkillEntry } from '../../core/skills/repository/repository.ts'
import { selectVersion } from '../../core/skills/repository/select-version.ts'
import type { CaseContext } from './case-performer.ts'

/** Finds a skill that a case names: a path is relative to the tested skill, others are names. */
export async function findMount(
  { services, entry }: Pick<CaseContext, 'services' | 'entry'>,
  reference: string,
): Promise<SkillEntry> {
  if (reference === '.') return entry
  if (reference.startsWith('.')) return await readEntryAt(resolve(entry.dir, reference))
  return await services.repository.resolve(...splitReference(reference))
}

/** A repository that has only these skills, and the guide of the runtime. */
export function offerSkills(repository: Repository, entries: readonly SkillEntry[]): Repository {
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const byName = new Map<string, SkillEntry[]>()
  for (const each of sorted) byName.set(each.name, [...(byName.get(each.name) ?? []), each])
  return {
    ...repository,
    list: async () => sorted,
    listed: () => sorted,
    problems: async () => [],
    resolve: async (name, version) =>
      name === GUIDE_NAME
        ? await repository.resolve(name, version)
        : selectVersion({ byName, problems: [] }, name, version),
    versions: async (name) => (byName.get(name) ?? []).map(({ version }) => version),
  }
}
