import type { Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import { scanMarkdown } from '../../markdown/markdown-scan.ts'

export const MISSING_HEADING: Rule = {
  id: 'docs/missing-heading',
  severity: 'info',
  what: 'The body of SKILL.md has no heading',
  why: 'Headings help models and people to find the part they need.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        undefined,
        'Greets the person named in `who`.\n\n```sh\nskills exec demo.greet\n```\n',
      ),
    },
    good: {},
  },
  fix: 'Start the body with a title: # Name.',
  check({ markdown }, report) {
    if (!markdown || markdown.text.slice(markdown.bodyStart).trim() === '') return
    if (
      scanMarkdown(markdown).headings.length > 0 ||
      /^[^\s].*\n(?:=+|-+)\s*$/m.test(markdown.text.slice(markdown.bodyStart))
    )
      return
    const span = { start: markdown.bodyStart, end: markdown.bodyStart }
    report({
      file: 'SKILL.md',
      span,
      message: 'The body has no heading',
      help: 'Start the body with a title such as "# Greet"',
    })
  },
}
