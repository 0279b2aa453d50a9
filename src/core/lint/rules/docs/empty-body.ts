import type { Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'

export const EMPTY_BODY: Rule = {
  id: 'docs/empty-body',
  severity: 'warning',
  what: 'SKILL.md has no text after its front matter',
  why: 'A model reads the body before it uses the skill.',
  example: { bad: { 'SKILL.md': createExampleMarkdown(undefined, '') }, good: {} },
  fix: 'Describe what the skill does and how to call it, with an example.',
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
      help: 'Describe what the skill does and how to call it, with an example',
    })
  },
}
