import type { Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import { scanMarkdown } from '../../markdown/markdown-scan.ts'

export const MISSING_EXAMPLE: Rule = {
  id: 'docs/missing-example',
  severity: 'info',
  what: 'SKILL.md of an action skill has no example',
  why: 'One call with real arguments helps a model more than a paragraph.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        undefined,
        '# Greet\n\nGreets the person named in `who`.\n',
      ),
    },
    good: {},
  },
  fix: 'Add a code block with an example call.',
  check({ markdown, manifest }, report) {
    if (
      !markdown ||
      manifest.kind !== 'action' ||
      markdown.text.slice(markdown.bodyStart).trim() === ''
    )
      return
    const { code, headings } = scanMarkdown(markdown)
    if (code.length > 0 || headings.some((heading) => /example|usage/i.test(heading.text))) return
    const span = { start: markdown.bodyStart, end: markdown.bodyStart }
    report({
      file: 'SKILL.md',
      span,
      message: 'SKILL.md has no example call',
      help: 'Add a code block such as: skills exec name --arg key=value',
    })
  },
}
