import type { Config } from '../../core/config/config.ts'
import { SkillsError } from '../../errors.ts'
import type { BudgetLimits, TokenPrices } from '../../evals/model/budget.ts'
import { ARMS, type Arm } from '../../evals/running/trajectory.ts'
import { getFlagOption, getTextOption, type CommandLine } from '../command.ts'
import { EVAL_OPTIONS } from './eval-option-list.ts'

/** Runs of each arm: fewer say nothing about a model. */
const MIN_RUNS = 3
const MAX_RUNS = 50

/** Names of these options as a command line has them. */
const NAMES = EVAL_OPTIONS.map(({ flags }) => flags.split(' ')[0] ?? '')

/** True for a command line of the lane of evals; its options have no effect on tests. */
export function isEvalCommand(call: CommandLine): boolean {
  if (getFlagOption(call, 'evals') || getTextOption(call, 'regrade') !== undefined) return true
  const stray = NAMES.find((flag) => call.options[toOptionName(flag)] !== undefined)
  if (stray === undefined) return false
  throw new SkillsError('usage/invalid', `The option ${stray} requires --evals`, {
    hint: 'Add --evals to run evals with a model',
  })
}

function toOptionName(flag: string): string {
  return flag.slice(2).replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

export interface EvalOptions {
  model: string | undefined
  judgeModel: string | undefined
  limits: BudgetLimits
  runs: number
  arms: readonly Arm[]
  caseGlob: string | undefined
  threshold: number
  output: string
  regrade: string | undefined
  mayJudge: boolean
}

/** Reads these options and the settings of evals. */
export function readEvalOptions(call: CommandLine, config: Config): EvalOptions {
  const arm = getTextOption(call, 'arm') ?? 'both'
  const regrade = getTextOption(call, 'regrade')
  const mayJudge = getFlagOption(call, 'judge')
  if (mayJudge && regrade === undefined) {
    throw invalidOptionError('The option --judge requires --regrade', '--regrade <folder> --judge')
  }
  return {
    model: getTextOption(call, 'model') ?? config.evals.model,
    judgeModel: getTextOption(call, 'judgeModel') ?? config.evals.judgeModel,
    limits: {
      maxCostUsd: readNumber(call, { name: 'maxCostUsd', flag: '--max-cost-usd', example: '2.50' }),
      maxTokens: readNumber(call, { name: 'maxTokens', flag: '--max-tokens', example: '200000' }),
      prices: readPrices(call, config),
    },
    runs: readRuns(call),
    arms: arm === 'both' ? ARMS : [arm === 'with' ? 'with_skill' : 'without_skill'],
    caseGlob: getTextOption(call, 'case'),
    threshold: readThreshold(call),
    output: getTextOption(call, 'output') ?? 'skills-evals',
    regrade,
    mayJudge,
  }
}

function readNumber(
  call: CommandLine,
  { name, flag, example }: { name: string; flag: string; example: string },
): number | undefined {
  const text = getTextOption(call, name)
  if (text === undefined) return undefined
  const value = /^\d{1,12}(?:\.\d{1,6})?$/.test(text) ? Number(text) : 0
  if (value > 0) return value
  throw invalidOptionError(
    `Expected a number above 0 for ${flag}, got "${text}"`,
    `${flag} ${example}`,
  )
}

function readRuns(call: CommandLine): number {
  const text = getTextOption(call, 'runs') ?? String(MIN_RUNS)
  const runs = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (runs >= MIN_RUNS && runs <= MAX_RUNS) return runs
  const message = `Expected ${MIN_RUNS} to ${MAX_RUNS} for --runs, got "${text}"`
  throw invalidOptionError(message, '--runs 5')
}

function readThreshold(call: CommandLine): number {
  const text = getTextOption(call, 'minScore') ?? '1'
  const threshold = /^\d(?:\.\d{1,6})?$/.test(text) ? Number(text) : 2
  if (threshold <= 1) return threshold
  throw invalidOptionError(`Expected 0 to 1 for --min-score, got "${text}"`, '--min-score 0.8')
}

function readPrices(call: CommandLine, config: Config): TokenPrices | undefined {
  const text = getTextOption(call, 'prices') ?? config.evals.prices
  if (text === undefined) return undefined
  const [, input, output] = /^(\d{1,6}(?:\.\d{1,6})?)\/(\d{1,6}(?:\.\d{1,6})?)$/.exec(text) ?? []
  const prices = { input: Number(input), output: Number(output) }
  if (prices.input > 0 && prices.output > 0) return prices
  const message = `Expected two prices above 0 such as 3/15, got "${text}"`
  throw invalidOptionError(message, '--prices 3/15')
}

function invalidOptionError(message: string, example: string): SkillsError {
  return new SkillsError('usage/invalid', message, { hint: `Write it as ${example}` })
}
