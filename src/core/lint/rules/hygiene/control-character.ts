import type { Rule } from '../../rule.ts'
import { extendExampleBody } from '../../example-skill.ts'
import { readTextFiles } from '../../skill-facts.ts'
import { formatCodePoint, findFirstPerLine } from '../../text-spans.ts'

/** Control characters other than blanks. */
export const CONTROL = /[\u0001-\u0008\u000B\u000E-\u001F\u007F-\u009F]/g

export const CONTROL_CHARACTER: Rule = {
  id: 'hygiene/control-character',
  severity: 'warning',
  what: 'A text file contains control characters',
  why: 'On a terminal they can move the cursor, hide text, or worse.',
  example: { bad: { 'SKILL.md': extendExampleBody('Red: \u001B[31m\n') }, good: {} },
  fix: 'Remove them, or write them as escape sequences such as \\x1b in code.',
  check(skill, report) {
    for (const { file, text } of readTextFiles(skill)) {
      // TOML allows none of them, so the file has a syntax error already.
      if (file === 'skill.toml' && skill.toml?.problem) continue
      for (const { start, end, text: found } of findFirstPerLine(text, CONTROL)) {
        report({
          file,
          span: { start, end },
          message: `The line contains the control character ${formatCodePoint(found)}, expected only printable text`,
          help: 'Remove it, or write it as an escape sequence such as \\x1b in code',
        })
      }
    }
  },
}
