import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { BUILTIN_SKILLS } from '../../../core/open-services.ts'
import { openRepository } from '../../../core/skills/repository/open-repository.ts'
import { removeGuide } from '../../../core/skills/repository/remove-guide.ts'
import type { RepositorySkill } from '../../../core/sources/git/list-skills.ts'

/** Skills below a folder that is no skill itself, such as a clone of a repository. */
export async function listLocalSkills(path: string): Promise<readonly RepositorySkill[]> {
  if (['SKILL.md', 'skill.toml'].some((name) => existsSync(join(path, name)))) return []
  const entries = await openRepository({ roots: [path], builtin: BUILTIN_SKILLS }).list()
  const newest = new Map(
    removeGuide(entries)
      .toReversed()
      .map((entry) => [entry.name, entry]),
  )
  return [...newest.values()].toReversed().map(({ name, description, dir }) => ({
    name,
    description,
    folder: relative(path, dir),
    source: dir,
    isUsual: true,
  }))
}
