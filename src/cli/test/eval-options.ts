import type { Config } from '../../core/config/config.ts'
import { SkillsError } from '../../errors.ts'
import type { BudgetLimits, TokenPrices } from '../../evals/model/budget.ts'
import { ARMS, type Arm } from '../../evals/running/trajectory.ts'
import {
  getFlagOption,
  getTextOption,
  toFlag,
  type CommandLine,
  type OptionDefinition,
} from '../command.ts'
import { COVERAGE_OPTIONS } from './coverage-flags.ts'
import { EVAL_OPTIONS } from './eval-option-list.ts'
import { FLAKY_OPTION, TEST_OPTIONS } from './test-option-list.ts'

/** Runs of each arm: fewer say nothing about a model. */
const MIN_RUNS = 3
const MAX_RUNS = 50

/** Keys of options on a parsed command line. */
const EVAL_KEYS = listOptionKeys(EVAL_OPTIONS)
/** Options without effect on evals. */
const TEST_KEYS = listOptionKeys([...TEST_OPTIONS, FLAKY_OPTION, ...COVERAGE_OPTIONS])
/** Options without effect on saved runs. */
const RUN_KEYS = new Set(['runs', 'arm', 'output', 'continue'])
/** Options without effect if no model is called. */
const MODEL_KEYS = new Set(['model', 'judgeModel', 'prices', 'maxCostUsd', 'maxTokens'])

/** True for a command line of evals. Options without effect on what it runs are refused. */
export function isEvalCommand(call: CommandLine): boolean {
  const keys = Object.keys(call.options).filter((key) => call.options[key] !== undefined)
  const hasRegrade = keys.includes('regrade')
  if (!hasRegrade && !getFlagOption(call, 'evals')) {
    const stray = keys.find((key) => EVAL_KEYS.has(key))
    if (stray === undefined) return false
    throw new SkillsError('usage/invalid', `The option ${toFlag(stray)} requires --evals`, {
      hint: 'Add --evals to run evals with a model',
    })
  }
  const foreign = keys.find((key) => TEST_KEYS.has(key))
  if (foreign !== undefined) {
    const hint = 'Remove it; --case and --runs select what runs'
    throw createNoEffectError(foreign, hasRegrade ? '--regrade' : '--evals', hint)
  }
  if (hasRegrade) checkRegradeOptions(keys)
  return true
}

function checkRegradeOptions(keys: readonly string[]): void {
  const stray = keys.find((key) => RUN_KEYS.has(key))
  if (stray !== undefined) {
    throw createNoEffectError(stray, '--regrade', 'Remove it: saved runs are graded as they are')
  }
  if (keys.includes('judge')) return
  const unused = keys.find((key) => MODEL_KEYS.has(key))
  if (unused === undefined) return
  const hint = 'Add --judge to ask the model for missing votes, or remove it'
  throw createNoEffectError(unused, '--regrade without --judge', hint)
}

// eslint-disable-next-line max-params -- the option, the option it contradicts, and the hint
function createNoEffectError(key: string, lane: string, hint: string): SkillsError {
  const message = `The option ${toFlag(key)} has no effect with ${lane}`
  return new SkillsError('usage/invalid', message, { hint })
}

function listOptionKeys(options: readonly OptionDefinition[]): ReadonlySet<string> {
  return new Set(
    options.map(({ flags }) =>
      (/--([\w-]+)/.exec(flags)?.[1] ?? '').replaceAll(/-([a-z])/g, (_, letter: string) =>
        letter.toUpperCase(),
      ),
    ),
  )
}

export interface EvalOptions {
  model: string | undefined
  judgeModel: string | undefined
  limits: BudgetLimits
  runs: number
  arms: readonly Arm[]
  caseGlob: string | undefined
  threshold: number
  /** Undefined for the default folder. */
  output: string | undefined
  /** Folder of an iteration to continue. */
  continued: string | undefined
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
  if (
    getTextOption(call, 'continue') !== undefined &&
    getTextOption(call, 'output') !== undefined
  ) {
    const hint = 'Remove it: the runs are saved in the folder of --continue'
    throw createNoEffectError('output', '--continue', hint)
  }
  return {
    model: getTextOption(call, 'model') ?? config.evals.model,
    judgeModel: getTextOption(call, 'judgeModel'),
    limits: {
      maxCostUsd: readNumberOption(call, {
        name: 'maxCostUsd',
        flag: '--max-cost-usd',
        example: '2.50',
      }),
      maxTokens: readNumberOption(call, {
        name: 'maxTokens',
        flag: '--max-tokens',
        example: '200000',
      }),
      prices: readPrices(call),
    },
    runs: readRuns(call),
    arms: arm === 'both' ? ARMS : [arm === 'with' ? 'with_skill' : 'without_skill'],
    caseGlob: getTextOption(call, 'case'),
    threshold: readThreshold(call),
    output: getTextOption(call, 'output'),
    continued: getTextOption(call, 'continue'),
    regrade,
    mayJudge,
  }
}

/** A number above 0, such as a ceiling. */
export function readNumberOption(
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

function readPrices(call: CommandLine): TokenPrices | undefined {
  const text = getTextOption(call, 'prices')
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
