import type { Excerpt } from '../../core/outputs/view/output-view.ts'
import { toPrintableLines } from '../../util/printable.ts'
import type { Context } from '../context.ts'

/** How excerpts are shown: what is looked for, and whether it has to be said which stream it is. */
export interface ExcerptStyle {
  terms: readonly string[]
  namesStream: boolean
}

/**
 * Lines with their numbers, as grep shows them: a colon behind those of lines that match, a dash
 * behind the others. On a terminal the terms stand out.
 */
export function formatExcerptLines(
  context: Pick<Context, 'style' | 'stdout'>,
  { content, lineStart, source }: Excerpt,
  { terms, namesStream }: ExcerptStyle,
): string[] {
  const { style } = context
  const isTerminal = context.stdout.isTTY === true
  const pattern = buildTermPattern(terms)
  return content.split('\n').map((text, at) => {
    const shown = isTerminal ? toPrintableLines(text) : text
    const isMatch = pattern?.test(text) ?? true
    const place = `${namesStream ? `${source}:` : ''}${lineStart + at}${isMatch ? ':' : '-'}`
    const line = isMatch && pattern ? highlightMatches(shown, pattern, style.red) : shown
    return `${style.dim(place)}${line}`
  })
}

function highlightMatches(text: string, pattern: RegExp, paint: (text: string) => string): string {
  return text.replaceAll(new RegExp(pattern, 'giu'), (found) => (found === '' ? '' : paint(found)))
}

/** Undefined where nothing is looked for. */
function buildTermPattern(terms: readonly string[]): RegExp | undefined {
  if (terms.length === 0) return undefined
  const escaped = terms.map((term) => term.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  return new RegExp(escaped.join('|'), 'iu')
}
