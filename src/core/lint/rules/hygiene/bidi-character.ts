import type { Rule } from '../../rule.ts'
import { extendExampleBody } from '../../example-skill.ts'
import { readTextFiles } from '../../skill-facts.ts'
import { formatCodePoint, findFirstPerLine } from '../../text-spans.ts'

/** Characters that change the direction of text. */
export const BIDI = /[\u202A-\u202E\u2066-\u2069]/g

export const BIDI_CHARACTER: Rule = {
  id: 'hygiene/bidi-character',
  severity: 'error',
  what: 'A file contains bidirectional control characters',
  why: 'They make code look different from what is executed.',
  example: { bad: { 'SKILL.md': extendExampleBody('See \u202Egnp.exe\n') }, good: {} },
  fix: 'Remove them; right-to-left text does not need them.',
  check(skill, report) {
    for (const { file, text } of readTextFiles(skill)) {
      for (const { start, end, text: found } of findFirstPerLine(text, BIDI)) {
        report({
          file,
          span: { start, end },
          message: `The line contains ${formatCodePoint(found)}, which changes the text direction, expected no bidirectional control characters`,
          help: 'Remove it, or write it as an escape sequence such as \\u202e in code',
        })
      }
    }
  },
}
