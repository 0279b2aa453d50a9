import { parse, type ParseError } from 'jsonc-parser'

/** A JSON value that was read from text with small mistakes. */
export interface RepairedJson {
  value: unknown
  /** The mistakes, as a sentence continues after "the arguments had". */
  repairs: readonly string[]
}

const CODE_FENCE = /^\s*(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)\n?[ \t]*\1\s*$/

/** Reads JSON that models write with a trailing comma or in a code fence; undefined otherwise. */
export function repairJson(text: string): RepairedJson | undefined {
  const repairs: string[] = []
  const fenced = CODE_FENCE.exec(text)
  const json = fenced ? (fenced[2] ?? '') : text
  if (fenced) repairs.push('a code fence around them')
  const strict = parseStrict(json)
  if (strict) return fenced ? { value: strict.value, repairs } : undefined
  const errors: ParseError[] = []
  const value: unknown = parse(json, errors, { allowTrailingComma: true, disallowComments: true })
  // Anything else than a trailing comma could have another meaning.
  if (errors.length > 0) return undefined
  return { value, repairs: [...repairs, 'a trailing comma'] }
}

function parseStrict(json: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(json) }
  } catch {
    return undefined
  }
}
