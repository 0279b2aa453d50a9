import type { Rule } from '../../rule.ts'
import { exampleBody } from '../../example-skill.ts'
import { textFiles } from '../../skill-facts.ts'

const CONTROL = /[\u0001-\u0008\u000B\u000E-\u001F\u007F-\u009F]/

export const CONTROL_CHARACTER: Rule = {
  id: 'hygiene/control-character',
  severity: 'warning',
  what: 'A text file holds control characters',
  why: 'Printed on a terminal they can move the cursor, hide text or do worse.',
  example: { bad: { 'SKILL.md': exampleBody('Red: \u001B[31m\n') }, good: {} },
  fix: 'Remove them, or write them as an escape such as \\x1b in code.',
  check(skill, report) {
    for (const { file, text } of textFiles(skill)) {
      const match = CONTROL.exec(text)
      if (!match) continue
      const code = match[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
      report({
        file,
        span: { start: match.index, end: match.index + 1 },
        message: `The file holds the control character U+${code}`,
        help: 'Remove it',
      })
    }
  },
}
