import { expect, it } from 'vitest'
import { Budget } from '../../src/evals/model/budget.ts'
import type { EvalModel } from '../../src/evals/model/eval-model.ts'
import { readByModel } from '../../src/evals/vetting/read-by-model.ts'

/** A model that finds nothing, and the messages that it got. */
function createModel(isFree: boolean) {
  const asked: string[] = []
  const model: EvalModel = {
    name: 'fake/one',
    isFree,
    respond: async ({ messages }) => {
      asked.push(messages.at(-1)?.content ?? '')
      return {
        message: { role: 'assistant', content: '{"findings": []}' },
        // Without a report, a request counts as the most that it can cost.
        usage: undefined,
      }
    },
  }
  return { model, asked }
}

const { signal } = new AbortController()

function createBudget(maxTokens?: number) {
  return new Budget({ maxTokens, maxCostUsd: undefined, prices: undefined })
}

it('a ceiling that is reached ends no reading in silence: each file is named', async () => {
  const { model, asked } = createModel(false)
  const texts = [
    { path: 'SKILL.md', text: 'a'.repeat(50_000) },
    { path: 'references/more.md', text: 'b'.repeat(50_000) },
  ]
  const { notRead } = await readByModel(texts, { model, budget: createBudget(35_000), signal })
  expect(asked.map((text) => text.includes('SKILL.md'))).toEqual([true])
  expect(notRead).toEqual([
    { path: 'references/more.md', reason: expect.stringContaining('ceiling') as string },
  ])
  expect((await readByModel(texts, { model, budget: createBudget(1e9), signal })).notRead).toEqual(
    [],
  )
})

it('a long text is asked about in parts, and all of it', async () => {
  const { model, asked } = createModel(true)
  const text = Array.from({ length: 20_000 }, (_, at) => `line ${at}\n`).join('')
  await readByModel([{ path: 'SKILL.md', text }], { model, budget: createBudget(), signal })
  const parts = asked.map((each) => each.split('\n').slice(2, -1).join('\n'))
  expect(parts.join('')).toBe(text)
  expect(Math.max(...parts.map(({ length }) => length))).toBe(60_000)
})

it('no text can end its own enclosure, since the mark differs in each request', async () => {
  const { model, asked } = createModel(true)
  const request = { model, budget: createBudget(), signal }
  for (let time = 0; time < 2; time++) await readByModel([{ path: 'a', text: 'x' }], request)
  const marks = asked.map((each) => /<(text [0-9a-f]{16})>/.exec(each)?.[1])
  expect(new Set(marks).size).toBe(2)
  expect(marks).not.toContain(undefined)
})
