import { expect, it } from 'vitest'
import { parseBytes, parseDuration } from '../../src/util/quantity.ts'

it.each([
  ['30s', 30_000],
  ['1.5m', 90_000],
  ['250', 250],
  ['7d', 604_800_000],
  ['-1s', undefined],
  ['1 parsec', undefined],
  ['', undefined],
])('parses the duration %j', (text, expected) => expect(parseDuration(text)).toBe(expected))

it.each([
  ['512MiB', 536_870_912],
  ['10 MB', 10_000_000],
  ['7', 7],
  ['1e9', undefined],
  ['99999999TiB', undefined],
])('parses the size %j', (text, expected) => expect(parseBytes(text)).toBe(expected))
