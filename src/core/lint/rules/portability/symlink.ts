import type { Rule } from '../../rule.ts'

export const SYMLINK: Rule = {
  id: 'portability/symlink',
  severity: 'info',
  what: 'The skill holds a symbolic link',
  why: 'MCP servers leave out skills with links, and archives may not carry them.',
  example: { bad: { 'resources/copy.md': { symlink: '../SKILL.md' } }, good: {} },
  fix: 'Replace the link by a copy.',
  check(skill, report) {
    for (const { path, linksTo } of skill.files) {
      if (linksTo === 'inside')
        report({
          file: path,
          message: `"${path}" is a symbolic link, which many hosts do not carry`,
          help: 'Replace it by a copy',
        })
    }
  },
}
