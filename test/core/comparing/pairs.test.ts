// @module-tag slow
import { describe, expect, it, vi } from 'vitest'
import { DIFFERENCE_CODES } from '../../../src/core/comparing/difference.ts'
import { compareTrees } from '../../helpers/compare.ts'
import { CONTENT_PAIRS } from './content-pairs.ts'
import { RIGHTS_PAIRS } from './rights-pairs.ts'

vi.setConfig({ testTimeout: 60_000 })

const PAIRS = [...RIGHTS_PAIRS, ...CONTENT_PAIRS]

/** Findings without those that only say that a file is another. */
const QUIET = /^files\/(?:changed|added) (?!resources\/(?:keys|main))/

describe('differences of two versions of a skill', () => {
  it.each(PAIRS)('$name: $finds', async ({ before = {}, after = {}, finds }) => {
    const { differences } = await compareTrees(before, after)
    const found = differences
      .map(({ code, subject }) => `${code} ${subject}`)
      .filter((each) => !QUIET.test(each))
    expect(found.toSorted()).toEqual([...finds].toSorted())
  })

  it('the table names nearly every code, so that a new one needs a pair', () => {
    const named = new Set(PAIRS.flatMap(({ finds }) => finds.map((each) => each.split(' ')[0])))
    const others = Object.keys(DIFFERENCE_CODES).filter((code) => !named.has(code))
    expect(others.toSorted()).toEqual(
      [
        'files/added',
        'files/changed',
        'metadata/description-changed',
        'metadata/kind-changed',
        'programs/language-changed',
        'result/described',
      ].filter((code) => !named.has(code)),
    )
  })
})
