import { describeEscapes } from './text/terminal-escapes.ts'

const ESCAPES = new RegExp(describeEscapes({ c1: '\u009b', end: '\u009c' }), 'g')

/**
 * Removes colours and other control sequences of terminals, for readers that are not terminals. A
 * redactor finds secrets across all that this removes.
 */
export function stripColors(text: string): string {
  return /[\u001b\u009b]/.test(text) ? text.replaceAll(ESCAPES, '') : text
}
