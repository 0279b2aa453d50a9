/** Joins what the application says and what is added, with a blank line between. */
export function joinText(...texts: readonly (string | undefined)[]): string {
  let joined = ''
  for (const text of texts) {
    if (text === undefined || text === '') continue
    // Adding up copies nothing, which joining would: a request may hold megabytes.
    joined = joined === '' ? text : `${joined}\n\n${text}`
  }
  return joined
}
