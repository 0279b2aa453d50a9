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
