import { randomUUID } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { SkillComparison } from '../../core/comparing/compare-skills.ts'
import { SkillsError } from '../../errors.ts'
import { findNearest } from '../../util/find-nearest.ts'
import { toPrintable } from '../../util/printable.ts'
import { getListOption, type CommandLine } from '../command.ts'
import { resolveColorLevel, type Context } from '../context.ts'
import { VERSION } from '../version.ts'
import type { DiffReporter, DiffReportOptions } from './diff-reporter.ts'
import { jsonReporter } from './json-report.ts'
import { markdownReporter } from './markdown-report.ts'
import { sarifReporter } from './sarif-report.ts'
import { textReporter } from './text-report.ts'

const DIFF_REPORTERS: readonly DiffReporter[] = [
  textReporter,
  jsonReporter,
  sarifReporter,
  markdownReporter,
]

interface DiffReporterChoice {
  reporter: DiffReporter
  /** Undefined for standard output. */
  file: string | undefined
}

/** Reads `--format`: names, each with an optional file; at most one writes to standard output. */
export function readDiffFormats(context: Context, call: CommandLine): DiffReporterChoice[] {
  const words = getListOption(call, 'format')
  if (context.global.json) {
    if (words.length === 0) return [{ reporter: jsonReporter, file: undefined }]
    throw new SkillsError('usage/invalid', 'Expected --json or --format, got both', {
      hint: 'Remove --json; --format json prints the same document',
    })
  }
  const choices = words.map((word) => readFormat(context, word))
  const printed = choices.filter(({ file }) => file === undefined)
  if (printed.length > 1) {
    const name = printed[1]?.reporter.name ?? ''
    throw new SkillsError('usage/invalid', 'Two reports cannot both be printed', {
      hint: `Give one of them a file: --format ${name}=report.txt`,
    })
  }
  return choices.length === 0 ? [{ reporter: textReporter, file: undefined }] : choices
}

function readFormat({ cwd }: Context, word: string): DiffReporterChoice {
  const [name = '', ...rest] = word.split('=')
  const file = rest.length === 0 ? undefined : rest.join('=')
  const names = DIFF_REPORTERS.map((each) => each.name)
  const reporter = DIFF_REPORTERS.find((each) => each.name === name)
  if (!reporter) {
    const guess = findNearest(name, names)
    throw new SkillsError('usage/invalid', `There is no format "${toPrintable(name)}"`, {
      hint: guess ? `Did you mean "${guess}"?` : `The formats are ${names.join(', ')}`,
    })
  }
  if (file === '') {
    throw new SkillsError('usage/invalid', `--format ${name}= has no file`, {
      hint: `Write it as --format ${name}=report.txt`,
    })
  }
  return { reporter, file: file === undefined ? undefined : resolve(cwd, file) }
}

/** Prints or writes the report of each format. */
export function writeDiffReports(
  context: Context,
  comparison: SkillComparison,
  { choices, folder }: { choices: readonly DiffReporterChoice[]; folder: string },
): void {
  for (const { reporter, file } of choices) {
    const text = `${reporter.render(comparison, createReportOptions(context, folder, file))}\n`
    if (file === undefined) context.stdout.write(text)
    else replaceFile(file, text)
  }
}

function createReportOptions(
  context: Context,
  folder: string,
  file: string | undefined,
): DiffReportOptions {
  const hasColors =
    file === undefined && resolveColorLevel(context, context.global, context.stdout) > 0
  const plain = ((text: string) => text) as unknown as Context['style']
  const noStyle: Context['style'] = new Proxy(plain, { get: () => noStyle })
  const columns = file === undefined && context.stdout.isTTY === true ? context.columns : Infinity
  return {
    style: hasColors ? context.style : noStyle,
    hasColors,
    columns,
    folder,
    version: VERSION,
  }
}

/** A reader never sees half of a report. */
function replaceFile(file: string, text: string): void {
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    writeFileSync(temporary, text, { flag: 'wx' })
    renameSync(temporary, file)
  } catch (cause) {
    rmSync(temporary, { force: true })
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new SkillsError(
      'store/unavailable',
      `Cannot write the report to "${toPrintable(file)}" (${reason})`,
      {
        hint: 'Choose a path in an existing folder after --format <name>=',
        cause,
      },
    )
  }
}
