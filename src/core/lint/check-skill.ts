import { join, relative } from 'node:path'
import { LineIndex } from '../../util/line-index.ts'
import { findNearest } from '../../util/find-nearest.ts'
import type { CheckFailure, Finding, SuppressedFinding } from './finding.ts'
import type { LoadedSkill } from './load-skill.ts'
import type { LintedSkill, RawFinding, Rule } from './rule.ts'
import { AREAS } from './rule.ts'
import { RULES } from './rules/index.ts'
import { UNUSED_SUPPRESSION } from './rules/hygiene/unused-suppression.ts'
import { maskMessage } from './secrets/mask-secrets.ts'
import type { LintSettings } from './settings.ts'
import {
  applyPathSuppression,
  findSuppressions,
  SuppressionIndex,
  type Suppression,
} from './suppress/suppressions.ts'

export interface SkillCheckOptions {
  cwd: string
  settings: LintSettings
  /** Limits the check to these rules. */
  only?: readonly Rule[] | undefined
  /** True for a skill of a stranger: its comments suppress nothing, and are reported. */
  ignoreSuppressions?: boolean
}

export interface SkillCheckResult {
  findings: Finding[]
  /** Findings that comments suppress. */
  suppressed: SuppressedFinding[]
  failures: CheckFailure[]
}

/** Runs all enabled rules on one skill. */
export function checkSkill(
  { skill }: Pick<LoadedSkill, 'skill'>,
  options: SkillCheckOptions,
): SkillCheckResult {
  const check: SkillCheck = {
    skill,
    options,
    findings: [],
    suppressed: [],
    pathSuppressions: [],
    failures: [],
    counts: new Map(),
    files: new Map(),
    base: relative(options.cwd, skill.dir).replaceAll('\\', '/'),
    nested: findNestedSkills(skill),
  }
  check.pathSuppressions = findPathSuppressions(check)
  const running = (options.only ?? RULES).filter((rule) => !options.settings.isOff(rule))
  for (const rule of running) runRule(check, rule)
  if (running.includes(UNUSED_SUPPRESSION)) reportUnusedSuppressions(check)
  reportOmitted(check)
  const { findings, suppressed, failures } = check
  return { findings: findings.sort(compareFindings), suppressed, failures }
}

/** Comments of the manifests that name a path. */
function findPathSuppressions(check: SkillCheck): Suppression[] {
  const manifests = [check.skill.toml, check.skill.markdown]
  return manifests
    .flatMap((source) =>
      source ? getCheckedFile(check, source.file).suppressions.suppressions : [],
    )
    .filter(({ scope }) => scope.kind === 'path')
}

/** Orders findings by location, then by rule. */
export function compareFindings(a: Finding, b: Finding): number {
  return (
    compareKeys(a.path, b.path) ||
    compareStarts(a, b) ||
    compareKeys(createFindingKey(a), createFindingKey(b))
  )
}

function compareStarts(a: Finding, b: Finding): number {
  const [left, right] = [a.start, b.start]
  if (!left || !right) return left ? 1 : right ? -1 : 0
  return left.line - right.line || left.column - right.column
}

function createFindingKey({ rule, message }: Finding): string {
  return `${rule}\0${message}`
}

interface SkillCheck extends SkillCheckResult {
  skill: LintedSkill
  options: SkillCheckOptions
  pathSuppressions: readonly Suppression[]
  counts: Map<string, number>
  files: Map<string, { lines: LineIndex; suppressions: SuppressionIndex }>
  /** Folder of the skill as printed. */
  base: string
  /** Folders of skills inside this one: their files belong to them. */
  nested: readonly string[]
}

/** Lists the folders of skills inside a skill, with a slash at the end. */
function findNestedSkills({ files }: LintedSkill): string[] {
  const manifests = files.filter(({ path }) => /\/(?:skill\.md|skill\.toml)$/i.test(path))
  return manifests.map(({ path }) => path.slice(0, path.lastIndexOf('/') + 1))
}

function runRule(check: SkillCheck, rule: Rule): void {
  try {
    rule.check(check.skill, (raw) => addFinding(check, rule, raw))
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    check.failures.push({
      path: check.base || '.',
      message: `Cannot check "${check.base || '.'}": the rule ${rule.id} failed (${reason})`,
      hint: `Turn it off with: skills lint --rule ${rule.id}=off`,
    })
  }
}

/** Limit on listed findings per rule and skill; a hostile file can cause millions. */
const MAX_PER_RULE = 200
/** Limit on listed suppressed findings per skill. */
const MAX_SUPPRESSED = 1000

function addFinding(check: SkillCheck, rule: Rule, raw: RawFinding): void {
  if (check.nested.some((folder) => raw.file.startsWith(folder))) return
  const path = toPrintedPath(check, raw.file)
  const level = check.options.settings.resolveLevel(
    { id: rule.id, severity: raw.severity ?? rule.severity },
    path,
  )
  if (level === 'off') return
  const { lines, suppressions } = getCheckedFile(check, raw.file)
  const start = raw.span ? lines.positionAt(raw.span.start) : undefined
  const suppression =
    suppressions.applySuppression(rule.id, start?.line) ??
    applyPathSuppression(check.pathSuppressions, raw.file || '.', rule.id)
  if (suppression) {
    recordSuppressed(check, toFinding(check, rule, { raw, level, path }), suppression)
    if (check.options.ignoreSuppressions !== true) return
  }
  const count = (check.counts.get(rule.id) ?? 0) + 1
  check.counts.set(rule.id, count)
  if (count > MAX_PER_RULE) return
  check.findings.push(toFinding(check, rule, { raw, level, path }))
}

