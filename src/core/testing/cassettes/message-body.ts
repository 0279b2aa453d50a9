import type { Plain } from '../../skills/manifest/manifest.ts'
import { findDeepNesting } from '../../skills/manifest/nesting.ts'
import { findHeader, type HeaderList } from './cassette.ts'

const EXTENSIONS: readonly (readonly [RegExp, string])[] = [
  [/json/, 'json'],
  [/html/, 'html'],
  [/xml|svg/, 'xml'],
  [/csv/, 'csv'],
  [/png/, 'png'],
  [/jpe?g/, 'jpg'],
  [/gif/, 'gif'],
  [/pdf/, 'pdf'],
]

/** Longer JSON is not indented. */
const MAX_FORMATTED = 256 * 1024

/** Decodes a body as UTF-8; undefined if it is binary. */
export function decodeText(body: Buffer): string | undefined {
  if (body.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return undefined
  }
}

/** Parses a text as JSON; undefined if it is none, or nested so deeply that it is compared as text. */
export function parseJson(text: string): { value: Plain } | undefined {
  if (!/^\s*[[{"]/.test(text) || findDeepNesting(text) !== undefined) return undefined
  try {
    return { value: JSON.parse(text) as Plain }
  } catch {
    return undefined
  }
}

/**
 * Indents JSON, unless a reader could then get another value: long numbers and repeated keys stay as
 * they are.
 */
export function formatJson(text: string): string {
  const parsed = text.length <= MAX_FORMATTED ? parseJson(text) : undefined
  if (!parsed) return text
  const compact = text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
  if (JSON.stringify(parsed.value) !== compact) return text
  return `${JSON.stringify(parsed.value, null, 2)}\n`
}

/** True for bodies of forms: `a=1&b=2`. */
export function isForm(headers: HeaderList): boolean {
  return findHeader(headers, 'content-type')?.includes('x-www-form-urlencoded') === true
}

/** Changes values of JSON by the names of their fields. */
export function mapJsonFields(
  value: Plain,
  change: (name: string, value: Plain) => Plain | undefined,
): Plain {
  if (Array.isArray(value)) return value.map((each) => mapJsonFields(each, change))
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).map(
    ([name, each]) => [name, change(name, each) ?? mapJsonFields(each, change)] as const,
  )
  return Object.fromEntries(entries)
}

/** Selects the file extension of a body by its MIME type. */
export function selectExtension(headers: HeaderList, isText: boolean): string {
  const type = findHeader(headers, 'content-type')?.split(';')[0] ?? ''
  const known = EXTENSIONS.find(([pattern]) => pattern.test(type))?.[1]
  return known ?? (isText ? 'txt' : 'bin')
}
