import { SkillsError } from '../../../errors.ts'
import type { GitTreeEntry } from '../../git/read-tree.ts'
import { toPrintable } from '../../../util/printable.ts'
import type { GitPlace } from '../source-place.ts'
import { describeGitPlace } from './git-text.ts'

/** Folders in which repositories have their skills. */
const SKILL_FOLDERS =
  /^(?:[^/]+|(?:[^/]+\/)?skills\/[^/]+(?:\/[^/]+)?|plugins\/[^/]+\/skills\/[^/]+)$/
const MAX_LISTED = 20

/** The folder of the skill; undefined for the root of the repository. */
export function findSkillInTree(
  place: GitPlace,
  entries: readonly GitTreeEntry[],
): string | undefined {
  const paths = new Set(entries.filter(({ type }) => type === 'file').map(({ path }) => path))
  const { folder } = place
  if (folder !== undefined) {
    if (paths.has(`${folder}/SKILL.md`)) return folder
    throw noSkillError(place, `its folder "${folder}" has no SKILL.md`, listSkills(paths))
  }
  if (paths.has('SKILL.md')) return undefined
  const found = listSkills(paths)
  const [first] = found
  if (first !== undefined && found.length === 1) return first
  if (first === undefined) throw noSkillError(place, 'it has no SKILL.md where skills are', [])
  throw noSkillError(place, `it has ${found.length} skills`, found)
}

function listSkills(paths: ReadonlySet<string>): string[] {
  return [...paths]
    .filter((path) => path.endsWith('/SKILL.md'))
    .map((path) => path.slice(0, -'/SKILL.md'.length))
    .filter((folder) => SKILL_FOLDERS.test(folder) && /^[!-~]+$/.test(folder))
    .sort()
}

function noSkillError(place: GitPlace, problem: string, found: readonly string[]): SkillsError {
  const texts = found.slice(0, MAX_LISTED).map((each) => describeGitPlace(place, each))
  const more = found.length > MAX_LISTED ? ` (and ${found.length - MAX_LISTED} more)` : ''
  return new SkillsError(
    'skill/not-found',
    `Cannot install from "${describeGitPlace(place)}": ${toPrintable(problem)}`,
    {
      hint:
        found.length === 0
          ? 'Name the folder of the skill: github:owner/repo/path, or git+https://host/repo.git#ref:path'
          : `Type one of: ${texts.join(', ')}${more}`,
      data: { skills: found.slice(0, MAX_LISTED) },
    },
  )
}
