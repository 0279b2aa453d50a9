import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { countByRule } from '../../core/lint/count-by-rule.ts'
import type { LintResult } from '../../core/lint/lint.ts'
import { createUnifiedDiff } from '../../util/unified-diff.ts'
import {
  type CommandLine,
  type CommandDefinition,
  getFlagOption,
  getTextOption,
} from '../command.ts'
import { resolveColorLevel, type Context } from '../context.ts'
import { buildLintRequest, type LintRequest, REPORT_NAMES } from '../lint-request.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import { reportLintFailures } from '../ui/lint-failures.ts'
import { formatCount as counted } from '../ui/text.ts'
import { VERSION } from '../version.ts'

export const command: CommandDefinition = {
  summary: 'Check skills and fix findings',
  details: [
    'Check skills and fix findings.',
    '',
    '- Paths are skills, folders of skills, or files in skills. Without paths,',
    '  the skills of the project are checked.',
    '- Columns count UTF-16 units.',
    '- --quiet shows errors only.',
  ].join('\n'),
  arguments: [
    {
      syntax: '[path...]',
      description: 'Skills, folders of skills, or files in skills (default: the project)',
    },
  ],
  options: [
    { flags: '--fix', description: 'Apply fixes that keep the meaning' },
    { flags: '--fix-unsafe', description: 'Also apply fixes that may change the meaning' },
    { flags: '--diff', description: 'Show the changes of the fixes without writing them' },
    { flags: '--format <name>', description: 'Select the report format', choices: REPORT_NAMES },
    { flags: '--output-file <file>', description: 'Write the report to this file' },
    {
      flags: '--rule <id=level>',
      description: 'Set a rule or an area to error, warning, info or off (repeatable)',
      isRepeatable: true,
    },
    {
      flags: '--select <rules>',
      description: 'Run only these rules or areas (comma-separated, repeatable)',
      isRepeatable: true,
    },
    {
      flags: '--ignore <rules>',
      description: 'Skip these rules or areas (comma-separated, repeatable)',
      isRepeatable: true,
    },
    { flags: '--max-warnings <n>', description: 'Accept up to this many warnings' },
    {
      flags: '--skip-outside',
      description: 'Skip paths outside skills, for commit hooks',
    },
    {
      flags: '--deleted',
      description: 'Also check the skills from which the commit in preparation deletes files',
    },
    { flags: '--statistics', description: 'Print counts by rule instead of findings' },
    { flags: '--stdin', description: 'Check the text on standard input instead of a file' },
    { flags: '--stdin-filename <file>', description: 'Use this file name for --stdin' },
    { flags: '--explain <rule>', description: 'Explain a rule: what it checks, why, and the fix' },
  ],
  examples: [
    { command: 'skills lint', explains: 'Check every skill of this project' },
    {
      command: 'skills lint skills/greet --fix',
      explains: 'Check one skill and apply safe fixes',
    },
    {
      command: 'skills lint --format sarif --output-file lint.sarif',
      explains: 'Write a report for code scanning',
    },
    { command: 'skills lint --explain naming/invalid-name', explains: 'Explain a rule' },
  ],
  async run(context, call) {
    const rule = getTextOption(call, 'explain')
    if (rule !== undefined) {
      const { explainRule } = await import('../ui/rule-page.ts')
      return explainRule(context, rule)
    }
    const request = await buildLintRequest(context, call)
    const { lintSkills } = await import('../../core/lint/lint.ts')
    const result = await lintSkills(request.options)
    const output = await renderLintOutput(context, call, {
      request,
      result: filterShownFindings(result, request),
    })
    const file = getTextOption(call, 'outputFile')
    if (file !== undefined) writeReport(resolve(context.cwd, file), output)
    else if (output !== '') context.stdout.write(await wrapReport(context, request, output))
    if (request.format !== 'json') {
      if (request.preview) noteUnfixed(context, call, result)
      reportLintFailures(context, result.failures)
    }
    return toLintExitCode(result, request)
  },
}

