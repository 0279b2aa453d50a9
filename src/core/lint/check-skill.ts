import { join, relative } from 'node:path'
import { LineIndex } from '../../util/line-index.ts'
import { findNearest } from '../../util/find-nearest.ts'
import type { CheckFailure, Finding } from './finding.ts'
import type { LoadedSkill } from './load-skill.ts'
import type { LintedSkill, RawFinding, Rule } from './rule.ts'
import { AREAS } from './rule.ts'
import { RULES } from './rules/index.ts'
import { UNUSED_SUPPRESSION } from './rules/hygiene/unused-suppression.ts'
import type { LintSettings } from './settings.ts'
import { findSuppressions, Silencer, type Suppression } from './suppressions.ts'

export interface CheckOptions {
  cwd: string
  settings: LintSettings
  /** Only these rules; all when absent. */
  only?: readonly Rule[] | undefined
}

/** Runs every rule over one skill. */
export function checkSkill(
  { skill }: Pick<LoadedSkill, 'skill'>,
  options: CheckOptions,
): { findings: Finding[]; failures: CheckFailure[] } {
  const check: Check = {
    skill,
    options,
    findings: [],
    failures: [],
    counts: new Map(),
    files: new Map(),
    base: relative(options.cwd, skill.dir).replaceAll('\\', '/'),
  }
  const running = (options.only ?? RULES).filter((rule) => !options.settings.isOff(rule))
  for (const rule of running) runRule(check, rule)
  if (running.includes(UNUSED_SUPPRESSION)) reportUnused(check)
  reportCut(check)
  return { findings: check.findings.sort(compareFindings), failures: check.failures }
}

/** By place, then by rule. */
export function compareFindings(a: Finding, b: Finding): number {
  return compareText(a.path, b.path) || comparePlaces(a, b) || compareText(keyOf(a), keyOf(b))
}

function comparePlaces(a: Finding, b: Finding): number {
  const [left, right] = [a.start, b.start]
  if (!left || !right) return left ? 1 : right ? -1 : 0
  return left.line - right.line || left.column - right.column
}

function keyOf({ rule, message }: Finding): string {
  return `${rule}\0${message}`
}

interface Check {
  skill: LintedSkill
  options: CheckOptions
  findings: Finding[]
  failures: CheckFailure[]
  counts: Map<string, number>
  files: Map<string, { lines: LineIndex; silencer: Silencer }>
  /** The skill's folder as it is printed. */
  base: string
}

function runRule(check: Check, rule: Rule): void {
  try {
    rule.check(check.skill, (raw) => accept(check, rule, raw))
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    check.failures.push({
      path: check.base || '.',
      message: `Cannot check "${check.base || '.'}": the rule ${rule.id} failed (${reason})`,
      hint: `Turn it off with: skills lint --rule ${rule.id}=off`,
    })
  }
}

/** Findings of one rule in one skill that are listed; a hostile file could make millions. */
const MAX_PER_RULE = 200

function accept(check: Check, rule: Rule, raw: RawFinding): void {
  const path = pathOf(check, raw.file)
  const level = check.options.settings.levelOf(
    { id: rule.id, severity: raw.severity ?? rule.severity },
    path,
  )
  if (level === 'off') return
  const { lines, silencer } = fileOf(check, raw.file)
  const start = raw.span ? lines.positionAt(raw.span.start) : undefined
  if (silencer.silences(rule.id, start?.line)) return
  const count = (check.counts.get(rule.id) ?? 0) + 1
  check.counts.set(rule.id, count)
  if (count > MAX_PER_RULE) return
  check.findings.push(toFinding(check, rule, { raw, level, path }))
}

function toFinding(
  check: Check,
  rule: Rule,
  { raw, level, path }: { raw: RawFinding; level: Finding['severity']; path: string },
): Finding {
  const { lines } = fileOf(check, raw.file)
  return {
    rule: rule.id,
    severity: level,
    skill: check.skill.dir,
    file: raw.file,
    path,
    start: raw.span ? lines.positionAt(raw.span.start) : undefined,
    end: raw.span ? lines.positionAt(raw.span.end) : undefined,
    message: raw.message,
    help: raw.help,
    related: (raw.related ?? []).map((each) => ({
      path: pathOf(check, each.file),
      start: each.span ? fileOf(check, each.file).lines.positionAt(each.span.start) : undefined,
      message: each.message,
    })),
    fix: raw.edits?.length ? (raw.unsafe ? 'unsafe' : 'safe') : undefined,
    edits: raw.edits ?? [],
  }
}

/** Says how much was left out, where anything was. */
function reportCut(check: Check): void {
  for (const [id, count] of check.counts) {
    const shown = check.findings.find((finding) => finding.rule === id)
    if (count <= MAX_PER_RULE || !shown) continue
    check.findings.push({
      ...shown,
      file: '.',
      path: pathOf(check, '.'),
      start: undefined,
      end: undefined,
      message: `${count - MAX_PER_RULE} more findings of ${id} in this skill are not listed`,
      help: `Mend those that are listed first`,
      related: [],
      fix: undefined,
      edits: [],
    })
  }
}

/** Suppressions of files that no finding was in are looked for only in the two manifests and code. */
function reportUnused(check: Check): void {
  const isOff = (id: string): boolean => {
    const rule = RULES.find((each) => each.id === id)
    return rule !== undefined && check.options.settings.isOff(rule)
  }
  for (const file of check.skill.files) {
    if (file.type !== 'file' || !/\.(?:md|toml|py)$/.test(file.path)) continue
    for (const suppression of fileOf(check, file.path).silencer.suppressions) {
      for (const raw of unusedParts(file.path, suppression, isOff)) {
        accept(check, UNUSED_SUPPRESSION, raw)
      }
    }
  }
}

/** What a comment turns off for nothing; a rule that did not run may well have been needed. */
function unusedParts(
  file: string,
  suppression: Suppression,
  isOff: (id: string) => boolean,
): RawFinding[] {
  if (suppression.rules.length === 0) {
    if (suppression.used.size > 0) return []
    const message = 'The comment silences nothing, expected a finding that it turns off'
    return [{ file, span: suppression.span, message, help: 'Remove the comment' }]
  }
  const unused = suppression.rules.filter(({ id }) => !suppression.used.has(id) && !isOff(id))
  return unused.map(({ id, span }) => ({ file, span, ...describeUnused(id) }))
}

/** What a comment may name. */
const KNOWN: readonly string[] = [...AREAS, ...RULES.map((rule) => rule.id)]

function describeUnused(id: string): { message: string; help: string } {
  if (KNOWN.includes(id)) {
    return {
      message: `"${id}" is turned off here but finds nothing`,
      help: `Remove "${id}" from the comment`,
    }
  }
  const guess = findNearest(id, KNOWN)
  return {
    message: `There is no rule "${id}" to turn off`,
    help: guess ? `Did you mean "${guess}"?` : 'Run "skills rules" to see all of them',
  }
}

function fileOf(check: Check, file: string): { lines: LineIndex; silencer: Silencer } {
  let known = check.files.get(file)
  if (!known) {
    const lines = new LineIndex(check.skill.read(file) ?? '')
    known = { lines, silencer: new Silencer(findSuppressions(file, lines)) }
    check.files.set(file, known)
  }
  return known
}

function pathOf(check: Check, file: string): string {
  if (file === '' || file === '.') return check.base || '.'
  return check.base ? join(check.base, file).replaceAll('\\', '/') : file
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
