import type { Rule } from '../../rule.ts'

export const SYMLINK: Rule = {
  id: 'portability/symlink',
  severity: 'info',
  what: 'The skill contains a symbolic link',
  why: 'MCP servers omit skills with links, and some archive formats cannot store them.',
  example: { bad: { 'resources/copy.md': { symlink: '../SKILL.md' } }, good: {} },
  fix: 'Replace the link with a copy of the file.',
  check(skill, report) {
    for (const { path, linksTo } of skill.files) {
      if (linksTo === 'inside')
        report({
          file: path,
          message: `"${path}" is a symbolic link, which many hosts do not support`,
          help: 'Replace it with a copy of the file',
        })
    }
  },
}
