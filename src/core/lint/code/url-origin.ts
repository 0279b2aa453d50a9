import type { Span } from '../../skills/manifest/source.ts'

/** The first part of a text that code puts together. */
export interface TextPrefix {
  text: string
  /** True if nothing follows. */
  isComplete: boolean
  /** Span of the literal, in the file. */
  span: Span
}

/** The origin of a URL, if the text contains its whole host. Absent for other texts. */
export function findOrigin(
  prefix: TextPrefix,
  source: string,
): { origin: string; span: Span } | undefined {
  const match = /^(?:https?|wss?):\/\/([^\s/?#\\"'`]+)([/?#]?)/i.exec(prefix.text)
  if (!match || (match[2] === '' && !prefix.isComplete)) return undefined
  const written = match[2] === '' ? match[0] : match[0].slice(0, -1)
  const at = source.slice(prefix.span.start, prefix.span.end).indexOf(written)
  const start = prefix.span.start + Math.max(at, 0)
  const span = at === -1 ? prefix.span : { start, end: start + written.length }
  return { origin: written, span }
}

/** True if a text is the beginning of an absolute address. */
export function isAbsoluteUrl(text: string): boolean {
  return /^(?:https?|wss?):\/\//i.test(text)
}
