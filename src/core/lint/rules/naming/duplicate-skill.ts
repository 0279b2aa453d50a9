import { relative } from 'node:path'
import type { Rule } from '../../rule.ts'
import { locateInToml, locateInFrontMatter } from '../../skill-facts.ts'
import { DUPLICATE_EXAMPLE } from '../../example-skill.ts'

export const DUPLICATE_SKILL: Rule = {
  id: 'naming/duplicate-skill',
  severity: 'error',
  what: 'Two skills have the same name and version',
  why: 'Only one of them is found; which one depends on the order of the roots.',
  example: DUPLICATE_EXAMPLE,
  fix: 'Increase the version of one of them, or rename it.',
  check(skill, report) {
    for (const other of skill.duplicates) {
      const otherPath = relative(skill.dir, other.dir).replaceAll('\\', '/')
      report({
        ...(skill.toml ? locateInToml(skill, ['name']) : locateInFrontMatter(skill, ['name'])),
        message: `"${other.name}" ${other.version} is already the skill in "${otherPath}"`,
        help: 'Rename one of them, or increase its version',
        related: [{ file: otherPath, message: 'the other skill is here' }],
      })
    }
  },
}
