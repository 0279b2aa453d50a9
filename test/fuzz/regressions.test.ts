import { describe, expect, it } from 'vitest'
import { readCorpus } from './corpus.ts'
import { findTarget, TARGET_NAMES } from './targets/index.ts'

const REGRESSIONS = TARGET_NAMES.map((name) => ({
  name,
  inputs: readCorpus(name, 'regression-'),
})).filter(({ inputs }) => inputs.length > 0)

describe('inputs that fuzzing found', () => {
  it.each(REGRESSIONS)('behave as expected in $name', async ({ name, inputs }) => {
    const check = await (await findTarget(name)).open(false)
    for (const input of inputs) await check(input)
    expect(inputs.length).toBeGreaterThan(0)
  })
})
