import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { LineIndex, type TextPosition } from '../../../util/line-index.ts'
import type { Finding, SuppressedFinding } from '../finding.ts'
import type { LintEdit, Rule, Severity } from '../rule.ts'
import { RULES } from '../rules/index.ts'
import type { LintResult } from '../lint.ts'
import type { Reporter, ReporterOptions } from './reporter.ts'

const LEVELS: Record<Severity, string> = { error: 'error', warning: 'warning', info: 'note' }
/** GitHub rejects a run with more results. */
const MAX_RESULTS = 25_000

export const sarifReporter: Reporter = {
  name: 'sarif',
  summary: 'SARIF 2.1.0, for code scanning',
  showsSource: true,
  render(result, { version, readSource }) {
    return renderSarif(result, {
      version,
      readSource,
      folder: 'The folder in which skills lint was run',
      rules: RULES.map((rule) => ({ ...rule, helpUri: getManualUrl(version) })),
    })
  },
}

/** A kind of result, as SARIF describes it. */
type SarifRule = Pick<Rule, 'what' | 'why' | 'fix' | 'severity'> & { id: string; helpUri: string }

interface SarifContents extends Pick<LintResult, 'findings' | 'suppressed' | 'failures'> {
  /** Sentences about the whole run. */
  notices?: readonly string[]
}

interface SarifOptions extends Pick<ReporterOptions, 'version' | 'readSource'> {
  rules: readonly SarifRule[]
  /** Description of the folder that locations are relative to. */
  folder: string
}

/** A SARIF log with one run. */
export function renderSarif(
  { findings, suppressed, failures, notices: remarks = [] }: SarifContents,
  { version, readSource, rules, folder }: SarifOptions,
): string {
  const indexes = new Map(rules.map(({ id }, index) => [id, index]))
  const context: SarifContext = { seen: new Map(), texts: new Map(), readSource, indexes }
  const results = [
    ...findings.map((each) => toSarifResult(each, context)),
    ...suppressed.map((each) => ({
      ...toSarifResult(each.finding, context),
      suppressions: [toSarifSuppression(each)],
    })),
  ].slice(0, MAX_RESULTS)
  const cut = findings.length + suppressed.length - results.length
  const notices = [
    ...failures.map((each) => ({ level: 'error', message: { text: each.message } })),
    ...remarks.map((text) => ({ level: 'note', message: { text } })),
    ...(cut > 0
      ? [{ level: 'warning', message: { text: `${cut} more results were left out` } }]
      : []),
  ]
  const run = {
    tool: {
      driver: {
        name: 'skills',
        semanticVersion: version,
        version,
        informationUri: 'https://www.npmjs.com/package/skills-protocol',
        rules: rules.map(toSarifRule),
      },
    },
    columnKind: 'utf16CodeUnits',
    originalUriBaseIds: { ROOT: { description: { text: folder } } },
    invocations: [
      { executionSuccessful: failures.length === 0, toolExecutionNotifications: notices },
    ],
    results,
  }
  return JSON.stringify(
    { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] },
    null,
    2,
  )
}

