import type { Rule } from '../../rule.ts'

export const DANGLING_SYMLINK: Rule = {
  id: 'files/dangling-symlink',
  severity: 'error',
  what: 'A symbolic link is broken or circular',
  why: 'Every access to it fails.',
  example: { bad: { 'resources/notes.md': { symlink: 'missing.md' } }, good: {} },
  fix: 'Remove the link, or add its target.',
  fixable: 'unsafe',
  check(skill, report) {
    for (const { path, linksTo } of skill.files) {
      if (linksTo !== 'nowhere') continue
      report({
        file: path,
        message: `"${path}" is a broken symbolic link`,
        help: 'Remove it, or add its target',
        edits: [{ kind: 'delete', file: path }],
        unsafe: true,
      })
    }
  },
}
