import type { Excerpt } from '../../core/outputs/view/output-view.ts'
import { toPrintableLines } from '../../util/printable.ts'
import type { Context } from '../context.ts'
import { createLineMarker } from './line-marker.ts'

/** Search terms, and whether the stream is named. */
export interface ExcerptStyle {
  terms: readonly string[]
  /** True if the terms are regular expressions. */
  regex: boolean
  namesStream: boolean
}

/**
 * Numbered lines in grep's format: a colon after matching lines' numbers, a dash after the others.
 * Terms are highlighted on a terminal.
 */
export function formatExcerptLines(
  context: Pick<Context, 'style' | 'stdout'>,
  { content, lineStart, source }: Excerpt,
  { terms, regex, namesStream }: ExcerptStyle,
): string[] {
  const { style } = context
  const isTerminal = context.stdout.isTTY === true
  const marker = terms.length > 0 ? createLineMarker(terms, regex) : undefined
  return content.split('\n').map((text, at) => {
    const shown = isTerminal ? toPrintableLines(text) : text
    const isMatch = marker?.isMatch(text) ?? true
    const prefix = `${namesStream ? `${source}:` : ''}${lineStart + at}${isMatch ? ':' : '-'}`
    const line = isMatch && marker ? marker.paint(shown, style.red) : shown
    return `${style.dim(prefix)}${line}`
  })
}
