import { quoteShellWord } from '../../../../util/shell-word.ts'
import type { Rule } from '../../rule.ts'
import { isVendored } from '../../vendored.ts'

export const WORLD_WRITABLE: Rule = {
  id: 'hygiene/world-writable',
  severity: 'warning',
  what: 'A file or folder of the skill is writable by all users',
  why: 'Other users of the machine can change the code that you run.',
  example: { bad: { 'code/main.py': { mode: 0o666 } }, good: {} },
  fix: 'Remove the permission: chmod o-w.',
  fixable: 'safe',
  check(skill, report) {
    for (const { path, type, mode } of skill.files) {
      if (type === 'symlink' || (mode & 0o002) === 0 || isVendored(path)) continue
      report({
        file: path,
        message: `"${path}" is writable by all users`,
        help: `Run: chmod o-w -- ${quoteShellWord(path)}`,
        edits: [{ kind: 'chmod', file: path, mode: mode & ~0o002 }],
      })
    }
  },
}
