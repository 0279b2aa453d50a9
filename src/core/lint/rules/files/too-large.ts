import { formatBytes } from '../../../../util/quantity.ts'
import type { Rule } from '../../rule.ts'

const MAX_BYTES = 1024 * 1024

export const TOO_LARGE: Rule = {
  id: 'files/too-large',
  severity: 'warning',
  what: 'A file is larger than 1 MiB',
  why: 'read_skill_file refuses it, so no model can read it.',
  example: { bad: { 'resources/data.csv': 'a,b\n'.repeat(300_000) }, good: {} },
  fix: 'Store large data as a blob, or split the file.',
  check(skill, report) {
    for (const { path, type, size } of skill.files) {
      if (type !== 'file' || size <= MAX_BYTES || path === 'skill.toml' || path === 'SKILL.md')
        continue
      report({
        file: path,
        message: `"${path}" has ${formatBytes(size)}, expected at most 1 MiB`,
        help: 'Pass large data as a blob instead',
      })
    }
  },
}
