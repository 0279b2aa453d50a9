import { SkillsError } from '../../../errors.ts'
import { isPlainPath } from '../../git/git-address.ts'
import type { GitTreeEntry } from '../../git/read-tree.ts'
import { toPrintable } from '../../../util/printable.ts'
import { isSearchedFolder } from '../../../util/searched-folders.ts'
import type { GitPlace } from '../source-place.ts'
import { describeGitPlace } from './git-text.ts'

/** Folders in which repositories have their skills. */
const SKILL_FOLDERS =
  /^(?:[^/]+|(?:[^/]+\/)?skills\/[^/]+(?:\/[^/]+)?|plugins\/[^/]+\/skills\/[^/]+)$/
/** Folders whose skills are data of tests. */
const TEST_FOLDER = /^(?:tests?|__tests__|(?:__)?fixtures(?:__)?|testdata)$/
const MAX_DEPTH = 5
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
    throw noSkillError(place, `its folder "${folder}" has no SKILL.md`, listNamed(paths))
  }
  if (paths.has('SKILL.md')) return undefined
  const found = listNamed(paths)
  const [first] = found
  if (first !== undefined && found.length === 1) return first
  if (first === undefined) throw noSkillError(place, 'it has no SKILL.md where skills are', [])
  throw noSkillError(place, `it has ${found.length} skills`, found)
}

/** Skills in usual folders, or those in other folders if there are none. */
function listNamed(paths: ReadonlySet<string>): string[] {
  const all = listSkillFolders(undefined, paths).filter((folder) => folder !== undefined)
  const usual = all.filter((folder) => isUsualFolder(folder, undefined))
  return usual.length > 0 ? usual : all
}

/** True for folders in which repositories have their skills, below the folder that was named. */
export function isUsualFolder(folder: string | undefined, base: string | undefined): boolean {
  if (folder === base || folder === undefined) return true
  return SKILL_FOLDERS.test(base === undefined ? folder : folder.slice(base.length + 1))
}

/**
 * Folders of skills: the named one, or else those below it, without those inside of other skills.
 * Usual folders come first, and hidden ones after the others. Undefined is the root.
 */
export function listSkillFolders(
  base: string | undefined,
  paths: ReadonlySet<string>,
): (string | undefined)[] {
  const prefix = base === undefined ? '' : `${base}/`
  if (paths.has(`${prefix}SKILL.md`)) return [base]
  const all = new Set(
    [...paths]
      .filter((path) => path.startsWith(prefix) && path.endsWith('/SKILL.md'))
      .map((path) => path.slice(prefix.length, -'/SKILL.md'.length)),
  )
  return [...all]
    .filter((folder) => isSkillPath(folder) && !isNested(folder, all))
    .sort((a, b) => rankFolder(a) - rankFolder(b) || (a < b ? -1 : 1))
    .map((folder) => prefix + folder)
}

function rankFolder(folder: string): number {
  return (SKILL_FOLDERS.test(folder) ? 0 : 2) + (folder.startsWith('.') ? 1 : 0)
}

function isSkillPath(folder: string): boolean {
  const names = folder.split('/')
  return (
    /^[!-~]+$/.test(folder) &&
    isPlainPath(folder) &&
    names.length <= MAX_DEPTH &&
    names.every((name) => isSearchedFolder(name) && !TEST_FOLDER.test(name))
  )
}

function isNested(folder: string, all: ReadonlySet<string>): boolean {
  const names = folder.split('/')
  return names.some((_, at) => at > 0 && all.has(names.slice(0, at).join('/')))
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
