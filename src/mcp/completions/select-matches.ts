import type { CompleteResult } from '@modelcontextprotocol/server'

/** Maximum number of values in one completion, as the protocol requires. */
export const MAX_VALUES = 100

/** Possible values of an argument, in order. */
export interface Candidates {
  values: readonly string[]
  /** True if not all possible values were read, so that their number is unknown. */
  isPartial?: boolean
}

/** The text to complete, and the values of the other arguments. */
export interface ArgumentRequest {
  value: string
  others: Readonly<Record<string, string>>
}

/**
 * Selects the candidates that begin with a text, regardless of case, then those that contain it.
 */
export function selectMatches(
  { values, isPartial = false }: Candidates,
  text: string,
): CompleteResult['completion'] {
  const wanted = text.toLowerCase()
  const unique = [...new Set(values)]
  const found = [
    ...unique.filter((each) => each.toLowerCase().startsWith(wanted)),
    ...unique.filter((each) => each.toLowerCase().indexOf(wanted) > 0),
  ]
  return {
    values: found.slice(0, MAX_VALUES),
    ...(!isPartial && { total: found.length }),
    hasMore: isPartial || found.length > MAX_VALUES,
  }
}
