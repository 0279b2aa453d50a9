/** The head of a request or an answer: names and values in one flat list. */
export type FlatHeaders = readonly string[]

/** Index of the first value of a header; -1 if there is none. */
export function findHeader(headers: FlatHeaders, name: string): number {
  return headers.findIndex((_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === name)
}

/** Removes headers with these names, which are in lower case. */
export function removeHeaders(headers: FlatHeaders, names: readonly string[]): string[] {
  return headers.filter((_, at) => !names.includes((headers[at - (at % 2)] ?? '').toLowerCase()))
}

/** Pairs names and values. */
export function pairHeaders(headers: FlatHeaders): (readonly [string, string])[] {
  return headers.flatMap((name, at) =>
    at % 2 === 0 ? [[name, headers[at + 1] ?? ''] as const] : [],
  )
}
