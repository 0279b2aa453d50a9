import type { Rule } from '../../rule.ts'
import { extendExampleBody } from '../../example-skill.ts'
import { readTextFiles } from '../../skill-facts.ts'
import { formatCodePoint, isCodeFile, removeSpans } from '../../text-spans.ts'

// Joiners between letters and emoji, the tags of flags and single variation selectors are
// legitimate.
const HIDDEN =
  /\u{1F3F4}[\u{E0020}-\u{E007E}]{1,8}\u{E007F}|[\u200B\u2060-\u2064\u180E\u115F\u1160\u3164\uFFA0\u{E0000}-\u{E007F}]|[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{2,}|(?<!^)\uFEFF/gu

export const HIDDEN_CHARACTER: Rule = {
  id: 'hygiene/hidden-character',
  severity: 'error',
  what: 'A file contains invisible characters',
  why: 'Models read them, so they can carry instructions that reviewers do not notice.',
  example: { bad: { 'SKILL.md': extendExampleBody('Hid\u200Bden.\n') }, good: {} },
  fix: 'Remove them: --fix does so in prose, --fix-unsafe also in code, where they may be part of a value.',
  fixable: 'safe',
  check(skill, report) {
    for (const { file, text } of readTextFiles(skill)) {
      const found = [...text.matchAll(HIDDEN)].filter((match) => !match[0].startsWith('\u{1F3F4}'))
      const [first] = found
      if (!first) continue
      const spans = found.map(({ 0: mark, index }) => ({ start: index, end: index + mark.length }))
      const count = found.length === 1 ? '1 invisible mark' : `${found.length} invisible characters`
      report({
        file,
        span: spans[0],
        message: `The file contains ${count}, the first is ${formatCodePoint(first[0])}, expected none`,
        help: 'Remove them',
        edits: removeSpans(file, text, spans),
        unsafe: isCodeFile(file),
      })
    }
  },
}
