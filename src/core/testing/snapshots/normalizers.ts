import { stripColors } from '../../../util/strip-colors.ts'

/** ISO 8601, the forms of the date command and of mail headers, and times of day. */
const TIME_PATTERNS = [
  /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?/g,
  /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?: [A-Z]{3,4})?(?: \d{4})?/g,
  /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d? [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d(?: [A-Z]{3}| [+-]\d{4})?/g,
  /\b\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\b/g,
] as const

/**
 * Replacements of values that differ from run to run. They may hide a fault, so that a case selects
 * them.
 */
export const REPLACERS = {
  times: {
    summary: 'dates with times, and times of day: [TIME]',
    patterns: TIME_PATTERNS,
    replacement: '[TIME]',
  },
  ids: {
    summary: 'UUIDs and ULIDs: [ID]',
    patterns: [
      /\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b/g,
      /\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g,
    ],
    replacement: '[ID]',
  },
  ports: {
    summary: 'ports of addresses of this machine: [PORT]',
    patterns: [/(?<=\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0)|\[::1?\]):\d{1,5}\b/g],
    replacement: ':[PORT]',
  },
} as const

export type ReplacerName = keyof typeof REPLACERS

/** Names that Python and mktemp give to temporary files. */
const TEMPORARY_NAME = /(?<=\/)tmp(?:[a-z0-9_]{8}|\.[A-Za-z0-9]{10})\b/g

export interface NormalizeOptions {
  replace: readonly ReplacerName[]
  /** Folders of the host, which a weak backend shows to the code: markers by path. */
  folders: ReadonlyMap<string, string>
}

/** Removes differences between runs and machines: colours, line ends, and paths of temporary files. */
export function normalizeText(text: string, { replace, folders }: NormalizeOptions): string {
  let result = stripColors(text).replaceAll('\r\n', '\n')
  for (const [folder, marker] of folders) result = result.replaceAll(folder, marker)
  result = result.replaceAll(TEMPORARY_NAME, '[TMP]')
  for (const name of replace) {
    const { patterns, replacement } = REPLACERS[name]
    for (const pattern of patterns) result = result.replaceAll(pattern, replacement)
  }
  return result
}
