import type { Span } from '../source.ts'

/** A plain value that contains ": ", which YAML does not allow without quotes. */
const COLON_VALUE = /^([A-Za-z_][\w-]*:[ \t]+)([^"'[{|>&*!#\s][^\n]*:[ \t][^\n]*)$/gm

/** Values of YAML that need quotes, with the quoted text: the most frequent mistake. */
export function findColonValues(yaml: string): { span: Span; text: string }[] {
  return [...yaml.matchAll(COLON_VALUE)].map((match) => {
    const start = match.index + (match[1] as string).length
    const value = (match[2] as string).trimEnd()
    return { span: { start, end: start + value.length }, text: JSON.stringify(value) }
  })
}

/** YAML with these values in quotes, as other clients read it; undefined if there are none. */
export function quoteColonValues(yaml: string): string | undefined {
  const found = findColonValues(yaml)
  if (found.length === 0) return undefined
  return found.reduceRight(
    (text, { span, text: quoted }) => text.slice(0, span.start) + quoted + text.slice(span.end),
    yaml,
  )
}
