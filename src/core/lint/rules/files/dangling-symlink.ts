import type { Rule } from '../../rule.ts'

export const DANGLING_SYMLINK: Rule = {
  id: 'files/dangling-symlink',
  severity: 'error',
  what: 'A symbolic link leads to nothing, or in a circle',
  why: 'Whoever follows it gets an error.',
  example: { bad: { 'resources/notes.md': { symlink: 'missing.md' } }, good: {} },
  fix: 'Remove the link, or put its target in place.',
  fixable: 'unsafe',
  check(skill, report) {
    for (const { path, linksTo } of skill.files) {
      if (linksTo !== 'nowhere') continue
      report({
        file: path,
        message: `"${path}" is a link that leads nowhere`,
        help: 'Remove it, or add the file it names',
        edits: [{ kind: 'delete', file: path }],
        unsafe: true,
      })
    }
  },
}
