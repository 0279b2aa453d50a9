import type { Rule } from '../../rule.ts'

export const SYMLINK_OUTSIDE: Rule = {
  id: 'files/symlink-outside',
  severity: 'error',
  what: 'A symbolic link leads out of the skill',
  why: 'It is refused when read, leads nowhere in the sandbox, and could show files of another machine.',
  example: { bad: { 'resources/hosts': { symlink: '/etc/hosts' } }, good: {} },
  fix: 'Replace the link by a copy of the file.',
  check(skill, report) {
    for (const { path, linksTo } of skill.files) {
      if (linksTo !== 'outside') continue
      report({
        file: path,
        message: `"${path}" is a link that leads out of the skill`,
        help: 'Copy the file into the skill, or link to it by a relative path',
      })
    }
  },
}
