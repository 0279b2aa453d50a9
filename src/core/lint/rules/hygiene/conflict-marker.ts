import type { Rule } from '../../rule.ts'
import { extendExampleBody } from '../../example-skill.ts'
import { readTextFiles } from '../../skill-facts.ts'

const MARK = /^(?:<{7}|\|{7}|>{7}) [^\r\n]{1,200}/gm

export const CONFLICT_MARKER: Rule = {
  id: 'hygiene/conflict-marker',
  severity: 'error',
  what: 'A file holds the marks of an unfinished merge',
  why: 'Both versions are in the file, and it means neither.',
  example: {
    bad: { 'SKILL.md': extendExampleBody('<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n') },
    good: {},
  },
  fix: 'Decide for one version and remove the marks.',
  check(skill, report) {
    for (const { file, text } of readTextFiles(skill)) {
      if (!text.includes('<<<<<<< ') && !text.includes('>>>>>>> ')) continue
      for (const match of text.matchAll(MARK)) {
        report({
          file,
          span: { start: match.index, end: match.index + match[0].trimEnd().length },
          message: `The line is a mark of an unfinished merge: "${match[0].slice(0, 7)}"`,
          help: 'Keep one of the two versions and remove the marks',
        })
      }
    }
  },
}
