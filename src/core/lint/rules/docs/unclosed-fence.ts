import type { Rule } from '../../rule.ts'
import { extendExampleBody } from '../../example-skill.ts'
import { scanMarkdown } from '../../markdown/markdown-scan.ts'

export const UNCLOSED_FENCE: Rule = {
  id: 'docs/unclosed-fence',
  severity: 'warning',
  what: 'A code block in SKILL.md is not closed',
  why: 'All text after it is code: its headings, links and lists are lost.',
  example: {
    bad: { 'SKILL.md': extendExampleBody('```sh\necho hello\n\nThen read the output.\n') },
    good: { 'SKILL.md': extendExampleBody('```sh\necho hello\n```\n\nThen read the output.\n') },
  },
  fix: 'Close the block with as many backticks as it begins with.',
  check({ markdown }, report) {
    const span = markdown && scanMarkdown(markdown).unclosedFence
    if (!span) return
    const fence = markdown.text.slice(span.start, span.end)
    report({
      file: 'SKILL.md',
      span,
      message: `The code block that begins with "${fence}" is not closed`,
      help: `Write a line "${/^(`+|~+)/.exec(fence)?.[0] ?? '```'}" after its last line; a block that contains fences needs longer ones`,
    })
  },
}
