import { readRange } from '../../../src/server/blobs/blob-routes.ts'
import {
  formatByteLimit,
  formatDuration,
  parseBytes,
  parseDuration,
} from '../../../src/util/quantity.ts'
import { compareSemver, isSemver } from '../../../src/util/semver.ts'
import { requireJson } from '../../../src/server/http/content-type.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { allowErrors, expectEqual, expectThat } from './expect.ts'

/** Short values of headers and settings: ranges, types, quantities and versions. */
export const target: FuzzTarget = {
  name: 'http-fields',
  format: 'text',
  seeds: [
    'bytes=0-99',
    'application/json; charset=utf-8',
    '512MiB',
    '1.5h',
    '1.0.0-rc.1+build\n1.0.0',
  ],
  words: [
    'bytes=',
    '-',
    '0',
    '99999999999999999999',
    ',',
    'json',
    'charset="utf8"',
    'KiB',
    'ms',
    '.',
    '+',
  ],
  open: (isPlanted) => (input) => {
    const [text = '', other = ''] = input.toString('utf8').split('\n')
    checkRange(text, isPlanted)
    if (allowErrors(() => (requireJson(text), true)))
      expectThat(/^\s*application\/json\s*(?:;|$)/i.test(text), 'the type is JSON')
    const bytes = parseBytes(text)
    if (bytes !== undefined) expectEqual(parseBytes(formatByteLimit(bytes)), bytes, 'the size')
    const duration = parseDuration(text)
    if (duration !== undefined)
      expectEqual(parseDuration(formatDuration(duration)), duration, 'the duration')
    expectEqual(compareSemver(text, other), -compareSemver(other, text) + 0, 'the order')
    if (isSemver(text)) expectThat(compareSemver(text, 'x') > 0, 'a version sorts after a text')
  },
}

function checkRange(text: string, isPlanted: boolean): void {
  for (const size of [0, 1, 100]) {
    const range = allowErrors(() => readRange(text, size))
    if (!range) continue
    // The planted bug: a range may end one byte behind the content.
    const end = range.end + (isPlanted && /^bytes=\d+-\d{3,}$/.test(text) ? 1 : 0)
    expectThat(range.start >= 0 && range.start < end && end <= size, 'a range is in the content')
  }
}
