import type { Rule } from '../../rule.ts'
import { exampleBody } from '../../example-skill.ts'
import { textFiles } from '../../skill-facts.ts'

export const CONFLICT_MARKER: Rule = {
  id: 'hygiene/conflict-marker',
  severity: 'error',
  what: 'A file holds the marks of an unfinished merge',
  why: 'Both versions are in the file, and it means neither.',
  example: {
    bad: { 'SKILL.md': exampleBody('<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n') },
    good: {},
  },
  fix: 'Decide for one version and remove the marks.',
  check(skill, report) {
    for (const { file, text } of textFiles(skill)) {
      if (!text.includes('<<<<<<< ') && !text.includes('>>>>>>> ')) continue
      const match = /^(?:<{7}|>{7}) [^\n]*$/m.exec(text)
      if (!match) continue
      report({
        file,
        span: { start: match.index, end: match.index + match[0].trimEnd().length },
        message: 'The file holds the marks of an unfinished merge',
        help: 'Finish the merge and remove the marks',
      })
    }
  },
}
