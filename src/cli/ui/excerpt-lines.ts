import type { Excerpt } from '../../core/outputs/view/output-view.ts'
import { toPrintableLines } from '../../util/printable.ts'
import type { Context } from '../context.ts'

/** Search terms, and whether the stream is named. */
export interface ExcerptStyle {
  terms: readonly string[]
  namesStream: boolean
}

/**
 * Numbered lines in grep's format: a colon after matching lines' numbers, a dash after the others.
 * Terms are highlighted on a terminal.
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
    const prefix = `${namesStream ? `${source}:` : ''}${lineStart + at}${isMatch ? ':' : '-'}`
    const line = isMatch && pattern ? highlightMatches(shown, pattern, style.red) : shown
    return `${style.dim(prefix)}${line}`
  })
}

function highlightMatches(text: string, pattern: RegExp, paint: (text: string) => string): string {
  return text.replaceAll(new RegExp(pattern, 'giu'), (found) => (found === '' ? '' : paint(found)))
}

/** Undefined without terms. */
function buildTermPattern(terms: readonly string[]): RegExp | undefined {
  if (terms.length === 0) return undefined
  const escaped = terms.map((term) => term.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  return new RegExp(escaped.join('|'), 'iu')
}
