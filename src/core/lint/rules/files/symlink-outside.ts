import type { Rule } from '../../rule.ts'

export const SYMLINK_OUTSIDE: Rule = {
  id: 'files/symlink-outside',
  severity: 'error',
  what: 'A symbolic link points outside of the skill',
  why: 'Reading it is refused, it is broken in the sandbox, and it could expose files of another machine.',
  example: { bad: { 'resources/hosts': { symlink: '/etc/hosts' } }, good: {} },
  fix: 'Replace the link with a copy of the file.',
  check(skill, report) {
    for (const { path, linksTo } of skill.files) {
      if (linksTo !== 'outside') continue
      report({
        file: path,
        message: `"${path}" is a symbolic link that points outside of the skill`,
        help: 'Copy the file into the skill, or link to it with a relative path',
      })
    }
  },
}
