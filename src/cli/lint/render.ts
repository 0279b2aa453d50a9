import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { LintResult } from '../../core/lint/lint.ts'
import { createUnifiedDiff } from '../../util/unified-diff.ts'
import { type CommandLine, getFlagOption, getTextOption } from '../command.ts'
import type { Context } from '../context.ts'
import { createPainter } from '../painter.ts'
import type { LintReportRequest } from '../lint-request.ts'
import { VERSION } from '../version.ts'
import type { Finding } from '../../core/lint/finding.ts'

/** A result, and how it is rendered. */
export interface RenderedLint {
  request: LintReportRequest
  result: LintResult
  /** Returns the text of a printed path; by default that of the file. */
  readSource?: ((path: string) => string | undefined) | undefined
}

/** Renders the report, the diff or the statistics that a command line asks for. */
export async function renderLintOutput(
  context: Context,
  call: CommandLine,
  rendered: RenderedLint,
): Promise<string> {
  const { request, result } = rendered
  if (request.format === 'json') {
    if (getFlagOption(call, 'statistics')) return endLine(renderStatisticsDocument(result))
    return endLine(await renderReport(context, call, rendered))
  }
  if (request.preview) return endLine(await renderDiff(result))
  if (request.options.overlay && request.options.fix) {
    context.note((await renderReport(context, call, rendered)).trimEnd())
    return getFixedText(request, result)
  }
  if (getFlagOption(call, 'statistics')) return endLine(renderStatistics(result))
  return endLine(await renderReport(context, call, rendered))
}

function endLine(text: string): string {
  return text === '' ? '' : `${text}\n`
}

/** The fixed text of standard input, byte for byte. */
function getFixedText(
  { options: { overlay, cwd } }: LintReportRequest,
  { changes }: LintResult,
): string {
  const file = overlay && resolve(overlay.dir, overlay.path)
  return changes.find((each) => resolve(cwd, each.path) === file)?.after ?? overlay?.text ?? ''
}

async function renderReport(
  context: Context,
  call: CommandLine,
  { request, result, readSource }: RenderedLint,
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
      readSource: createSourceReader(context, { request, result, readSource, maskSource }),
    }) ?? ''
  )
}

/** Findings are grouped by file, so only the last text is cached. */
export function createSourceReader(
  context: Context,
  {
    request,
    result,
    maskSource,
    readSource,
  }: RenderedLint & { maskSource: (path: string, text: string) => string },
) {
  const { overlay } = request.options
  let last: { path: string; text: string | undefined } | undefined
  return (path: string): string | undefined => {
    if (last?.path !== path) {
      const file = resolve(context.cwd, path)
      const isOverlay = overlay && file === resolve(overlay.dir, overlay.path)
      const read = readSource ?? (() => readOptionalFile(file))
      const text = isOverlay ? getFixedText(request, result) : read(path)
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

interface RuleCount {
  rule: string
  severity: Finding['severity']
  count: number
}

/** Counts findings by rule and severity, most frequent first. */
function countByRule(findings: readonly Finding[]): RuleCount[] {
  const counts = new Map<string, RuleCount>()
  for (const { rule, severity } of findings) {
    const key = `${rule} ${severity}`
    const counted = counts.get(key)
    if (counted) counted.count += 1
    else counts.set(key, { rule, severity, count: 1 })
  }
  return [...counts.values()].sort((a, b) => b.count - a.count || (a.rule < b.rule ? -1 : 1))
}
