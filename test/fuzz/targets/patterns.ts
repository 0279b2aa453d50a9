import { Glob } from '../../../src/util/glob/glob.ts'
import { matchesList } from '../../../src/core/policy/match.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectEqual, expectThat } from './expect.ts'

const MAX_TABLE = 1_000_000
/** States of a glob for each of its characters, and forks between them. */
const MAX_STEPS = 8

/** Patterns of policies and the names that they are compared with, one pair per input. */
export const target: FuzzTarget = {
  name: 'patterns',
  format: 'text',
  seeds: [
    '**/d/**/d/x\nd/d/d/d/d',
    'demo.*\ndemo.greet',
    'a*b*c\naxbxc',
    'src/**/x-?.{ts,js}\nsrc/a/b/x-1.ts',
    '[a-c]\nb',
  ],
  words: [
    '*',
    '**',
    '?',
    '{',
    '}',
    ',',
    '[',
    ']',
    '!',
    '^',
    '-',
    '/',
    '**/',
    '/**',
    'a',
    'ab',
    '\\',
  ],
  open: (isPlanted) => (input) => {
    const [pattern = '', value = ''] = input.toString('utf8').split('\n')
    if (pattern.startsWith('!') || pattern === '') return
    const found = matchesList('environment', [pattern], { names: [value] })
    // The planted bug: parts of a pattern may overlap in the value.
    const isFound = isPlanted && pattern.length > value.length + 1 ? pattern.includes('*') : found
    // The table has a row for each character of the pattern.
    if (pattern.length * value.length < MAX_TABLE)
      expectEqual(isFound, matchesSimply(pattern, value), 'the match')
    if (pattern.length * value.length < MAX_TABLE) checkGlob(pattern, value)
  },
}

/** Table of prefixes: right in any case, and slow. */
function matchesSimply(pattern: string, value: string): boolean {
  let reached = new Set([0])
  for (const character of pattern) {
    const next = new Set<number>()
    // A star reaches all positions after the first one.
    const first = character === '*' ? Math.min(...reached) : Infinity
    for (let end = first; end <= value.length; end++) next.add(end)
    if (character !== '*')
      for (const at of reached) if (value.startsWith(character, at)) next.add(at + character.length)
    reached = next
  }
  return reached.has(value.length)
}

/** A glob never throws, and takes at most a few steps for each pair of characters. */
function checkGlob(pattern: string, value: string): void {
  const glob = new Glob(pattern)
  const isFound = glob.matches(value)
  const pairs = (pattern.length + 1) * (value.length + 1)
  expectThat(glob.steps <= MAX_STEPS * pairs, `${glob.steps} steps for ${pairs} pairs`)
  if (/^[\w*./-]+$/.test(pattern) && isFound && !pattern.includes('**'))
    expectThat(!value.startsWith('/') || pattern.startsWith('/') || value === '', 'roots differ')
}
