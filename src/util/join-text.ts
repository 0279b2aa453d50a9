/** Joins texts with a blank line between them; skips missing ones. */
export function joinText(...texts: readonly (string | undefined)[]): string {
  let joined = ''
  for (const text of texts) {
    if (text === undefined || text === '') continue
    // Concatenation copies nothing, unlike `join`: a request may have megabytes.
    joined = joined === '' ? text : `${joined}\n\n${text}`
  }
  return joined
}

/** The first values as a list, with the number of those that are left out: `a, b and 3 more`. */
export function listSome(values: readonly string[], max = 10): string {
  const rest = values.length - max
  const shown = values.slice(0, max).join(', ')
  return rest > 0 ? `${shown} and ${rest} more` : shown
}