function recordSuppressed(check: SkillCheck, finding: Finding, { reason }: Suppression): void {
  if (check.suppressed.length >= MAX_SUPPRESSED) return
  check.suppressed.push({ finding, kind: 'inSource', reason })
}

function toFinding(
  check: SkillCheck,
  rule: Rule,
  { raw, level, path }: { raw: RawFinding; level: Finding['severity']; path: string },
): Finding {
  const { lines } = getCheckedFile(check, raw.file)
  return {
    rule: rule.id,
    severity: level,
    skill: check.skill.dir,
    file: raw.file,
    path,
    start: raw.span ? lines.positionAt(raw.span.start) : undefined,
    end: raw.span ? lines.positionAt(raw.span.end) : undefined,
    message: maskMessage(check.skill, raw.message),
    help: raw.help === undefined ? undefined : maskMessage(check.skill, raw.help),
    related: (raw.related ?? []).map((each) => ({
      path: toPrintedPath(check, each.file),
      start: each.span
        ? getCheckedFile(check, each.file).lines.positionAt(each.span.start)
        : undefined,
      message: maskMessage(check.skill, each.message),
    })),
    fix: raw.edits?.length ? (raw.unsafe ? 'unsafe' : 'safe') : undefined,
    edits: raw.edits ?? [],
    ...(raw.certainty && { certainty: raw.certainty }),
  }
}

/** Adds a finding for each rule whose findings exceed the limit. */
function reportOmitted(check: SkillCheck): void {
  for (const [id, count] of check.counts) {
    const example = check.findings.find((finding) => finding.rule === id)
    if (count <= MAX_PER_RULE || !example) continue
    check.findings.push({
      ...example,
      file: '.',
      path: toPrintedPath(check, '.'),
      start: undefined,
      end: undefined,
      message: `${count - MAX_PER_RULE} more findings of ${id} in this skill are not listed`,
      help: `Fix the listed findings first`,
      related: [],
      fix: undefined,
      edits: [],
      isSummary: true,
    })
  }
}

/** Reports suppressions that matched no finding, in Markdown, TOML and code only. */
function reportUnusedSuppressions(check: SkillCheck): void {
  const off = RULES.filter((rule) => check.options.settings.isOff(rule)).map(({ id }) => id)
  const isOff = (name: string | undefined): boolean =>
    off.some((id) => name === undefined || id === name || id.startsWith(`${name}/`))
  for (const file of check.skill.files) {
    if (file.type !== 'file' || !/\.(?:md|toml|py|sh|bash|[cm]?[jt]s)$/.test(file.path)) continue
    for (const suppression of getCheckedFile(check, file.path).suppressions.suppressions) {
      for (const raw of findUnusedNames(file.path, suppression, isOff)) {
        addFinding(check, UNUSED_SUPPRESSION, raw)
      }
    }
  }
}

/**
 * Lists the names in a suppression that matched no finding. A name is skipped if a rule that it
 * covers is off, since the comment may be needed when the rule is on.
 */
function findUnusedNames(
  file: string,
  suppression: Suppression,
  isOff: (name: string | undefined) => boolean,
): RawFinding[] {
  if (suppression.rules.length === 0) {
    if (suppression.used.size > 0 || isOff(undefined)) return []
    const message = 'The comment suppresses no finding, expected one that it turns off'
    return [{ file, span: suppression.span, message, help: 'Remove the comment' }]
  }
  const unused = suppression.rules.filter(
    ({ id }) => !suppression.used.has(id) && !isOff(id) && id !== UNUSED_SUPPRESSION.id,
  )
  return unused.map(({ id, span }) => ({ file, span, ...describeUnusedName(id) }))
}

/** Names that a suppression accepts: areas and rule ids. */
const RULE_NAMES: readonly string[] = [...AREAS, ...RULES.map((rule) => rule.id)]

function describeUnusedName(id: string): { message: string; help: string } {
  if (RULE_NAMES.includes(id)) {
    return {
      message: `"${id}" is turned off here but has no finding`,
      help: `Remove "${id}" from the comment`,
    }
  }
  const guess = findNearest(id, RULE_NAMES)
  return {
    message: `"${id}" is not a rule that can be turned off`,
    help: guess ? `Did you mean "${guess}"?` : 'Run "skills lint --rules" to see all rules',
  }
}

function getCheckedFile(
  check: SkillCheck,
  file: string,
): { lines: LineIndex; suppressions: SuppressionIndex } {
  let checkedFile = check.files.get(file)
  if (!checkedFile) {
    const lines = new LineIndex(check.skill.read(file) ?? '')
    checkedFile = { lines, suppressions: new SuppressionIndex(findSuppressions(file, lines)) }
    check.files.set(file, checkedFile)
  }
  return checkedFile
}

function toPrintedPath(check: SkillCheck, file: string): string {
  if (file === '' || file === '.') return check.base || '.'
  return check.base ? join(check.base, file).replaceAll('\\', '/') : file
}

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
