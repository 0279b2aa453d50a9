import { describe, expect, it } from 'vitest'
import { findMisspeltVariables, suggestSetting } from '../../../src/core/config/suggest-setting.ts'

describe('suggestSetting()', () => {
  it.each([
    ['run.timeuot', 'run.timeout'],
    ['run.limits.memroy', 'run.limits.memory'],
    ['rnu', 'run'],
    ['run.limit', 'run.limits'],
    ['run.limit.memory', 'run.limits.memory'],
    ['lnit.rules', 'lint.rules'],
    ['timeout', 'run.timeout'],
    ['memory', 'run.limits.memory'],
    ['run.memory', 'run.limits.memory'],
    ['root', 'roots'],
    ['run.max-timeout', 'run.max_timeout'],
    ['colour_of_the_moon', undefined],
  ])('suggests %s for %s', (typed, meant) => {
    expect(suggestSetting(typed)).toBe(meant)
  })
})

describe('findMisspeltVariables()', () => {
  it('finds variables similar to a setting and ignores others', () => {
    const env = {
      SKILLS_RUN_TIMEUOT: '5s',
      SKILLS_RUN_TIMEOUT: '5s',
      SKILLS_PAHT: '/x',
      SKILLS_OF_THE_TRADE: 'x',
      PATH: '/bin',
    }
    expect(findMisspeltVariables(env)).toEqual([
      { name: 'SKILLS_RUN_TIMEUOT', meant: 'SKILLS_RUN_TIMEOUT' },
      { name: 'SKILLS_PAHT', meant: 'SKILLS_PATH' },
    ])
  })
})
