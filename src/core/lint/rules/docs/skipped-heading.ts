import type { Rule } from '../../rule.ts'
import { extendExampleBody } from '../../example-skill.ts'
import { scanMarkdown } from '../../markdown/markdown-scan.ts'

export const SKIPPED_HEADING: Rule = {
  id: 'docs/skipped-heading',
  severity: 'info',
  what: 'A heading skips a level',
  why: 'The outline has a gap, so the structure of the text is unclear.',
  example: { bad: { 'SKILL.md': extendExampleBody('#### Deep\n\nText.\n') }, good: {} },
  fix: 'Use the next heading level.',
  check({ markdown }, report) {
    let level = 1
    for (const heading of markdown ? scanMarkdown(markdown).headings : []) {
      if (heading.level > level + 1)
        report({
          file: 'SKILL.md',
          span: heading.span,
          message: `The heading has level ${heading.level} after one of level ${level}`,
          help: `Write ${'#'.repeat(level + 1)} ${heading.text}`,
        })
      level = heading.level
    }
  },
}
