import type { Rule } from '../../rule.ts'
import { exampleToml } from '../../example-skill.ts'
import { textFiles } from '../../skill-facts.ts'
import { isData } from '../../text-marks.ts'

export const BOM: Rule = {
  id: 'hygiene/bom',
  severity: 'warning',
  what: 'A text file begins with a byte order mark',
  why: 'Validators do not see front matter behind it, and shells not the "#!".',
  example: { bad: { 'skill.toml': `\uFEFF${exampleToml()}` }, good: {} },
  fix: 'Save the file as UTF-8 without BOM.',
  fixable: 'safe',
  check(skill, report) {
    for (const { file, text } of textFiles(skill)) {
      // Spreadsheets need the mark to read a table as UTF-8.
      if (!text.startsWith('\uFEFF') || isData(file)) continue
      const span = { start: 0, end: 1 }
      report({
        file,
        span,
        message: 'The file begins with a byte order mark, expected none',
        help: 'Save it as UTF-8 without BOM',
        edits: [{ kind: 'replace', file, span, text: '' }],
      })
    }
  },
}
