import type { Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import { readTextFiles } from '../../skill-facts.ts'
import { isDataFile } from '../../text-spans.ts'

export const BOM: Rule = {
  id: 'hygiene/bom',
  severity: 'warning',
  what: 'A text file starts with a byte order mark',
  why: 'Validators then do not find the front matter, and shells do not find the "#!" line.',
  example: { bad: { 'skill.toml': `\uFEFF${createExampleToml()}` }, good: {} },
  fix: 'Save the file as UTF-8 without a byte order mark.',
  fixable: 'safe',
  check(skill, report) {
    for (const { file, text } of readTextFiles(skill)) {
      // Spreadsheets need the mark to read a table as UTF-8.
      if (!text.startsWith('\uFEFF') || isDataFile(file)) continue
      const span = { start: 0, end: 1 }
      report({
        file,
        span,
        message: 'The file starts with a byte order mark, expected none',
        help: 'Save it as UTF-8 without a byte order mark',
        // Hosts do not find the front matter of such a file.
        ...(file === 'SKILL.md' && !skill.toml && { severity: 'error' }),
        edits: [{ kind: 'replace', file, span, text: '' }],
      })
    }
  },
}
