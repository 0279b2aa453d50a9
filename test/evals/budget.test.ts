import { describe, expect, it } from 'vitest'
import { Budget, CeilingReachedError, checkBudget } from '../../src/evals/model/budget.ts'
import type { EvalModel, ModelRequest, TokenUsage } from '../../src/evals/model/eval-model.ts'

const REQUEST: ModelRequest = {
  messages: [{ role: 'user', content: 'x'.repeat(200) }],
  tools: [],
  maxOutputTokens: 100,
  signal: new AbortController().signal,
}

/** A model that counts its requests and answers when the test lets it. */
function createModel(usage: TokenUsage | undefined, isFree = false) {
  const model = { requests: 0 }
  const respond: EvalModel['respond'] = async () => {
    model.requests += 1
    return { message: { role: 'assistant', content: '' }, usage }
  }
  return Object.assign(model, { name: 'a/b', isFree, respond })
}

const limits = (more: object) => ({
  maxCostUsd: undefined,
  maxTokens: undefined,
  prices: undefined,
  ...more,
})

describe('the ceiling', () => {
  it('a paid model without a ceiling is refused', () => {
    const model = createModel(undefined)
    expect(() => checkBudget(limits({}), [model])).toThrow('costs money without a ceiling')
    expect(() => checkBudget(limits({ maxCostUsd: 1 }), [model])).toThrow('requires the prices')
    expect(() => checkBudget(limits({ maxTokens: 1 }), [model])).not.toThrow()
    expect(() => checkBudget(limits({}), [createModel(undefined, true)])).not.toThrow()
  })

  it('a request that could exceed it is not sent', async () => {
    const model = createModel({ input: 60, output: 10 })
    const budget = new Budget(limits({ maxTokens: 400 }))
    await budget.request(model, REQUEST)
    await budget.request(model, REQUEST)
    await expect(budget.request(model, { ...REQUEST, maxOutputTokens: 300 })).rejects.toThrow(
      CeilingReachedError,
    )
    expect(model.requests).toBe(2)
    expect(budget.isExhausted).toBe(true)
    expect(budget.spent).toEqual({ input: 120, output: 20 })
  })

  it('dollars are computed from the prices', async () => {
    const prices = { input: 1_000_000, output: 2_000_000 }
    const budget = new Budget(limits({ maxCostUsd: 500, prices }))
    await budget.request(createModel({ input: 100, output: 50 }), REQUEST)
    expect(budget.costUsd).toBe(200)
    await expect(budget.request(createModel(undefined), REQUEST)).rejects.toThrow(
      CeilingReachedError,
    )
  })

  it('concurrent requests share it', async () => {
    const budget = new Budget(limits({ maxTokens: 500 }))
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, async () =>
        budget.request(createModel({ input: 1, output: 1 }), REQUEST),
      ),
    )
    expect(results.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
  })

  it('a request without a report of its tokens counts as its greatest cost', async () => {
    const budget = new Budget(limits({ maxTokens: 1000 }))
    await budget.request(createModel(undefined), REQUEST)
    expect(budget.spent.output).toBe(100)
    expect(budget.spent.input).toBeGreaterThanOrEqual(100)
  })
})
