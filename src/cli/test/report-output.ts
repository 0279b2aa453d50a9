import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname, sep } from 'node:path'
import type { CaseReport, TestReport } from '../../testing/report/test-report.ts'
import type { TestReporter, TestReporterOptions } from '../../testing/report/test-reporter.ts'
import { SkillsError } from '../../errors.ts'
import type { Context } from '../context.ts'
import type { ReporterChoice } from './read-test-options.ts'
import { createPainter } from '../painter.ts'

/** Width of reports in files. */
const FILE_COLUMNS = 100

/** Writes a report with all chosen reporters. */
export interface ReportOutput {
  addCase(report: CaseReport): void
  finish(report: TestReport): void
}

interface OpenReport {
  reporter: TestReporter
  options: TestReporterOptions
  write: (text: string) => void
  close: () => void
}

/**
 * Opens the files of reporters before the first case runs. A file in the folder of a tested skill is written at the
 * end: a skill that changes while a run starts is refused.
 */
export function openReportOutput(
  context: Context,
  choices: readonly ReporterChoice[],
  skillDirs: readonly string[],
): ReportOutput {
  const open = choices.map((choice) => openReport(context, choice, skillDirs))
  return {
    addCase(report) {
      for (const { reporter, options, write } of open) {
        write(reporter.describeCase?.(report, options) ?? '')
      }
    },
    finish(report) {
      for (const { reporter, options, write, close } of open) {
        write(reporter.describeEnd(report, options))
        close()
      }
    },
  }
}

function openReport(
  context: Context,
  { reporter, file }: ReporterChoice,
  skillDirs: readonly string[],
): OpenReport {
  if (file === undefined) {
    const options = { columns: context.columns, paint: createPainter(context) }
    const write = (text: string) => void (text !== '' && context.stdout.write(text))
    return { reporter, options, write, close: () => {} }
  }
  const options = { columns: FILE_COLUMNS, paint: (_: string, text: string) => text }
  const descriptor = openReportFile(file)
  const isDeferred = skillDirs.some((dir) => file.startsWith(dir + sep))
  let waiting = ''
  return {
    reporter,
    options,
    write: (text) => {
      if (isDeferred) waiting += text
      else if (text !== '') writeSync(descriptor, text)
    },
    close: () => {
      if (waiting !== '') writeSync(descriptor, waiting)
      closeSync(descriptor)
    },
  }
}

function openReportFile(file: string): number {
  try {
    mkdirSync(dirname(file), { recursive: true })
    return openSync(file, 'w')
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new SkillsError('store/unavailable', `Cannot write the report to "${file}" (${reason})`, {
      hint: 'Choose another file after --reporter <name>=',
      cause,
    })
  }
}
