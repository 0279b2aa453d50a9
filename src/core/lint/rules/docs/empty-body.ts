import type { Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'

export const EMPTY_BODY: Rule = {
  id: 'docs/empty-body',
  severity: 'error',
  what: 'SKILL.md has nothing below its front matter',
  why: 'The body is what a model reads before it uses the skill.',
  example: { bad: { 'SKILL.md': createExampleMarkdown(undefined, '') }, good: {} },
  fix: 'Say what the skill does, how to call it, and give an example.',
  check({ markdown }, report) {
    if (
      !markdown ||
      markdown.frontMatter.problem ||
      markdown.text.slice(markdown.bodyStart).trim() !== ''
    )
      return
    const end = markdown.text.length
    report({
      file: 'SKILL.md',
      span: { start: end, end },
      message: 'SKILL.md has no body',
      help: 'Say what the skill does, how to call it, and give an example',
    })
  },
}
