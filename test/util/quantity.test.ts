import { expect, it } from 'vitest'
import {
  formatByteLimit,
  parseBytes,
  parseDuration,
  parseDurationOption,
  spellDuration,
} from '../../src/util/quantity.ts'

it.each([
  ['30s', 30_000],
  ['1.5m', 90_000],
  ['5 min', 300_000],
  ['250', 250],
  ['7d', 604_800_000],
  ['-1s', undefined],
  ['1 parsec', undefined],
  ['', undefined],
])('parses the duration %j', (text, expected) => expect(parseDuration(text)).toBe(expected))

it.each([
  ['512MiB', 536_870_912],
  ['10 MB', 10_000_000],
  ['64m', 67_108_864],
  ['8 bytes', 8],
  ['7', 7],
  ['1e9', undefined],
  ['99999999TiB', undefined],
])('parses the size %j', (text, expected) => expect(parseBytes(text)).toBe(expected))

it.each([
  ['2', 2000],
  ['0.5', 500],
  ['2s', 2000],
  ['1500ms', 1500],
  ['2m', 120_000],
])('parses the option --timeout %s, in seconds by default', (text, expected) =>
  expect(parseDurationOption(text)).toBe(expected),
)

it.each([
  [2000, '2 seconds'],
  [1000, '1 second'],
  [1500, '1500 ms'],
  [300_000, '5 minutes'],
  [7_200_000, '2 hours'],
])('spells %i ms as %j', (ms, expected) => expect(spellDuration(ms)).toBe(expected))

it.each([
  ['64m', '64 MiB'],
  ['64 MB', '64 MB'],
  ['1.5GiB', '1.5 GiB'],
  ['1234567', '1234567 bytes'],
  ['100 b', '100 bytes'],
])('writes the limit %j as %j, without loss', (text, expected) => {
  const bytes = parseBytes(text) as number
  expect(formatByteLimit(bytes)).toBe(expected)
  expect(parseBytes(expected)).toBe(bytes)
})
