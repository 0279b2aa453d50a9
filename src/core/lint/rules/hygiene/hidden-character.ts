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
      const found = findHiddenCharacters(file, text)
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
        ...(!found.some((match) => mayHideText(text, match)) && { severity: 'warning' }),
      })
    }
  },
}

/** Invisible characters of a text, without those that an author needs. */
export function findHiddenCharacters(file: string, text: string): RegExpExecArray[] {
  return [...text.matchAll(HIDDEN)].filter(
    (match) => !match[0].startsWith('\u{1F3F4}') && !isDeliberate(file, text, match.index),
  )
}

/**
 * True for a single mark that keeps a nested fence from ending its block, and for a sample in a line
 * that names it.
 */
function isDeliberate(file: string, text: string, at: number): boolean {
  if (!/\.(?:md|markdown)$/i.test(file) || !/[\u200B\u2060\uFEFF]/.test(text[at] ?? ''))
    return false
  const around = `${text[at - 1] ?? ''}${text[at + 1] ?? ''}`
  if (/[\u200B\u2060\uFEFF]/.test(around)) return false
  if (/[`~]/.test(around)) return true
  const line = text.slice(text.lastIndexOf('\n', at) + 1, text.indexOf('\n', at) >>> 0)
  return line.length < 2000 && /zero[- ]width|U\+200B|invisible/i.test(line)
}

/** True for marks that encode text, split a word, or come in a row; others are left over. */
function mayHideText(text: string, { 0: mark, index }: RegExpExecArray): boolean {
  if (!/^[\u200B\u2060\uFEFF]$/.test(mark)) return true
  const [before = '', after = ''] = [text[index - 1], text[index + 1]]
  return (
    [before, after].every((each) => /[\p{L}\p{N}]/u.test(each)) ||
    /[\u200B-\u200D\u2060]/.test(after)
  )
}
