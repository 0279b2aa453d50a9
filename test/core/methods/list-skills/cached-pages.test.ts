import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  getCachedPage,
  listCachedPage,
} from '../../../../src/core/methods/list-skills/fast-path/cached-pages.ts'
import type { ListSkillsParams } from '../../../../src/core/methods/list-skills/definition.ts'
import { listSkills } from '../../../../src/core/methods/list-skills/handler.ts'
import { createTestApp } from '../../../helpers/app.ts'
import { createActionSkill, prefixPaths } from '../../../helpers/projects.ts'
import { writeTree } from '../../../helpers/skills.ts'

const NAMES = ['demo.greet', 'demo.tools.sort', 'other.greet']
const TREE = Object.assign(
  {},
  ...NAMES.map((name) => prefixPaths(`skills/${name}`, createActionSkill(name))),
) as Record<string, string>

const allParams: fc.Arbitrary<ListSkillsParams> = fc.record(
  {
    namespace: fc.constantFrom(undefined, '', 'demo', 'demo.tools', 'dem'),
    detail: fc.constantFrom(undefined, 'names' as const, 'summary' as const),
    limit: fc.constantFrom(undefined, 1, 2, 500, 0, 501, Number.NaN),
    cursor: fc.constantFrom(undefined, '', 'x', 'WyJkZW1vIiwiZGVtby5ncmVldCIsIjAuMS4wIl0'),
  },
  { requiredKeys: [] },
)

/** Returns a page as text, or the error. */
async function describeOutcome(page: Promise<object>): Promise<string> {
  return await page.then(
    (result) => JSON.stringify(result),
    (error: unknown) => String(error),
  )
}

it('a cached page equals the page of listSkills, whatever was added or removed', async () => {
  const { runtime, dir } = await createTestApp(TREE, {}, { fastPaths: true })
  let [taken, planted] = [0, 0]
  await fc.assert(
    fc.asyncProperty(allParams, fc.nat(30), async (params, chance) => {
      if (chance === 0) {
        planted += 1
        writeTree(
          dir,
          prefixPaths(`skills/new-${planted}`, createActionSkill(`demo.new${planted}`)),
        )
        await runtime.repository.refresh()
      }
      const expected = await describeOutcome(listSkills(runtime, params))
      expect(await describeOutcome(listCachedPage(runtime, params))).toBe(expected)
      const kept = getCachedPage(runtime, params)
      if (kept) {
        taken += 1
        expect(Object.isFrozen(kept)).toBe(true)
        expect(JSON.stringify(kept)).toBe(expected)
        expect(await listCachedPage(runtime, params)).toBe(kept)
      } else expect(expected).toMatch(/^SkillsError|^Error/)
    }),
    { numRuns: 300 },
  )
  expect(taken).toBeGreaterThan(50)
  expect(planted).toBeGreaterThan(0)
})

it('no page is cached if fast paths are off', async () => {
  const { runtime } = await createTestApp(TREE, {}, { fastPaths: false })
  await listCachedPage(runtime)
  expect(getCachedPage(runtime, {})).toBeUndefined()
})
