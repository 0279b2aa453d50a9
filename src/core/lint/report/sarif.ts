import { createHash } from 'node:crypto'
import type { TextPosition } from '../../../util/line-index.ts'
import type { Finding } from '../finding.ts'
import type { Rule, Severity } from '../rule.ts'
import { RULES } from '../rules/index.ts'
import type { Reporter } from './reporter.ts'

const LEVELS: Record<Severity, string> = { error: 'error', warning: 'warning', info: 'note' }
/** GitHub rejects a run with more results. */
const MAX_RESULTS = 25_000

export const sarifReporter: Reporter = {
  name: 'sarif',
  summary: 'SARIF 2.1.0, for code scanning',
  render({ findings, failures }, { version }) {
    const seen = new Map<string, number>()
    const results = findings.slice(0, MAX_RESULTS).map((each) => toSarifResult(each, seen))
    const cut = findings.length - results.length
    const notices = [
      ...failures.map((each) => ({ level: 'error', message: { text: each.message } })),
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
          rules: RULES.map(toSarifRule),
        },
      },
      columnKind: 'utf16CodeUnits',
      originalUriBaseIds: {
        ROOT: { description: { text: 'The folder in which skills lint was run' } },
      },
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
  },
}

function toSarifRule({ id, what, why, fix, severity }: Rule) {
  return {
    id,
    name: id.replace(/(?:^|[/-])([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: what },
    fullDescription: { text: `${what}. ${why}` },
    help: { text: fix },
    defaultConfiguration: { level: LEVELS[severity] },
    properties: { tags: [id.split('/')[0]] },
  }
}

function toSarifResult(finding: Finding, seen: Map<string, number>) {
  const { rule, severity, path, start, end, message, help, related } = finding
  return {
    ruleId: rule,
    ruleIndex: RULES.findIndex((each) => each.id === rule),
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
    partialFingerprints: { 'skillsFinding/v1': computeFingerprint(finding, seen) },
  }
}

/** Stable when lines move; equal findings in a file are distinguished by their order. */
function computeFingerprint({ rule, path, message }: Finding, seen: Map<string, number>): string {
  const key = `${rule}\0${path}\0${message}`
  const occurrence = (seen.get(key) ?? 0) + 1
  seen.set(key, occurrence)
  return createHash('sha256').update(`${key}\0${occurrence}`).digest('hex').slice(0, 32)
}

function toSarifLocation(path: string, start: TextPosition | undefined, end?: TextPosition) {
  const uri = path.split('/').map(encodeURIComponent).join('/')
  const region = start && {
    startLine: start.line,
    startColumn: start.column,
    ...(end ? { endLine: end.line, endColumn: end.column } : {}),
  }
  return {
    physicalLocation: {
      artifactLocation: { uri, uriBaseId: 'ROOT' },
      ...(region ? { region } : {}),
    },
  }
}
