import type { Rule } from '../../rule.ts'
import { exampleBody } from '../../example-skill.ts'
import { textFiles } from '../../skill-facts.ts'

const BIDI = /[\u202A-\u202E\u2066-\u2069]/

export const BIDI_CHARACTER: Rule = {
  id: 'hygiene/bidi-character',
  severity: 'error',
  what: 'A file holds characters that turn the direction of writing',
  why: 'They make code look like something else than what is executed.',
  example: { bad: { 'SKILL.md': exampleBody('See \u202Egnp.exe\n') }, good: {} },
  fix: 'Remove them; right-to-left text needs none of them.',
  check(skill, report) {
    for (const { file, text } of textFiles(skill)) {
      const match = BIDI.exec(text)
      if (!match) continue
      const code = match[0].codePointAt(0)?.toString(16).toUpperCase()
      report({
        file,
        span: { start: match.index, end: match.index + 1 },
        message: `The file holds U+${code}, which turns the direction of writing`,
        help: 'Remove it',
      })
    }
  },
}
