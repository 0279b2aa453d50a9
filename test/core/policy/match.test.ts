import fc from 'fast-check'
import { expect, it } from 'vitest'
import { matchesList } from '../../../src/core/policy/match.ts'

it('a star matches any text, and every other character matches itself', () => {
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.', '\n'), maxLength: 8 })
  const value = fc.string({ unit: fc.constantFrom('a', 'b', '.', '\n'), maxLength: 12 })
  fc.assert(
    fc.property(pattern, value, (each, text) => {
      const parts = each.split('*').map((part) => part.replaceAll('.', '\\.'))
      const expected = new RegExp(`^${parts.join('[^]*')}$`).test(text)
      expect(matchesList('repositories', [each], { names: [text] })).toBe(expected)
    }),
    { numRuns: 2000 },
  )
})

it('a pattern takes linear time on any value', () => {
  const long = '-'.repeat(131_000)
  expect(matchesList('executables', ['*-*-*-*-*x'], { names: [long] })).toBe(false)
  expect(matchesList('tokens', ['*-*-*-*-*'], { names: [long] })).toBe(true)
})
