import { relative, resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import type { Config } from '../config/config.ts'
import type { Overlay } from '../skills/manifest/read-source.ts'
import { createFoundOrder } from '../skills/repository/found-order.ts'
import { checkSkill, compareFindings, type SkillCheckResult } from './check-skill.ts'
import type { CheckFailure, Finding, LintSummary, SuppressedFinding } from './finding.ts'
import { applyEdits, digestOverlay, createOverlay, writeOverlay } from './fix/apply-edits.ts'
import { loadSkills, type LoadedSkill } from './load-skill.ts'
import { openCodeParsers, type CodeParsers } from './code/code-parsers.ts'
import { filterStructureKept } from './markdown/markdown-structure.ts'
import { readFilesAhead } from './read-ahead.ts'
import { openPythonParser, type PythonParser } from './python/python-parser.ts'
import type { LintedSkill, Rule } from './rule.ts'
import { RULES } from './rules/index.ts'
import { type RuleLevel, createLintSettings, type LintSettings } from './settings.ts'

export interface LintOptions extends Pick<LintedSkill, 'staysInside'> {
  /** Absolute folders of skills, as findTargets returns them. */
  skills: readonly string[]
  cwd: string
  config: Config
  /** Environment of the interpreter that parses Python. */
  env: Readonly<Record<string, string | undefined>>
  /** Base folder of the configuration's globs; `cwd` if absent. */
  configDir?: string
  /** Levels from the command line, by rule or area. */
  rules?: Readonly<Record<string, RuleLevel>>
  only?: readonly Rule[]
  /** True for skills of strangers: their comments suppress nothing, and are reported. */
  ignoreSuppressions?: boolean
  /** Profiles that the user named; the others of the configuration are defaults. */
  requestedProfiles?: Config['lint']['profiles']
  /** Applies fixes; `preview` keeps them in `changes` and writes nothing. */
  fix?: { unsafe: boolean; preview: boolean } | undefined
  /** Adds comments that suppress all findings; `preview` as for `fix`. */
  suppress?: { preview: boolean } | undefined
  /** Text that replaces a file on disk. */
  overlay?: { dir: string; path: string; text: string } | undefined
}

export interface LintResult extends LintSummary {
  findings: readonly Finding[]
  /** Findings that comments suppress. */
  suppressed: readonly SuppressedFinding[]
  /** Number of findings that new comments suppress. */
  newlySuppressed: number
  /** File changes by fixes and new comments: path as printed, text before and after. */
  changes: readonly FileChange[]
}

export interface FileChange {
  path: string
  before: string | undefined
  after: string | undefined
  /** Set if the permission bits change. */
  mode?: number
}

/** Skills per batch; two batches are in memory. */
const BATCH_SIZE = 64
/** A fix can make others applicable. Fixes that do not converge within this limit are rejected. */
const MAX_PASSES = 50

/** Checks skills in batches: read, parse Python in one request, run the rules, discard. */
export async function lintSkills(options: LintOptions): Promise<LintResult> {
  const { cwd, configDir = cwd } = options
  const settings = createLintSettings(options.config.lint, options.rules, (path) =>
    configDir === cwd ? path : relative(configDir, resolve(cwd, path)),
  )
  const python = openPythonParser({ python: options.config.run.python, env: options.env })
  const run: LintRun = {
    options,
    settings,
    python,
    code: openCodeParsers(),
    findings: [],
    suppressed: [],
    newlySuppressed: 0,
    failures: [],
    changes: [],
    fixed: [],
    pythonMissing: 0,
  }
  // Repository order: of two skills with the same name and version, the first one wins.
  const skills = options.skills
    .filter((dir) => !settings.isIgnored(relative(options.cwd, dir)))
    .sort(createFoundOrder(options.config.roots))
  try {
    const names = new Map<string, NamedSkill[]>()
    if (skills.length > BATCH_SIZE) await python.start()
    // Python parses the next batch while this one is checked. Fixes query Python themselves, so
    // they run in sequence.
    const isChanging = options.fix !== undefined || options.suppress !== undefined
    let next = isChanging ? undefined : loadFolders(run, skills.slice(0, BATCH_SIZE))
    for (let at = 0; at < skills.length; at += BATCH_SIZE) {
      const loaded = await (next ?? loadFolders(run, skills.slice(at, at + BATCH_SIZE)))
      const rest = skills.slice(at + BATCH_SIZE, at + 2 * BATCH_SIZE)
      next = isChanging || rest.length === 0 ? undefined : loadFolders(run, rest)
      await checkBatch(run, loaded, names)
    }
  } finally {
    await python.close()
  }
  if (run.pythonMissing > 0) run.failures.push(...listPythonFailures(run))
  return summarizeRun(run, skills.length)
}

interface LintRun {
  options: LintOptions
  settings: LintSettings
  python: PythonParser
  code: CodeParsers
  findings: Finding[]
  suppressed: SuppressedFinding[]
  newlySuppressed: number
  failures: CheckFailure[]
  changes: FileChange[]
  fixed: string[]
  pythonMissing: number
}

function loadFolders(run: LintRun, dirs: readonly string[]) {
  return loadTargets(
    run,
    dirs.map((dir) => ({ dir, overlay: createCallerOverlay(run, dir) })),
  )
}

/** Overlay with the caller's text for a file of this skill. */
function createCallerOverlay({ options: { overlay } }: LintRun, dir: string): Overlay | undefined {
  if (overlay?.dir !== dir) return undefined
  return { ...createOverlay(), texts: new Map([[overlay.path, overlay.text]]) }
}

async function checkBatch(
  run: LintRun,
  batch: readonly (LoadedSkill | CheckFailure)[],
  names: Map<string, NamedSkill[]>,
): Promise<void> {
  for (const loaded of batch) {
    if (!('skill' in loaded)) {
      run.failures.push({ ...loaded, path: relative(run.options.cwd, loaded.path) || '.' })
      continue
    }
    recordDuplicates(loaded, names, run.options.config.roots)
    await readFilesAhead(loaded.skill)
    const checked = await processSkill(run, loaded)
    const findings = checked.findings.filter(({ path }) => !run.settings.isIgnored(path))
    run.findings.push(...findings)
    run.suppressed.push(...checked.suppressed)
    run.failures.push(...loaded.failures, ...checked.failures)
    if (loaded.pythonMissing) run.pythonMissing += 1
  }
}

/** Checks a skill; fixes it or adds comments if requested. */
async function processSkill(run: LintRun, loaded: LoadedSkill): Promise<SkillCheckResult> {
  const { fix, suppress } = run.options
  if (fix) return await fixSkill(run, loaded, createCallerOverlay(run, loaded.skill.dir))
  if (suppress) return await suppressSkill(run, loaded)
  return checkSkill(loaded, { ...run.options, settings: run.settings })
}

async function suppressSkill(run: LintRun, loaded: LoadedSkill): Promise<SkillCheckResult> {
  const { suppressFindings } = await import('./suppress/suppress-findings.ts')
  const { dir, duplicates } = loaded.skill
  const { checked, overlay, count } = await suppressFindings(loaded, {
    check: (each) => checkSkill(each, { ...run.options, settings: run.settings }),
    isIgnored: ({ path }) => run.settings.isIgnored(path),
    reload: async (texts) => {
      const [next] = await loadTargets(run, [{ dir, overlay: texts }])
      if (!next || !('skill' in next)) return undefined
      next.skill.duplicates = duplicates
      return next
    },
  })
  if (trySaveChanges(run, loaded, overlay)) run.newlySuppressed += count
  return checked
}

function loadTargets(
  run: LintRun,
  targets: readonly { dir: string; overlay?: Overlay | undefined }[],
) {
  return loadSkills(targets, {
    python: run.python,
    code: run.code,
    profiles: run.settings.profiles,
    requestedProfiles: run.options.requestedProfiles ?? [],
    roots: run.options.config.roots,
    staysInside: run.options.staysInside === true,
    toPrintedPath: (path) => relative(run.options.cwd, path) || '.',
  })
}

/**
 * Records the earlier skills with the same name and version. Plain Agent Skills have no version: the
 * same name in two plugins, or a copy for another host, is a duplicate only if one root has both.
 */
function recordDuplicates(
  { skill }: LoadedSkill,
  names: Map<string, NamedSkill[]>,
  roots: readonly string[],
): void {
  const { name, version } = skill.manifest
  if (name === '') return
  const key = `${name}@${version}`
  const others = names.get(key) ?? []
  const text = skill.toml ? undefined : skill.markdown?.text
  const isDuplicate = (other: NamedSkill) =>
    (text === undefined && other.text === undefined) ||
    (text !== other.text &&
      roots.some((root) => contains(root, other.dir) && contains(root, skill.dir)))
  skill.duplicates = others.filter(isDuplicate).map(({ dir }) => ({ dir, name, version }))
  names.set(key, [...others, { dir: skill.dir, text }])
}

interface NamedSkill {
  dir: string
  /** SKILL.md of a plain Agent Skill. */
  text: string | undefined
}

const contains = (root: string, dir: string) => dir === root || dir.startsWith(`${root}/`)

/** Alternates checks and fixes until nothing changes, then writes or previews the changes. */
async function fixSkill(run: LintRun, first: LoadedSkill, start: Overlay | undefined) {
  const overlay = start ?? createOverlay()
  const options = { ...run.options, settings: run.settings }
  const { duplicates, dir } = first.skill
  let loaded = first
  const firstResult = checkSkill(loaded, options)
  let checked = firstResult
  const seen = new Set([digestOverlay(overlay)])
  for (;;) {
    const wanted = checked.findings.filter((each) => isFixable(run, each))
    const fixable = await filterStructureKept(wanted, loaded.skill)
    checked.findings = withoutFix(checked.findings, wanted, fixable)
    if (!applyEdits(fixable, loaded.skill, overlay)) break
    const state = digestOverlay(overlay)
    if (seen.has(state) || seen.size > MAX_PASSES) {
      run.failures.push(createUnstableFixFailure(relative(run.options.cwd, dir) || '.', fixable))
      return firstResult
    }
    seen.add(state)
    const [next] = await loadTargets(run, [{ dir, overlay }])
    if (!next || !('skill' in next)) break
    next.skill.duplicates = duplicates
    loaded = next
    checked = checkSkill(loaded, options)
  }
  trySaveChanges(run, first, overlay)
  return checked
}

/** Findings whose edits are refused have no fix. */
function withoutFix(
  findings: readonly Finding[],
  wanted: readonly Finding[],
  fixable: readonly Finding[],
): Finding[] {
  const refused = new Set(wanted.filter((each) => !fixable.includes(each)))
  return findings.map((each) => (refused.has(each) ? { ...each, fix: undefined, edits: [] } : each))
}

/** A folder that is not writable is a failure of this skill alone. */
function trySaveChanges(run: LintRun, first: LoadedSkill, overlay: Overlay): boolean {
  try {
    saveChanges(run, first, overlay)
    return true
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    const hint = thrown instanceof SkillsError ? thrown.hint : 'Check the permissions of the folder'
    const path = relative(run.options.cwd, first.skill.dir) || '.'
    run.failures.push({ path, message: `Cannot fix "${path}": ${reason}`, hint })
    return false
  }
}

function isFixable({ options, settings }: LintRun, { fix, path }: Finding): boolean {
  const isWanted = fix === 'safe' || (fix === 'unsafe' && options.fix?.unsafe === true)
  return isWanted && !settings.isIgnored(path)
}

/** Fixes that undo each other leave the files unchanged. */
function createUnstableFixFailure(path: string, fixable: readonly Finding[]): CheckFailure {
  const rules = [...new Set(fixable.map(({ rule }) => rule))]
  return {
    path,
    message: `Cannot fix "${path}": the fixes of ${rules.join(', ')} undo each other, so nothing was changed there`,
    hint: `Fix it by hand, or run the command with ${rules.map((id) => `--rule ${id}=off`).join(' ')}`,
  }
}

function saveChanges(run: LintRun, { skill }: LoadedSkill, overlay: Overlay): void {
  const toPrintedPath = (path: string) =>
    `${relative(run.options.cwd, skill.dir) || '.'}/${path}`.replace(/^\.\//, '')
  for (const path of new Set([
    ...overlay.texts.keys(),
    ...overlay.deleted,
    ...overlay.modes.keys(),
  ])) {
    const before = skill.read(path)
    const after = overlay.deleted.has(path) ? undefined : (overlay.texts.get(path) ?? before)
    const mode = overlay.modes.get(path)
    if (before === after && mode === undefined && !overlay.deleted.has(path)) continue
    run.changes.push({
      path: toPrintedPath(path),
      before,
      after,
      ...(mode === undefined ? {} : { mode }),
    })
  }
  if (isPreview(run.options)) return
  run.fixed.push(...writeOverlay(skill.dir, overlay).map(toPrintedPath))
}

function isPreview({ fix, suppress, overlay }: LintOptions): boolean {
  return fix?.preview === true || suppress?.preview === true || overlay !== undefined
}

/**
 * Reports a missing interpreter: rules that need it find nothing, which must not pass for a clean
 * result.
 */
function listPythonFailures(run: LintRun): CheckFailure[] {
  const enabled = run.options.only ?? RULES
  const rules = enabled.filter((rule) => rule.needsPython && !run.settings.isOff(rule))
  if (rules.length === 0) return []
  return [
    {
      path: '.',
      message: `Cannot check the code of ${run.pythonMissing} Python skill(s): ${run.python.unavailableReason}; ${rules.length} rules that need it did not run`,
      hint: 'Install python3, or set run.python in skills.config.toml; "skills lint --rules --json" lists the rules that need it (needsPython)',
    },
  ]
}

function summarizeRun(run: LintRun, skills: number): LintResult {
  const findings = run.findings.sort(compareFindings)
  const count = (test: (finding: Finding) => boolean) => findings.filter(test).length
  return {
    findings,
    suppressed: run.suppressed,
    newlySuppressed: run.newlySuppressed,
    skills,
    errors: count((each) => each.severity === 'error'),
    warnings: count((each) => each.severity === 'warning'),
    infos: count((each) => each.severity === 'info'),
    fixableSafe: count((each) => each.fix === 'safe'),
    fixableUnsafe: count((each) => each.fix === 'unsafe'),
    fixed: run.fixed,
    failures: run.failures,
    changes: run.changes,
  }
}
