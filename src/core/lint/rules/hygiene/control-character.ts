import type { Rule } from '../../rule.ts'
import { exampleBody } from '../../example-skill.ts'
import { textFiles } from '../../skill-facts.ts'
import { codeName, firstOfLines } from '../../text-marks.ts'

const CONTROL = /[\u0001-\u0008\u000B\u000E-\u001F\u007F-\u009F]/g

export const CONTROL_CHARACTER: Rule = {
  id: 'hygiene/control-character',
  severity: 'warning',
  what: 'A text file holds control characters',
  why: 'Printed on a terminal they can move the cursor, hide text or do worse.',
  example: { bad: { 'SKILL.md': exampleBody('Red: \u001B[31m\n') }, good: {} },
  fix: 'Remove them, or write them as an escape such as \\x1b in code.',
  check(skill, report) {
    for (const { file, text } of textFiles(skill)) {
      // TOML knows none of them: there they are a syntax error already.
      if (file === 'skill.toml' && skill.toml?.problem) continue
      for (const { start, end, text: found } of firstOfLines(text, CONTROL)) {
        report({
          file,
          span: { start, end },
          message: `The line holds the control character ${codeName(found)}, expected only printable text`,
          help: 'Remove it, or write it as an escape such as \\x1b in code',
        })
      }
    }
  },
}
