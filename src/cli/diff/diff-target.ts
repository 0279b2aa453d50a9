import { SkillsError } from '../../errors.ts'
import { isSemver } from '../../util/semver.ts'

/** One side of `skills diff`, as it is written. */
export type DiffTarget =
  /** A folder or a name, at a commit if `ref` is set. */
  | { kind: 'skill'; skill: string; ref: string | undefined }
  /** A commit, with the folder of the other side if `path` is absent. */
  | { kind: 'commit'; ref: string; path: string | undefined }
  /** An archive; its absolute path. */
  | { kind: 'archive'; file: string }

/**
 * Reads a folder, a name, `name@version`, `<folder or name>@<commit>`, `git:<commit>` or
 * `git:<commit>:<folder>`. A version after a name is one on disk, as in all commands.
 */
export function parseDiffTarget(text: string): DiffTarget {
  if (text.startsWith('git:')) return parseCommit(text)
  // Folders may have an "@" in the names above the last one, as those of npm packages.
  const at = text.indexOf('@', text.lastIndexOf('/', findRefSlash(text)) + 2)
  if (at <= 0) return { kind: 'skill', skill: text, ref: undefined }
  const [skill, ref] = [text.slice(0, at), text.slice(at + 1)]
  const isName = !/[/\\]|^\.{1,2}$/.test(skill)
  if (isName && isSemver(ref)) return { kind: 'skill', skill: text, ref: undefined }
  return { kind: 'skill', skill, ref }
}

/** Slashes after the last "@" belong to a branch such as `feature/x`. */
function findRefSlash(text: string): number {
  const at = text.lastIndexOf('@')
  const scope = text.lastIndexOf('/@')
  return at === -1 || at === scope + 1 ? text.length : at
}

function parseCommit(text: string): DiffTarget {
  const [, ref = '', path] = /^git:([^:]*)(?::(.*))?$/s.exec(text) ?? []
  if (ref !== '' && path !== '') return { kind: 'commit', ref, path }
  throw new SkillsError(
    'usage/invalid',
    `Expected git:<commit> or git:<commit>:<folder>, got "${text}"`,
    {
      hint: 'Write it as: skills diff git:HEAD~1 skills/greet',
    },
  )
}
