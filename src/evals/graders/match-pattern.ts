import { runInNewContext } from 'node:vm'

/** Time of one match: a stranger's expression may need exponential time. */
const MATCH_MS = 1000

/** Texts are passed as values, never as code. */
const COUNT_MATCHES = `
  let count = 0
  for (const _ of text.matchAll(new RegExp(pattern, flags + 'g'))) {
    count += 1
    if (count > 100000) break
  }
  count`

/** Counts the matches of a regular expression; undefined if it takes too long. */
export function countMatches(
  text: string,
  { pattern, flags = '' }: { pattern: string; flags?: string },
): number | undefined {
  try {
    const values = { text, pattern, flags }
    return runInNewContext(COUNT_MATCHES, values, { timeout: MATCH_MS }) as number
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw thrown
  }
}
