import type { Edit, Rule } from '../../rule.ts'
import { exampleBody } from '../../example-skill.ts'
import { textFiles } from '../../skill-facts.ts'

// Joiners between letters and emoji are legitimate; alone they are not.
const HIDDEN = /[\u200B\u2060\u2061-\u2064\u180E\u{E0000}-\u{E007F}]|(?<!^)\uFEFF/gu

export const HIDDEN_CHARACTER: Rule = {
  id: 'hygiene/hidden-character',
  severity: 'error',
  what: 'A file holds characters that nobody sees',
  why: 'Models read them: they can carry instructions that no reviewer notices.',
  example: { bad: { 'SKILL.md': exampleBody('Hid\u200Bden.\n') }, good: {} },
  fix: 'Remove them.',
  fixable: 'safe',
  check(skill, report) {
    for (const { file, text } of textFiles(skill)) {
      const edits: Edit[] = []
      let first: string | undefined
      for (const match of text.matchAll(HIDDEN)) {
        first ??= match[0]
        edits.push({
          kind: 'replace',
          file,
          span: { start: match.index, end: match.index + match[0].length },
          text: '',
        })
      }
      const [edit] = edits
      if (edit?.kind !== 'replace' || first === undefined) continue
      const code = first.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
      report({
        file,
        span: edit.span,
        message: `The file holds ${edits.length} invisible character${edits.length === 1 ? '' : 's'}, the first is U+${code}`,
        help: 'Remove them',
        edits,
      })
    }
  },
}
