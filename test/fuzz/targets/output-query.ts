import { createTermMatcher } from '../../../src/core/outputs/query/match-terms.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectEqual, expectThat } from './expect.ts'

/** Search terms of a query and the output they are searched in, separated by an empty line. */
export const target: FuzzTarget = {
  name: 'output-query',
  format: 'text',
  seeds: [
    'error\nfail\n\nan Error occurred',
    'ſtraße\n\nSTRASSE straße',
    `${'ab'.repeat(40)}\n\nabab`,
  ],
  words: ['\n\n', 'error', 'İ', 'ı', 'ſ', 'K', 'ß', 'ẞ', 'ǅ', 'ab', 'aab', '😀', 'É', 'é'],
  open: (isPlanted) => (input) => {
    const [head = '', ...rest] = input.toString('utf8').split('\n\n')
    const terms = head.split('\n').slice(0, 8)
    const text = rest.join('\n\n')
    const bytes = Buffer.from(text)
    const matcher = createTermMatcher(terms)
    const found = matcher.find(bytes, 0)
    expectThat(found >= -1 && found < Math.max(1, bytes.length), 'an offset is in the output')
    if (/[^\0-\u007F]/.test(head + text) || matcher.matchesAll) return
    const lower = text.toLowerCase()
    const positions = terms.map((each) => lower.indexOf(each.toLowerCase())).filter((at) => at >= 0)
    // The planted bug: a match at the very end is missed.
    const isMissed = isPlanted && found > 0 && found === text.length - (terms[0]?.length ?? 0)
    expectEqual(isMissed ? -1 : found, positions.length > 0 ? Math.min(...positions) : -1, 'it')
  },
}
