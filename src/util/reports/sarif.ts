import { createHash } from 'node:crypto'
import type { TextPosition } from '../line-index.ts'
import type { ReportedFinding } from './finding.ts'

const LEVELS: Record<ReportedFinding['severity'], string> = {
  error: 'error',
  warning: 'warning',
  info: 'note',
}
/** GitHub rejects a run with more results. */
const MAX_RESULTS = 25_000

/** A kind of result, as SARIF describes it. */
interface SarifRule {
  id: string
  severity: ReportedFinding['severity']
  what: string
  why: string
  fix: string
}

/** Replacements that fix a finding, by the path of their file. */
export interface SarifFix {
  description: string
  changes: ReadonlyMap<string, readonly SarifReplacement[]>
}

export interface SarifReplacement {
  start: TextPosition
  end: TextPosition
  text: string
}

interface SarifContents<Item extends ReportedFinding> {
  findings: readonly Item[]
  suppressed?: readonly { finding: Item; kind: string; reason: string | undefined }[]
  /** Skills and files that could not be checked. */
  failures?: readonly { message: string }[]
  /** Sentences about the whole run. */
  notices?: readonly string[]
}

interface SarifOptions<Item extends ReportedFinding> {
  version: string
  rules: readonly SarifRule[]
  /** The page of the manual about the rules, such as `linting.md`. */
  manual: string
  /** Description of the folder that locations are relative to. */
  folder: string
  createFix?: (finding: Item) => SarifFix | undefined
}

/** A SARIF log with one run. */
export function renderSarif<Item extends ReportedFinding>(
  { findings, suppressed = [], failures = [], notices: remarks = [] }: SarifContents<Item>,
  { version, rules, manual, folder, createFix }: SarifOptions<Item>,
): string {
  const indexes = new Map(rules.map(({ id }, index) => [id, index]))
  const seen = new Map<string, number>()
  const toResult = (finding: Item) => {
    const fix = createFix?.(finding)
    return {
      ...toSarifResult(finding, indexes.get(finding.rule) ?? -1),
      partialFingerprints: { 'skillsFinding/v1': computeFingerprint(finding, seen) },
      ...(fix ? { fixes: [toSarifFix(fix)] } : {}),
    }
  }
  const results = [
    ...findings.map(toResult),
    ...suppressed.map(({ finding, kind, reason }) => ({
      ...toResult(finding),
      suppressions: [{ kind, status: 'accepted', ...(reason ? { justification: reason } : {}) }],
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
        // The published package has the manual, but not the reference with one page per rule.
        rules: rules.map((rule) =>
          toSarifRule(rule, `https://unpkg.com/skills-protocol@${version}/docs/${manual}`),
        ),
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

function toSarifRule({ id, what, why, fix, severity }: SarifRule, helpUri: string) {
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

function toSarifResult(finding: ReportedFinding, ruleIndex: number) {
  const { rule, severity, path, start, end, message, help, related = [] } = finding
  return {
    ruleId: rule,
    ruleIndex,
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
  }
}

function toSarifFix({ description, changes }: SarifFix) {
  return {
    description: { text: description },
    artifactChanges: [...changes].map(([path, replacements]) => ({
      artifactLocation: toArtifactLocation(path),
      replacements: replacements.map(({ start, end, text }) => ({
        deletedRegion: toSarifRegion(start, end),
        insertedContent: { text },
      })),
    })),
  }
}

/** Stable when lines move; equal findings in a file are distinguished by their order. */
function computeFingerprint(
  { rule, path, message }: ReportedFinding,
  seen: Map<string, number>,
): string {
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

/** End columns are exclusive. */
function toSarifRegion(start: TextPosition, end: TextPosition | undefined) {
  return {
    startLine: start.line,
    startColumn: start.column,
    ...(end ? { endLine: end.line, endColumn: end.column } : {}),
  }
}
