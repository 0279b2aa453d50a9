import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { TEST_REPORTERS } from '../../testing/report/index.ts'
import type { TestReporter } from '../../testing/report/test-reporter.ts'
import type { CaseSelection } from '../../testing/running/select-cases.ts'
import { SkillsError } from '../../errors.ts'
import { getFlagOption, getListOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { isContinuousIntegration } from './snapshot-report.ts'
import { readCountOption } from '../store/count-option.ts'

/** A reporter, and the file for its output; undefined for standard output. */
export interface ReporterChoice {
  reporter: TestReporter
  file: string | undefined
}

/** Options of `skills test`. */
export interface TestOptions {
  selection: CaseSelection
  reporters: readonly ReporterChoice[]
  jobs: number | undefined
  repeat: number
  retry: number
  failsOnFlaky: boolean
  shuffle: string | undefined
  bail: number | undefined
  keep: boolean
  /** True to run the examples of SKILL.md as well. */
  docs: boolean
  /** True to record cassettes. */
  record: boolean
}

export function readTestOptions(context: Context, call: CommandLine): TestOptions {
  const bail = call.options['bail']
  const jobs = readCountOption(call, 'jobs', 0)
  return {
    selection: {
      filters: getListOption(call, 'filter'),
      tags: getListOption(call, 'tag'),
      shard: readShard(getTextOption(call, 'shard')),
    },
    reporters: readReporters(context, call),
    jobs: jobs === 0 ? undefined : jobs,
    repeat: readCountOption(call, 'repeat', 1),
    retry: readCountOption(call, 'retry', 0),
    failsOnFlaky: getFlagOption(call, 'failOnFlaky'),
    shuffle: readSeed(call.options['shuffle']),
    bail: bail === undefined ? undefined : bail === true ? 1 : readCountOption(call, 'bail', 1),
    keep: getFlagOption(call, 'keep'),
    docs: getFlagOption(call, 'docs'),
    record: readRecordFlag(context, call),
  }
}

function readRecordFlag(context: Context, call: CommandLine): boolean {
  if (!getFlagOption(call, 'record')) return false
  if (isContinuousIntegration(context)) {
    const message = 'Cassettes are not recorded in CI: the variable CI is set'
    const hint = 'Record them on your machine, review them and commit them'
    throw new SkillsError('usage/invalid', message, { hint })
  }
  if (!getFlagOption(call, 'watch')) return true
  throw new SkillsError('usage/invalid', 'Expected --record or --watch, got both', {
    hint: 'Remove --watch: cassettes are recorded once',
  })
}

/** Without a value, a random seed is chosen, which the command prints. */
function readSeed(value: CommandLine['options'][string]): string | undefined {
  if (value === undefined) return undefined
  return typeof value === 'string' ? value : randomBytes(4).toString('hex')
}

function readShard(text: string | undefined): CaseSelection['shard'] {
  if (text === undefined) return undefined
  const [, index = 0, count = 0] = /^(\d{1,6})\/(\d{1,6})$/.exec(text)?.map(Number) ?? []
  if (index >= 1 && index <= count) return { index, count }
  throw new SkillsError('usage/invalid', `Expected --shard index/count, got "${text}"`, {
    hint: 'Write it as --shard 1/4',
  })
}

/** Reads the reporters; at most one writes to standard output. */
export function readReporters(context: Context, call: CommandLine): ReporterChoice[] {
  const words = getListOption(call, 'reporter')
  if (context.global.json && words.length > 0) {
    throw new SkillsError('usage/invalid', 'Expected --json or --reporter, got both', {
      hint: 'Remove --json; --reporter json prints one document, too',
    })
  }
  const standard = context.global.json ? 'json' : 'pretty'
  const choices = (words.length === 0 ? [standard] : words).map((word) => {
    const [, name = '', file] = /^([^=]*)(?:=(.*))?$/s.exec(word) ?? []
    const reporter = TEST_REPORTERS.find((each) => each.name === name)
    if (!reporter) throw unknownReporterError(name)
    if (file === '') throw missingFileError(name)
    return { reporter, file: file === undefined ? undefined : resolve(context.cwd, file) }
  })
  const [, second] = choices.filter(({ file }) => file === undefined)
  if (!second) return choices
  const message = 'Two reporters cannot both write to standard output'
  const hint = `Give one of them a file: --reporter ${second.reporter.name}=report.txt`
  throw new SkillsError('usage/invalid', message, { hint })
}

function unknownReporterError(name: string): SkillsError {
  const names = TEST_REPORTERS.map((each) => each.name).join(', ')
  return new SkillsError('usage/invalid', `There is no reporter "${name}"`, {
    hint: `The reporters are ${names}`,
  })
}

function missingFileError(name: string): SkillsError {
  return new SkillsError('usage/invalid', `Expected a file after "${name}="`, {
    hint: `Write it as --reporter ${name}=report.txt`,
  })
}
