import type { Rule } from '../../rule.ts'
import { formatBytes } from '../../../../util/quantity.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import { reportSize } from './mcp-limits.ts'

const MIB = 1024 * 1024
const MAX_FILE_BYTES = 25 * MIB

export const OPENAI_LIMITS: Rule = {
  id: 'portability/openai-limits',
  severity: 'warning',
  what: 'The skill is larger than OpenAI accepts',
  why: 'An upload with more than 500 files, 50 MiB, a file over 25 MiB or a second SKILL.md is refused.',
  example: {
    bad: {
      'resources/other/SKILL.md': createExampleMarkdown(
        'name: other\ndescription: Greets others.\n',
      ),
    },
    good: {},
  },
  fix: 'Make the skill smaller; keep one SKILL.md.',
  check(skill, report) {
    if (!skill.profiles.includes('openai')) return
    reportSize(skill, report, { host: 'OpenAI', files: 500, bytes: 50 * MIB })
    for (const { path, size } of skill.files) {
      if (size > MAX_FILE_BYTES)
        report({
          file: path,
          message: `"${path}" has ${formatBytes(size)}, OpenAI allows 25 MiB`,
          help: 'Split the file',
        })
      if (path !== 'SKILL.md' && /(?:^|\/)skill\.md$/i.test(path)) {
        report({
          file: '.',
          message: `"${path}" is a second SKILL.md, OpenAI allows one`,
          help: 'Rename it',
        })
      }
    }
  },
}
