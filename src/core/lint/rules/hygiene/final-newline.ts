import { reportOnce } from '../../report-once.ts'
import type { RawFinding, Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import { isOwnText, readTextFiles } from '../../skill-facts.ts'

export const FINAL_NEWLINE: Rule = {
  id: 'hygiene/final-newline',
  severity: 'info',
  what: 'A text file does not end with a line feed',
  why: 'Text that is appended would continue the last line.',
  example: { bad: { 'skill.toml': createExampleToml().trimEnd() }, good: {} },
  fix: 'End the file with one line feed.',
  fixable: 'safe',
  check(skill, report) {
    const found: RawFinding[] = []
    for (const { file, text } of readTextFiles(skill)) {
      if (text === '' || text.endsWith('\n') || !isOwnText(skill, file)) continue
      const span = { start: text.length, end: text.length }
      found.push({
        file,
        span,
        message: 'The file does not end with a line feed',
        help: 'Add one',
        edits: [{ kind: 'replace', file, span, text: '\n' }],
      })
    }
    reportOnce(report, found)
  },
}
