import type { Rule } from '../../rule.ts'
import { extendExampleBody } from '../../example-skill.ts'
import { readTextFiles } from '../../skill-facts.ts'

const MARK = /^(?:<{7}|\|{7}|>{7}) [^\r\n]{1,200}/gm

export const CONFLICT_MARKER: Rule = {
  id: 'hygiene/conflict-marker',
  severity: 'error',
  what: 'A file contains conflict markers of an unfinished merge',
  why: 'Both versions are in the file, so neither is valid.',
  example: {
    bad: { 'SKILL.md': extendExampleBody('<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n') },
    good: {},
  },
  fix: 'Keep one version and remove the markers.',
  check(skill, report) {
    for (const { file, text } of readTextFiles(skill)) {
      if (!text.includes('<<<<<<< ') && !text.includes('>>>>>>> ')) continue
      for (const match of text.matchAll(MARK)) {
        if (isShownInFence(file, text, match.index)) continue
        report({
          file,
          span: { start: match.index, end: match.index + match[0].trimEnd().length },
          message: `"${match[0].slice(0, 7)}" is a conflict marker of an unfinished merge`,
          help: 'Keep one version and remove the markers',
        })
      }
    }
  },
}

/** Documents about merges show markers in code blocks. */
function isShownInFence(file: string, text: string, at: number): boolean {
  if (!/\.(?:md|markdown)$/i.test(file)) return false
  const fences = text.slice(0, at).match(/^[ \t]*(?:```|~~~)/gm) ?? []
  return fences.length % 2 === 1
}
