import { SkillsError } from '../../errors.ts'
import type { EvalModel, ModelAnswer, ModelRequest, TokenUsage } from './eval-model.ts'

/** Prices in US dollars per million tokens. */
export interface TokenPrices {
  input: number
  output: number
}

export interface BudgetLimits {
  maxCostUsd: number | undefined
  maxTokens: number | undefined
  prices: TokenPrices | undefined
}

/** Thrown when the next request could exceed the ceiling. */
export class CeilingReachedError extends Error {}

/** Characters of a request that certainly count as at least one token less often than this. */
const CHARACTERS_PER_TOKEN = 2

/** Refuses limits that could not be enforced. */
export function checkBudget(limits: BudgetLimits, models: readonly EvalModel[]): void {
  const paid = models.find(({ isFree }) => !isFree)
  if (!paid) return
  const { maxCostUsd, maxTokens, prices } = limits
  if (maxCostUsd === undefined && maxTokens === undefined) {
    throw new SkillsError(
      'usage/invalid',
      `The model "${paid.name}" costs money without a ceiling`,
      {
        hint: 'Add --max-cost-usd 2 --prices <input>/<output>, or --max-tokens 200000',
      },
    )
  }
  if (maxCostUsd !== undefined && prices === undefined) {
    throw new SkillsError(
      'usage/invalid',
      'A ceiling in dollars requires the prices of the model',
      {
        hint: 'Add --prices 3/15, in dollars per million tokens of input and output, or use --max-tokens',
      },
    )
  }
}

/** The ceiling of a whole command: requests reserve their greatest cost before they are sent. */
export class Budget {
  readonly #limits: BudgetLimits
  #spent: TokenUsage = { input: 0, output: 0 }
  #reserved: TokenUsage = { input: 0, output: 0 }
  /** True if the ceiling refused a request. */
  isExhausted = false

  constructor(limits: BudgetLimits) {
    this.#limits = limits
  }

  get spent(): TokenUsage {
    return { ...this.#spent }
  }

  /** Dollars; undefined without prices. */
  get costUsd(): number | undefined {
    const { prices } = this.#limits
    return prices && computeCost(this.#spent, prices)
  }

  /** Sends a request if its greatest cost fits under the ceiling. */
  async request(model: EvalModel, request: ModelRequest): Promise<ModelAnswer> {
    if (model.isFree) return await model.respond(request)
    const most = { input: estimateTokens(request), output: request.maxOutputTokens }
    if (!this.#fits(most)) {
      this.isExhausted = true
      throw new CeilingReachedError('the ceiling of the cost is reached')
    }
    this.#reserved = addUsage(this.#reserved, most)
    try {
      const answer = await model.respond(request)
      // Without a report, the request counts as its reservation.
      this.#spent = addUsage(this.#spent, answer.usage ?? most)
      return answer
    } catch (thrown) {
      // A request that failed may have been charged.
      this.#spent = addUsage(this.#spent, most)
      throw thrown
    } finally {
      this.#reserved = addUsage(this.#reserved, { input: -most.input, output: -most.output })
    }
  }

  #fits(more: TokenUsage): boolean {
    const { maxCostUsd, maxTokens, prices } = this.#limits
    const all = addUsage(addUsage(this.#spent, this.#reserved), more)
    if (maxTokens !== undefined && all.input + all.output > maxTokens) return false
    return (
      maxCostUsd === undefined || (prices !== undefined && computeCost(all, prices) <= maxCostUsd)
    )
  }
}

function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return { input: a.input + b.input, output: a.output + b.output }
}

function computeCost({ input, output }: TokenUsage, prices: TokenPrices): number {
  return (input * prices.input + output * prices.output) / 1_000_000
}

/** A high estimate of the tokens of a request. */
function estimateTokens({ messages, tools }: ModelRequest): number {
  const described = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
  }))
  return Math.ceil(Buffer.byteLength(JSON.stringify([messages, described])) / CHARACTERS_PER_TOKEN)
}
