import { quoteShellWord } from '../../../../util/shell-word.ts'
import type { LintEdit, Rule } from '../../rule.ts'
import {
  CACHE_FOLDERS,
  isVendored,
  VENDORED_FOLDERS,
  VERSION_CONTROL_FOLDERS,
} from '../../vendored.ts'

export const VENDORED_FOLDER: Rule = {
  id: 'hygiene/vendored-folder',
  severity: 'warning',
  what: 'The skill contains a folder of dependencies, caches or version control',
  why: 'It makes the skill large, differs between machines and may contain secrets.',
  example: { bad: { 'code/__pycache__/main.txt': 'x' }, good: {} },
  fix: "Keep it out of the skill's folder. --fix-unsafe deletes caches, nothing else.",
  fixable: 'unsafe',
  check(skill, report) {
    for (const { path, type } of skill.files) {
      const name = path.slice(path.lastIndexOf('/') + 1)
      if (type !== 'directory' || !VENDORED_FOLDERS.has(name) || isVendored(path)) continue
      const isCache = (CACHE_FOLDERS as readonly string[]).includes(name)
      const edits: LintEdit[] = isCache ? [{ kind: 'delete', file: path }] : []
      report({
        file: path,
        message: `The folder "${path}" does not belong in a skill`,
        help: describeRemoval(path, name),
        edits,
        unsafe: true,
      })
    }
  },
}

/**
 * Advice must not destroy version history: if a repository is one skill, the skill moves instead.
 */
function describeRemoval(path: string, name: string): string {
  return (VERSION_CONTROL_FOLDERS as readonly string[]).includes(name)
    ? 'Move the skill into a subfolder of the repository'
    : `Remove it: rm -r -- ${quoteShellWord(path)}`
}
