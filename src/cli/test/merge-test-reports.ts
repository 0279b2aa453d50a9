import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { mergeReports, parseJsonReport } from '../../testing/report/merge-reports.ts'
import { SkillsError } from '../../errors.ts'
import { getFlagOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { readReporters } from './read-test-options.ts'
import { openReportOutput } from './report-output.ts'
import { toTestExitCode } from './run-test-command.ts'

/** `skills test merge`: reports on the results of several shards. */
export async function mergeTestReports(context: Context, call: CommandLine): Promise<number> {
  const reports = call.args.map((path) => readReport(resolve(context.cwd, path), path))
  const report = mergeReports(reports)
  const output = openReportOutput(context, readReporters(context, call), [])
  for (const each of report.cases) output.addCase(each)
  output.finish(report)
  const failsOnFlaky = getFlagOption(call, 'failOnFlaky')
  return toTestExitCode(report, { options: { failsOnFlaky }, signal: context.signal })
}

function readReport(file: string, shown: string) {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new SkillsError('usage/invalid', `Cannot read "${shown}" (${reason})`, { cause })
  }
  const report = parseJsonReport(text)
  if (report) return report
  throw new SkillsError('usage/invalid', `"${shown}" is not a report of skills test`, {
    hint: 'Write one with: skills test --shard 1/2 --reporter json=report.json',
  })
}
