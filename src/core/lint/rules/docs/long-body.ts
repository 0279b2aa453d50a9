import type { Rule } from '../../rule.ts'
import { extendExampleBody } from '../../example-skill.ts'

const MAX_LINES = 500
const MAX_TOKENS = 5000

export const LONG_BODY: Rule = {
  id: 'docs/long-body',
  severity: 'warning',
  what: `SKILL.md has more than ${MAX_LINES} lines or about ${MAX_TOKENS} tokens`,
  why: 'The whole body goes into the prompt each time the skill is loaded.',
  example: { bad: { 'SKILL.md': extendExampleBody('One more line.\n'.repeat(501)) }, good: {} },
  fix: 'Move details into files under resources/ and link them.',
  check({ markdown }, report) {
    if (!markdown) return
    const body = markdown.text.slice(markdown.bodyStart)
    const lines = body.split('\n').length
    const tokens = Math.ceil(body.length / 4)
    if (lines <= MAX_LINES && tokens <= MAX_TOKENS) return
    const span = { start: markdown.bodyStart, end: markdown.bodyStart }
    report({
      file: 'SKILL.md',
      span,
      message: `The body has ${lines} lines and about ${tokens} tokens, expected at most ${MAX_LINES} and ${MAX_TOKENS}`,
      help: 'Move details into files under resources/ and link them',
    })
  },
}
