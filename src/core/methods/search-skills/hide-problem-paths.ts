import { basename, dirname } from 'node:path'
import type { Services } from '../../services.ts'
import type { RepositoryProblem } from '../../skills/repository/repository.ts'
import { createCallerMask, type CallerContext } from '../caller-record.ts'
import type { SearchSkillsResult } from './definition.ts'

const MANIFEST_NAMES = new Set(['skill.toml', 'SKILL.md'])

/** Returns a function that describes a problem by the names of folders instead of their paths. */
export function createProblemFilter(
  services: Pick<Services, 'config'>,
  call: CallerContext,
): (problem: RepositoryProblem) => SearchSkillsResult['problems'][number] {
  const mask = createCallerMask(services, call)
  return ({ path, message, other }) => {
    const known = [path, ...(other === undefined ? [] : [other])]
    // A path may be the beginning of the other one.
    const longestFirst = known.toSorted((a, b) => b.length - a.length)
    const named = longestFirst.reduce(
      (text, each) => text.replaceAll(each, nameProblemFolder(each)),
      message,
    )
    return { skill: nameProblemFolder(path), message: mask ? mask(named) : named }
  }
}

/** Name of the skill's folder, also for the path of its manifest. */
function nameProblemFolder(path: string): string {
  const name = basename(path)
  return MANIFEST_NAMES.has(name) ? basename(dirname(path)) : name
}
