import { describe, expect, it } from 'vitest'
import { compileGlob, Glob } from '../../src/util/glob/glob.ts'
import { Random } from '../fuzz/engine/random.ts'

describe('a glob', () => {
  it.each([
    ['*.txt', ['a.txt', '.txt'], ['a.txt2', 'atxt', 'a/b.txt']],
    ['a?c', ['abc', 'a🎉c'], ['ac', 'abbc', 'a/c']],
    ['[a-c]*[!0-9]', ['ax', 'c_'], ['dx', 'a1', 'a', 'a/']],
    ['[]x]', [']', 'x'], ['a']],
    ['[x', ['[x'], ['x']],
    ['[a/b]', ['[a/b]'], ['a', '/']],
    ['**', ['', 'anything', 'a/b'], []],
    ['a*b*c', ['abc', 'aXbXbc'], ['acb', 'ab', 'ab/c']],
    ['(a|b)+.$^\\d', ['(a|b)+.$^\\d'], ['ab']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/.y/b'], ['ab', 'a/xb', 'b']],
    ['**/b', ['b', 'a/b', '.a/b'], ['ab', 'a/cb']],
    ['a/**', ['a', 'a/', 'a/b', 'a/b/.c'], ['ab', 'b/a']],
    ['a**b', ['ab', 'axb', 'ax/yb'], ['a', 'abc']],
    ['{a,b/c}/x', ['a/x', 'b/c/x'], ['b/x', '{a,b/c}/x']],
    ['{a/**,b}x', ['ax', 'a/y/x', 'bx'], ['a', 'b']],
    ['x{,.gz}', ['x', 'x.gz'], ['x.']],
    ['{a,{b,c}d}', ['a', 'bd', 'cd'], ['b', 'ad']],
    ['{a,b', ['{a,b'], ['a']],
    ['a,b}', ['a,b}'], ['a']],
    ['./a', ['a'], ['./a']],
  ])('%s matches like in a shell', (pattern, good, bad) => {
    const matches = compileGlob(pattern)
    expect(good.filter((path) => !matches(path))).toEqual([])
    expect(bad.filter(matches)).toEqual([])
  })

  it('matches what a simple implementation matches, for 20,000 random patterns', () => {
    const random = new Random(32)
    for (let count = 0; count < 20_000; count++) {
      const pattern = createText(random, [
        'a',
        'b',
        '/',
        '*',
        '**',
        '**/',
        '?',
        '{',
        ',',
        '}',
        '[ab]',
      ])
      const path = createText(random, ['a', 'b', '/', 'a/', 'ab'])
      const expected = matchesSimply(pattern, path)
      expect([pattern, path, new Glob(pattern).matches(path)]).toEqual([pattern, path, expected])
    }
  })

  it.each([
    ['many folders', '**/d/'],
    ['many stars', '*d'],
    ['many alternatives', '{d,{d,/}}'],
    ['nested alternatives', '{d,'],
    ['many classes', '[d-'],
  ])('with %s takes at most a step for each pair of characters', (_, part) => {
    const path = 'd/'.repeat(200)
    for (const count of [10, 100]) {
      const glob = new Glob(`work/${part.repeat(count)}x${'}'.repeat(count)}`)
      glob.matches(`work/${path}`)
      expect(glob.steps).toBeLessThanOrEqual(10 * part.length * count * path.length)
    }
  })
})

function createText(random: Random, parts: readonly string[]): string {
  return Array.from({ length: random.below(7) }, () => random.pick(parts)).join('')
}

/** Tries every way: right in any case, and exponential. */
function matchesSimply(pattern: string, path: string): boolean {
  const braces = /\{([^{}]*)\}/.exec(pattern)
  if (braces) {
    const [all, inside = ''] = braces
    const [before, after] = [
      pattern.slice(0, braces.index),
      pattern.slice(braces.index + all.length),
    ]
    // Marks stand for the ends of an alternative, which decide about stars next to them.
    return inside
      .split(',')
      .some((each) => matchesSimply(`${before}\u0001${each}\u0002${after}`, path))
  }
  return matchesFrom(pattern, path, '')
}

function matchesFrom(pattern: string, path: string, before: string): boolean {
  if (pattern === '') return path === ''
  const ways = listWays(pattern, path, before)
  return ways.ends.some((end) =>
    matchesFrom(pattern.slice(ways.read), path.slice(end), pattern[ways.read - 1] as string),
  )
}

/** Characters of the pattern that are read together, and where the path may continue after them. */
function listWays(pattern: string, path: string, before: string) {
  const [first] = pattern
  if (/^[\u0001\u0002]/.test(pattern)) return { read: 1, ends: [0] }
  if (pattern.startsWith('**/') && ['', '/', '\u0001'].includes(before)) {
    return { read: 3, ends: [0, ...listEnds(/^(?:[^/]+\/)*/.exec(path)?.[0] ?? '')] }
  }
  if (/^\/\*\*(?:\u0002|$)/.test(pattern)) {
    const tails = path.startsWith('/') ? countTo(path.length).slice(1) : []
    return { read: 3, ends: [0, ...tails] }
  }
  if (first === '*') return listStarWays(pattern, path)
  const read = pattern.startsWith('[ab]') ? 4 : 1
  return { read, ends: path !== '' && readsOne(pattern, path) ? [1] : [] }
}

function listStarWays(pattern: string, path: string) {
  if (pattern.startsWith('**')) return { read: 2, ends: countTo(path.length) }
  return { read: 1, ends: countTo(/^[^/]*/.exec(path)?.[0].length ?? 0) }
}

function readsOne(pattern: string, [character = '']: string): boolean {
  if (pattern.startsWith('?')) return character !== '/'
  return pattern.startsWith('[ab]') ? 'ab'.includes(character) : pattern.startsWith(character)
}

function countTo(end: number): number[] {
  return Array.from({ length: end + 1 }, (_, at) => at)
}

/** Offsets after each slash. */
function listEnds(folders: string): number[] {
  return [...folders.matchAll(/\//g)].map(({ index }) => index + 1)
}
