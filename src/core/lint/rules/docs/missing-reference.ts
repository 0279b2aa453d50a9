import { findNearestFile } from '../../../../util/find-nearest-file.ts'
import type { Rule } from '../../rule.ts'
import { extendExampleBody } from '../../example-skill.ts'
import { scanMarkdown } from '../../markdown/markdown-scan.ts'
import { isExample, isFileOfProject, isWrittenByReader } from '../../markdown/mentioned-files.ts'

const REFERENCE_PATH =
  /^(?:\.\/)?((?:code|resources|scripts|references|assets|templates)\/[\w./-]{1,200}\.\w{1,8})$/

export const MISSING_REFERENCE: Rule = {
  id: 'docs/missing-reference',
  severity: 'warning',
  what: 'SKILL.md refers to a file of the skill that does not exist',
  why: 'A model reads or runs the files that the instructions name.',
  example: {
    bad: { 'SKILL.md': extendExampleBody('Run `scripts/convert.py` first.\n') },
    good: {},
  },
  fix: 'Correct the path, or add the file.',
  check(skill, report) {
    if (!skill.markdown || skill.filesCut) return
    const paths = new Set(skill.files.map((file) => file.path))
    for (const { text, span } of scanMarkdown(skill.markdown).inlineCode) {
      const path = REFERENCE_PATH.exec(text)?.[1]
      if (path === undefined || paths.has(path)) continue
      const { text: whole } = skill.markdown
      if (isExample(whole, span.start) || isWrittenByReader(whole, span.start)) continue
      if (isFileOfProject(skill, path)) continue
      const guess = findNearestFile(path, paths)
      report({
        file: 'SKILL.md',
        span,
        message: `"${text}" is not a file of the skill`,
        help: guess ? `Did you mean "${guess}"?` : 'Correct the path, or add the file',
      })
    }
  },
}
