import { findNearestFile } from '../../../../util/find-nearest-file.ts'
import type { MarkdownSource } from '../../../skills/manifest/source.ts'
import type { Rule } from '../../rule.ts'
import { extendExampleBody } from '../../example-skill.ts'
import { scanMarkdown } from '../../markdown/markdown-scan.ts'
import { parseLocalTarget } from '../../markdown/link-target.ts'
import {
  isInTemplate,
  isPlaceholderTarget,
  isWrittenByReader,
} from '../../markdown/mentioned-files.ts'

export const BROKEN_LINK: Rule = {
  id: 'docs/broken-link',
  severity: 'error',
  what: 'A link in SKILL.md refers to a file that does not exist',
  why: 'A model that follows the link gets an error instead of the documentation.',
  example: {
    bad: {
      'SKILL.md': extendExampleBody('See [the notes](resources/note.md).\n'),
      'resources/notes.md': 'Notes\n',
    },
    good: {
      'SKILL.md': extendExampleBody('See [the notes](resources/notes.md).\n'),
      'resources/notes.md': 'Notes\n',
    },
  },
  fix: 'Correct the path, or add the file.',
  fixable: 'unsafe',
  check(skill, report) {
    if (!skill.markdown || skill.filesCut) return
    const paths = new Set(skill.files.map((file) => file.path))
    for (const { target, span, isImage: image } of scanMarkdown(skill.markdown).links) {
      const local = parseLocalTarget(target)
      if (!local?.path || paths.has(local.path.replace(/\/$/, ''))) continue
      if (isPlaceholderTarget(target) || isOutput(skill.markdown, local.path, span.start)) continue
      const guess = findNearestFile(local.path, paths)
      report({
        file: 'SKILL.md',
        span,
        message: `The ${image ? 'image' : 'link'} "${target}" is not a file of the skill`,
        help: guess ? `Did you mean "${guess}"?` : 'Correct the path, or add the file',
        edits: guess ? [{ kind: 'replace', file: 'SKILL.md', span, text: guess + local.rest }] : [],
        unsafe: true,
      })
    }
  },
}

/**
 * True for a file that the reader of the skill writes: the words before the link say so, the link is
 * in a template, or a listing in a code block names the file. The label repeats the target, so the
 * words before the label count.
 */
function isOutput(markdown: MarkdownSource, path: string, at: number): boolean {
  const { text } = markdown
  const label = text.lastIndexOf('[', at)
  if (isWrittenByReader(text, label === -1 ? at : label) || isInTemplate(text, at)) return true
  if (path.includes('/')) return false
  return scanMarkdown(markdown).code.some(
    (block) => /[\u2500-\u257F]/.test(block.text) && block.text.includes(path),
  )
}