function toSarifRule({ id, what, why, fix, severity, helpUri }: SarifRule) {
  return {
    id,
    name: id.replace(/(?:^|[/-])([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: what },
    fullDescription: { text: `${what}. ${why}` },
    help: { text: fix },
    helpUri,
    defaultConfiguration: { level: LEVELS[severity] },
    properties: { tags: [id.split('/')[0]] },
  }
}

/** The published package has the manual, but not the reference with one page per rule. */
function getManualUrl(version: string): string {
  return `https://unpkg.com/skills-protocol@${version}/docs/linting.md#rules`
}

interface SarifContext {
  /** Number of results so far by rule, path and message. */
  seen: Map<string, number>
  texts: Map<string, LineIndex | undefined>
  /** Positions of the rules. */
  indexes: ReadonlyMap<string, number>
  readSource: (path: string) => string | undefined
}

function toSarifResult(finding: Finding, context: SarifContext) {
  const { rule, severity, path, start, end, message, help, related } = finding
  const fix = toSarifFix(finding, context)
  return {
    ruleId: rule,
    ruleIndex: context.indexes.get(rule) ?? -1,
    level: LEVELS[severity],
    message: { text: help ? `${message}. ${help}` : message },
    locations: [toSarifLocation(path, start, end)],
    ...(related.length > 0
      ? {
          relatedLocations: related.map((each, id) => ({
            id,
            message: { text: each.message },
            ...toSarifLocation(each.path, each.start),
          })),
        }
      : {}),
    partialFingerprints: { 'skillsFinding/v1': computeFingerprint(finding, context.seen) },
    ...(fix ? { fixes: [fix] } : {}),
  }
}

function toSarifSuppression({ kind, reason }: SuppressedFinding) {
  return { kind, status: 'accepted', ...(reason ? { justification: reason } : {}) }
}

/** Replacements of a fix; SARIF has none that delete a file or change its permission bits. */
function toSarifFix(finding: Finding, context: SarifContext) {
  const changes = new Map<string, object[]>()
  for (const edit of finding.edits) {
    const path = toPrintedPath(finding, edit.file)
    const replacement = toSarifReplacement(edit, loadLines(context, path))
    if (!replacement) return undefined
    changes.set(path, [...(changes.get(path) ?? []), replacement])
  }
  if (changes.size === 0) return undefined
  const scope = finding.fix === 'safe' ? 'keeps the meaning' : 'may change the meaning'
  return {
    description: { text: `${finding.help ?? finding.message} (${scope})` },
    artifactChanges: [...changes].map(([path, replacements]) => ({
      artifactLocation: toArtifactLocation(path),
      replacements,
    })),
  }
}

function toSarifReplacement(edit: LintEdit, lines: LineIndex | undefined) {
  if (edit.kind === 'create') {
    const region = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 }
    return { deletedRegion: region, insertedContent: { text: edit.text } }
  }
  if (edit.kind !== 'replace' || !lines) return undefined
  const { start, end } = edit.span
  return {
    deletedRegion: toSarifRegion(lines.positionAt(start), lines.positionAt(end)),
    insertedContent: { text: edit.text },
  }
}

function loadLines({ texts, readSource }: SarifContext, path: string): LineIndex | undefined {
  if (!texts.has(path)) {
    const text = readSource(path)
    texts.set(path, text === undefined ? undefined : new LineIndex(text))
  }
  return texts.get(path)
}

/** Printed path of another file in the skill of a finding. */
function toPrintedPath({ path, file }: Finding, other: string): string {
  const base = file === '.' || file === '' ? `${path}/` : path.slice(0, path.length - file.length)
  return posix.normalize(`${base}${other}`)
}

/** Stable when lines move; equal findings in a file are distinguished by their order. */
function computeFingerprint({ rule, path, message }: Finding, seen: Map<string, number>): string {
  const key = `${rule}\0${path}\0${message}`
  const occurrence = (seen.get(key) ?? 0) + 1
  seen.set(key, occurrence)
  return createHash('sha256').update(`${key}\0${occurrence}`).digest('hex').slice(0, 32)
}

function toSarifLocation(path: string, start: TextPosition | undefined, end?: TextPosition) {
  return {
    physicalLocation: {
      artifactLocation: toArtifactLocation(path),
      ...(start ? { region: toSarifRegion(start, end) } : {}),
    },
  }
}

function toArtifactLocation(path: string) {
  return { uri: path.split('/').map(encodeURIComponent).join('/'), uriBaseId: 'ROOT' }
}

/** End columns are exclusive, in SARIF and in lint. */
function toSarifRegion(start: TextPosition, end: TextPosition | undefined) {
  return {
    startLine: start.line,
    startColumn: start.column,
    ...(end ? { endLine: end.line, endColumn: end.column } : {}),
  }
}
