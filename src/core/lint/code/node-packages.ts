import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { memoize } from '../../../util/memoize.ts'
import type { LintedSkill } from '../rule.ts'

/** The package that an import needs; undefined for files, modules of Node and of the runtime. */
export function getPackageName(specifier: string): string | undefined {
  if (/^(?:[./#]|[a-z][\w+.-]*:)/i.test(specifier) || specifier === '') return undefined
  const [first = '', second] = specifier.split('/')
  if (first === 'runtime' || isBuiltin(specifier)) return undefined
  return first.startsWith('@') && second !== undefined ? `${first}/${second}` : first
}

/** True if the skill has the package in `node_modules`, at the file or above it. */
export function hasPackage(skill: LintedSkill, file: string, name: string): boolean {
  for (let folder = posix.dirname(file); ; folder = posix.dirname(folder)) {
    if (hasPath(skill, posix.join(folder, 'node_modules', name))) return true
    if (getOwnName(skill, folder) === name) return true
    if (folder === '.') return false
  }
}

/** True for a file or folder of the skill; true if the listing is incomplete. */
export function hasPath(skill: LintedSkill, path: string): boolean {
  return skill.filesCut || listPaths(skill).has(path)
}

const listPaths = memoize(
  (skill: LintedSkill): ReadonlySet<string> => new Set(skill.files.map(({ path }) => path)),
)

/** A package can import itself by its name. */
function getOwnName(skill: LintedSkill, folder: string): string | undefined {
  const text = skill.read(posix.join(folder, 'package.json'))
  return text === undefined ? undefined : /"name"\s*:\s*"([^"]+)"/.exec(text)?.[1]
}
