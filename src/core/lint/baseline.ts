import { createHash } from 'node:crypto'
import { SkillsError } from '../../errors.ts'
import { LineIndex } from '../../util/line-index.ts'
import type { Finding } from './finding.ts'

const SCHEMA = 'skills.lint-baseline/v1'

/** Equal findings of a file that are accepted. */
export interface BaselineEntry {
  /** Relative to the folder of the baseline file. */
  path: string
  rule: string
  /** Digest of the line, so that the entry stays valid when lines move. */
  fingerprint: string
  count: number
}

interface BaselineMatch {
  /** Findings that the baseline does not list. */
  remaining: Finding[]
  listed: Finding[]
  /** Entries with more findings than are present, with the number of missing ones. */
  stale: BaselineEntry[]
}

/** A finding with the key of its baseline entry. */
export interface KeyedFinding {
  finding: Finding
  entry: Omit<BaselineEntry, 'count'>
}

/** Computes the keys of findings. `toEntryPath` converts a printed path. */
export function keyFindings(
  findings: readonly Finding[],
  readSource: (path: string) => string | undefined,
  toEntryPath: (path: string) => string,
): KeyedFinding[] {
  let last: { path: string; lines: LineIndex } | undefined
  return findings.map((finding) => {
    const { path, rule, start } = finding
    if (start && last?.path !== path) last = { path, lines: new LineIndex(readSource(path) ?? '') }
    const line = start && last ? last.lines.getLine(start.line) : undefined
    const fingerprint = createFingerprint(finding, line)
    return { finding, entry: { path: toEntryPath(path), rule, fingerprint } }
  })
}

/** Rules whose lines contain secrets, of which not even a digest is stored. */
const SECRET_RULES = ['permissions/secret-literal', 'hygiene/credential-file']

/**
 * Digest of the line without blanks around it. Strings that may be secrets are masked, because a
 * short secret can be guessed from its digest. A finding about a whole file has the digest of its
 * message without numbers, such as sizes.
 */
function createFingerprint({ rule, message }: Finding, line: string | undefined): string {
  const masked =
    line === undefined
      ? message.replace(/\d+/g, '#')
      : SECRET_RULES.includes(rule)
        ? ''
        : line
            .trim()
            .replace(/\s+/g, ' ')
            .replace(/[\w+/=.~-]{8,}/g, maskToken)
  return createHash('sha256').update(masked).digest('hex').slice(0, 16)
}

function maskToken(token: string): string {
  return /\d/.test(token) && /[A-Za-z]/.test(token) ? '*' : token
}

/** Splits findings into those that entries list and the others. */
export function matchBaseline(
  findings: readonly KeyedFinding[],
  entries: readonly BaselineEntry[],
): BaselineMatch {
  const counts = new Map(entries.map((entry) => [createEntryKey(entry), entry.count]))
  const match: BaselineMatch = { remaining: [], listed: [], stale: [] }
  for (const { finding, entry } of findings) {
    const key = createEntryKey(entry)
    const count = counts.get(key) ?? 0
    if (count > 0) counts.set(key, count - 1)
    match[count > 0 ? 'listed' : 'remaining'].push(finding)
  }
  for (const entry of entries) {
    const count = counts.get(createEntryKey(entry)) ?? 0
    if (count > 0) match.stale.push({ ...entry, count })
  }
  return match
}

/** Counts equal findings; ordered, so that two baselines can be compared. */
export function createBaseline(findings: readonly KeyedFinding[]): BaselineEntry[] {
  const entries = new Map<string, BaselineEntry>()
  for (const { entry } of findings) {
    const key = createEntryKey(entry)
    entries.set(key, { ...entry, count: (entries.get(key)?.count ?? 0) + 1 })
  }
  return [...entries.values()]
}

/** Removes what is no longer present. */
export function removeStale(
  entries: readonly BaselineEntry[],
  stale: readonly BaselineEntry[],
): BaselineEntry[] {
  const missing = new Map(stale.map((entry) => [createEntryKey(entry), entry.count]))
  return entries
    .map((entry) => ({ ...entry, count: entry.count - (missing.get(createEntryKey(entry)) ?? 0) }))
    .filter(({ count }) => count > 0)
}

export function formatBaseline(entries: readonly BaselineEntry[]): string {
  const sorted = [...entries].sort((a, b) => (createEntryKey(a) < createEntryKey(b) ? -1 : 1))
  return `${JSON.stringify({ schema: SCHEMA, findings: sorted }, null, 2)}\n`
}

/** Parses a baseline file; throws if it is not one. */
export function parseBaseline(text: string, file: string): BaselineEntry[] {
  const document = parseJson(text)
  const { schema, findings } = (document ?? {}) as { schema?: unknown; findings?: unknown }
  if (schema === SCHEMA && Array.isArray(findings) && findings.every(isEntry)) return findings
  throw new SkillsError('config/invalid', `"${file}" is not a baseline of skills lint`, {
    hint: `Write it again with: skills lint --baseline ${file} --write-baseline`,
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function isEntry(value: unknown): value is BaselineEntry {
  const { path, rule, fingerprint, count } = (value ?? {}) as Partial<Record<string, unknown>>
  const areTexts = [path, rule, fingerprint].every((each) => typeof each === 'string')
  return areTexts && Number.isSafeInteger(count) && (count as number) > 0
}

function createEntryKey({ path, rule, fingerprint }: Omit<BaselineEntry, 'count'>): string {
  return `${path}\0${rule}\0${fingerprint}`
}
