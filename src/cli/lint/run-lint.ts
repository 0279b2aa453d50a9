import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { lintSkills, type LintResult } from '../../core/lint/lint.ts'
import { type CommandLine, getFlagOption, getTextOption } from '../command.ts'
import type { Context } from '../context.ts'
import type { LintReportRequest, LintRequest } from '../lint-request.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import { reportLintFailures } from '../ui/lint-failures.ts'
import { formatCount as counted } from '../ui/text.ts'
import { applyBaseline } from './baseline.ts'
import { renderLintOutput, type RenderedLint } from './render.ts'

/** Lints once and returns the report, without writing it to standard output. */
export async function runLint(
  context: Context,
  call: CommandLine,
  request: LintRequest,
): Promise<{ result: LintResult; output: string }> {
  const result = applyBaseline(context, request, await lintSkills(request.options))
  return { result, output: await reportLint(context, call, { request, result }) }
}

/** Writes the report to the file that the command line names, or returns it. */
export async function reportLint(
  context: Context,
  call: CommandLine,
  { request, result, readSource }: RenderedLint,
): Promise<string> {
  const shown = filterShownFindings(result, request)
  const rendered = await renderLintOutput(context, call, { request, result: shown, readSource })
  const file = getTextOption(call, 'outputFile')
  if (file === undefined) return await wrapReport(context, request, rendered)
  writeReport(resolve(context.cwd, file), rendered)
  return ''
}

/** Writes the notes that follow a report to standard error, and returns the exit code. */
export function concludeLint(
  context: Context,
  call: CommandLine,
  { request, result }: { request: LintReportRequest; result: LintResult },
): number {
  if (request.format !== 'json') {
    if (request.options.suppress) noteSuppressions(context, request, result)
    else if (request.preview) noteUnfixed(context, call, result)
    reportLintFailures(context, result.failures)
  }
  return toLintExitCode(result, request)
}

/** A terminal would break long lines within words. */
async function wrapReport(
  context: Context,
  request: LintReportRequest,
  output: string,
): Promise<string> {
  if (request.format !== 'pretty' || request.preview || context.stdout.isTTY !== true) return output
  const { wrapLines } = await import('../ui/text.ts')
  return wrapLines(output, context.columns)
}

/** A diff shows fixable findings only; the others also count for the exit status. */
function noteUnfixed(context: Context, call: CommandLine, result: LintResult): void {
  const { findings, fixableUnsafe } = result
  const unsafe = getFlagOption(call, 'fixUnsafe') ? 0 : fixableUnsafe
  const rest = findings.length - unsafe
  const named = getTextOption(call, 'stdinFilename')
  const pathArguments = named === undefined ? call.args : ['--stdin', '--stdin-filename', named]
  const paths = pathArguments.map((path) => ` ${quoteShellWord(path)}`).join('')
  if (unsafe > 0) {
    const more = `skills lint --diff --fix-unsafe${paths}`
    context.note(`${counted(unsafe, 'finding')} could change the meaning when fixed; type: ${more}`)
  }
  if (rest > 0) {
    const have = rest === 1 ? 'has' : 'have'
    context.note(
      `${counted(rest, 'finding')} ${have} no fix; to see them, type: skills lint${paths}`,
    )
  }
}

function noteSuppressions(
  context: Context,
  { preview }: LintReportRequest,
  { newlySuppressed, changes, findings }: LintResult,
): void {
  const verb = preview ? 'Would suppress' : 'Suppressed'
  const where = newlySuppressed > 0 ? ` by comments in ${counted(changes.length, 'file')}` : ''
  context.note(`${verb} ${counted(newlySuppressed, 'finding')}${where}`)
  if (findings.length > 0) {
    context.note(`${counted(findings.length, 'finding')} could not be suppressed by a comment`)
  }
}

function toLintExitCode(result: LintResult, { maxWarnings, preview }: LintReportRequest): number {
  if (result.failures.length > 0) return 3
  if (preview && result.changes.length > 0) return 1
  return result.errors > 0 || result.warnings > maxWarnings ? 1 : 0
}

/** Findings shown with --quiet; the counts are unchanged, since they set the exit code. */
function filterShownFindings(result: LintResult, { errorsOnly }: LintReportRequest): LintResult {
  if (!errorsOnly) return result
  return { ...result, findings: result.findings.filter((each) => each.severity === 'error') }
}

function writeReport(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new SkillsError(
      'lint/could-not-check',
      `Cannot write the report to "${file}" (${reason})`,
      {
        hint: 'Pass --output-file a path in an existing folder',
        cause,
      },
    )
  }
}
