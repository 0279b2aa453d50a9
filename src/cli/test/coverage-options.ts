import { writeFileSync } from 'node:fs'
import { resolve, join, relative } from 'node:path'
import { CoverageCollector } from '../../testing/coverage/coverage-collector.ts'
import {
  countAllLines,
  countSurface,
  toPercent,
  type SkillCoverage,
  countLines,
} from '../../testing/coverage/coverage-report.ts'
import { SkillsError } from '../../errors.ts'
import { getFlagOption, getListOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { formatCobertura } from '../../testing/coverage/format-cobertura.ts'
import { formatCoverageHtml } from '../../testing/coverage/format-html.ts'
import { formatCoverageText } from '../../testing/coverage/format-text.ts'

type CoverageKind = 'lines' | 'interface'

export interface CoverageOptions {
  collector: CoverageCollector
  reports: readonly { format: CoverageFormat; file: string }[]
  thresholds: readonly { kind: CoverageKind; percent: number }[]
}

/** Reads the options; undefined without coverage. */
export function readCoverageOptions(
  context: Context,
  call: CommandLine,
): CoverageOptions | undefined {
  const reports = getListOption(call, 'coverageReport').map((text) => readReport(context, text))
  const thresholds = getListOption(call, 'threshold').flatMap(readThreshold)
  const isOn = getFlagOption(call, 'coverage') || reports.length + thresholds.length > 0
  return isOn ? { collector: new CoverageCollector(), reports, thresholds } : undefined
}

function readReport({ cwd }: Context, text: string): CoverageOptions['reports'][number] {
  const [, name = '', file = ''] = /^([a-z]+)=(.+)$/s.exec(text) ?? []
  const format = COVERAGE_FORMATS.find((each) => each.name === name)
  if (format) return { format, file: resolve(cwd, file) }
  const names = COVERAGE_FORMATS.map((each) => each.name).join(', ')
  throw new SkillsError('usage/invalid', `Expected --coverage-report name=file, got "${text}"`, {
    hint: `The names are ${names}, such as --coverage-report lcov=coverage.lcov`,
  })
}

function readThreshold(text: string): CoverageOptions['thresholds'] {
  const [, kind, digits = ''] = /^(?:(lines|interface)=)?(\d{1,3}(?:\.\d)?)$/.exec(text) ?? []
  const percent = Number(digits)
  if (digits === '' || percent > 100) {
    throw new SkillsError(
      'usage/invalid',
      `Expected a percentage after --threshold, got "${text}"`,
      {
        hint: 'Write it as --threshold 80, --threshold lines=80 or --threshold interface=100',
      },
    )
  }
  const kinds: CoverageKind[] = kind === undefined ? ['lines', 'interface'] : [kind as CoverageKind]
  return kinds.map((each) => ({ kind: each, percent }))
}

/** Only a sandbox has the folders in which runs leave their coverage. */
export function checkCoverageBackend(coverage: CoverageOptions | undefined, backend: string): void {
  if (!coverage || backend !== 'process') return
  throw new SkillsError('usage/invalid', 'Coverage needs a sandbox, got the backend "process"', {
    hint: 'Remove run.backend from the configuration, or run without --coverage',
  })
}

/**
 * Writes the reports; the table goes to standard error, next to the report of the cases. Returns false
 * below a threshold.
 */
export async function finishCoverage(
  context: Context,
  options: CoverageOptions | undefined,
): Promise<boolean> {
  if (!options) return true
  const { collector, reports, thresholds } = options
  const skills = await collector.finish()
  const { cwd } = context
  const [text] = COVERAGE_FORMATS
  if (text) context.note(`\n${text.format(skills, { cwd })}`.trimEnd())
  for (const { format, file } of reports) writeFileSync(file, format.format(skills, { cwd }))
  const actual: Record<CoverageKind, number> = {
    lines: toPercent(countAllLines(skills)),
    interface: toPercent(countSurface(skills)),
  }
  const failed = thresholds.filter(({ kind, percent }) => actual[kind] < percent)
  for (const { kind, percent } of failed) {
    const message = `The coverage of ${kind} is ${actual[kind]} %, expected at least ${percent} %`
    context.stderr.write(`${context.errorStyle.red('error')} ${message}\n`)
  }
  return failed.length === 0
}

/** A format of coverage reports. It returns text and writes nothing. */
interface CoverageFormat {
  name: string
  format(skills: readonly SkillCoverage[], options: { cwd: string }): string
}

const COVERAGE_FORMATS: readonly CoverageFormat[] = [
  { name: 'text', format: formatCoverageText },
  { name: 'lcov', format: formatLcov },
  { name: 'cobertura', format: formatCobertura },
  { name: 'html', format: formatCoverageHtml },
]

/** The format of lcov, which editors and coverage services read. The interface has no place in it. */
function formatLcov(skills: readonly SkillCoverage[], { cwd }: { cwd: string }): string {
  return skills
    .flatMap(({ folder, files, skill }) =>
      files.map((file) => {
        const { covered, total } = countLines(file)
        const lines = [...file.lines].sort(([a], [b]) => a - b)
        return [
          `TN:${skill}`,
          `SF:${removeLineBreaks(relative(cwd, join(folder, file.path)))}`,
          ...lines.map(([line, count]) => `DA:${line},${count}`),
          `LF:${total}`,
          `LH:${covered}`,
          'end_of_record\n',
        ].join('\n')
      }),
    )
    .join('')
}

/** A file name with a line break would add records. */
function removeLineBreaks(path: string): string {
  return path.replaceAll(/[\r\n]/g, '_')
}
