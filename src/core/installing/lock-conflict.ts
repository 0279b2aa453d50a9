/** Lines that git writes between the sides of a merge. */
const MARKER = /^(?:<{7}|\|{7}|={7}|>{7})(?: |\r?$)/

/** Number of the first conflict marker of git. */
export function findConflictLine(text: string): number | undefined {
  const line = text.split('\n').findIndex((each) => MARKER.test(each))
  return line === -1 ? undefined : line + 1
}