/** A terminal would break long lines within words. */
async function wrapReport(context: Context, request: LintRequest, output: string): Promise<string> {
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

function toLintExitCode(result: LintResult, { maxWarnings, preview }: LintRequest): number {
  if (result.failures.length > 0) return 3
  if (preview && result.changes.length > 0) return 1
  return result.errors > 0 || result.warnings > maxWarnings ? 1 : 0
}

/** Findings shown with --quiet; the counts are unchanged, since they set the exit code. */
function filterShownFindings(result: LintResult, { errorsOnly }: LintRequest): LintResult {
  if (!errorsOnly) return result
  return { ...result, findings: result.findings.filter((each) => each.severity === 'error') }
}

async function renderLintOutput(
  context: Context,
  call: CommandLine,
  { request, result }: { request: LintRequest; result: LintResult },
): Promise<string> {
  if (request.format === 'json') {
    if (getFlagOption(call, 'statistics')) return endLine(renderStatisticsDocument(result))
    return endLine(await renderReport(context, call, { request, result }))
  }
  if (request.preview) return endLine(await renderDiff(result))
  if (request.options.overlay && request.options.fix) {
    context.note((await renderReport(context, call, { request, result })).trimEnd())
    return getFixedText(request, result)
  }
  if (getFlagOption(call, 'statistics')) return endLine(renderStatistics(result))
  return endLine(await renderReport(context, call, { request, result }))
}

function endLine(text: string): string {
  return text === '' ? '' : `${text}\n`
}

/** The fixed text of standard input, byte for byte. */
function getFixedText({ options: { overlay, cwd } }: LintRequest, { changes }: LintResult): string {
  const file = overlay && resolve(overlay.dir, overlay.path)
  return changes.find((each) => resolve(cwd, each.path) === file)?.after ?? overlay?.text ?? ''
}

async function renderReport(
  context: Context,
  call: CommandLine,
  { request, result }: { request: LintRequest; result: LintResult },
): Promise<string> {
  const { REPORTERS } = await import('../../core/lint/report/index.ts')
  const { maskSource } = await import('../../core/lint/secrets/mask-secrets.ts')
  const reporter = REPORTERS.find((each) => each.name === request.format)
  const toFile = getTextOption(call, 'outputFile') !== undefined
  const paint = createPainter(context, toFile)
  return (
    reporter?.render(result, {
      cwd: context.cwd,
      columns: toFile ? 100 : context.columns,
      version: VERSION,
      paint,
      readSource: createSourceReader(context, { request, result, maskSource }),
    }) ?? ''
  )
}

function createPainter(context: Context, toFile: boolean) {
  const { style } = context
  const plain = toFile || resolveColorLevel(context, context.global, context.stdout) === 0
  const paints = {
    error: style.red,
    warning: style.yellow,
    info: style.cyan,
    dim: style.dim,
    bold: style.bold,
    underline: style.underline,
  }
  return (kind: keyof typeof paints, text: string) => (plain ? text : paints[kind](text))
}

/** Findings are grouped by file, so only the last text is cached. */
function createSourceReader(
  context: Context,
  {
    request,
    result,
    maskSource,
  }: {
    request: LintRequest
    result: LintResult
    maskSource: (path: string, text: string) => string
  },
) {
  const { overlay } = request.options
  let last: { path: string; text: string | undefined } | undefined
  return (path: string): string | undefined => {
    if (last?.path !== path) {
      const file = resolve(context.cwd, path)
      const isOverlay = overlay && file === resolve(overlay.dir, overlay.path)
      const text = isOverlay ? getFixedText(request, result) : readOptionalFile(file)
      last = { path, text: text === undefined ? text : maskSource(path, text) }
    }
    return last.text
  }
}

function readOptionalFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

async function renderDiff(result: LintResult): Promise<string> {
  const { maskChange } = await import('../../core/lint/secrets/mask-secrets.ts')
  const parts = result.changes.map((change) => {
    const { path, mode } = change
    const { before, after } = maskChange(change)
    const diff = createUnifiedDiff(path, before, after)
    if (mode === undefined) return diff
    const octal = mode.toString(8).padStart(4, '0')
    return [`mode of ${path}: ${octal}`, diff].filter(Boolean).join('\n')
  })
  return parts.filter(Boolean).join('\n')
}

function renderStatistics({ findings }: LintResult): string {
  return countByRule(findings)
    .map(
      ({ rule, severity, count }) => `${String(count).padStart(5)}  ${severity.padEnd(7)}  ${rule}`,
    )
    .join('\n')
}

function renderStatisticsDocument(result: LintResult): string {
  const { skills, errors, warnings, infos, failures } = result
  const summary = { skills, errors, warnings, infos }
  const rules = countByRule(result.findings)
  return JSON.stringify({ schema: 'skills.lint-statistics/v1', summary, rules, failures }, null, 2)
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
