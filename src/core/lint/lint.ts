import { relative, resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import type { Config } from '../config/config.ts'
import type { Overlay } from '../skills/manifest/read-source.ts'
import { createFoundOrder } from '../skills/repository/found-order.ts'
import { checkSkill, compareFindings } from './check-skill.ts'
import type { CheckFailure, Finding, LintSummary } from './finding.ts'
import { applyEdits, digestOverlay, emptyOverlay, writeOverlay } from './fix.ts'
import { loadBatch, type LoadedSkill } from './load-skill.ts'
import { openPython, type Python } from './python/python.ts'
import type { Rule } from './rule.ts'
import { RULES } from './rules/index.ts'
import { type Level, lintSettings, type LintSettings } from './settings.ts'

export interface LintOptions {
  /** Absolute folders of skills, as findTargets gives them. */
  skills: readonly string[]
  cwd: string
  config: Config
  /** For the interpreter that parses Python. */
  env: Readonly<Record<string, string | undefined>>
  /** The folder that globs of the configuration are relative to; `cwd` when absent. */
  configDir?: string
  /** Levels from the command line, by rule or area. */
  rules?: Readonly<Record<string, Level>>
  only?: readonly Rule[]
  /** Apply fixes; `preview` keeps them in `changes` and writes nothing. */
  fix?: { unsafe: boolean; preview: boolean } | undefined
  /** Text to be taken in place of a file on disk. */
  overlay?: { dir: string; path: string; text: string } | undefined
}

export interface LintResult extends LintSummary {
  findings: readonly Finding[]
  /** What fixes did to files: path as printed, before and after. */
  changes: readonly FileChange[]
}

export interface FileChange {
  path: string
  before: string | undefined
  after: string | undefined
  /** Set where the permission bits change. */
  mode?: number
}

/** Skills that are read at once; two batches are in memory. */
const BATCH = 64
/** Fixes can make room for others; a set that does not settle by then is not a fix. */
const MAX_PASSES = 50

/** Checks skills, batch by batch: read, ask Python once, judge, forget. */
export async function lintSkills(options: LintOptions): Promise<LintResult> {
  const { cwd, configDir = cwd } = options
  const settings = lintSettings(options.config.lint, options.rules, (path) =>
    configDir === cwd ? path : relative(configDir, resolve(cwd, path)),
  )
  const python = openPython({ python: options.config.run.python, env: options.env })
  const run: Run = {
    options,
    settings,
    python,
    findings: [],
    failures: [],
    changes: [],
    fixed: [],
    pythonMissing: 0,
  }
  // Of two skills with one name and version the one that is found first counts.
  const skills = options.skills
    .filter((dir) => !settings.isIgnored(relative(options.cwd, dir)))
    .sort(createFoundOrder(options.config.roots))
  try {
    const names = new Map<string, string[]>()
    if (skills.length > BATCH) await python.warm()
    // Python looks at the next batch while this one is judged; fixes ask it themselves, in turn.
    let next = options.fix ? undefined : loadDirs(run, skills.slice(0, BATCH))
    for (let at = 0; at < skills.length; at += BATCH) {
      const loaded = await (next ?? loadDirs(run, skills.slice(at, at + BATCH)))
      const rest = skills.slice(at + BATCH, at + 2 * BATCH)
      next = options.fix || rest.length === 0 ? undefined : loadDirs(run, rest)
      await judgeBatch(run, loaded, names)
    }
  } finally {
    await python.close()
  }
  if (run.pythonMissing > 0) run.failures.push(...pythonFailure(run))
  return summarise(run, skills.length)
}

interface Run {
  options: LintOptions
  settings: LintSettings
  python: Python
  findings: Finding[]
  failures: CheckFailure[]
  changes: FileChange[]
  fixed: string[]
  pythonMissing: number
}

function loadDirs(run: Run, dirs: readonly string[]) {
  return load(
    run,
    dirs.map((dir) => ({ dir, overlay: givenText(run, dir) })),
  )
}

/** The text from the caller that stands in for a file of this skill. */
function givenText({ options: { overlay } }: Run, dir: string): Overlay | undefined {
  if (overlay?.dir !== dir) return undefined
  return { ...emptyOverlay(), texts: new Map([[overlay.path, overlay.text]]) }
}

async function judgeBatch(
  run: Run,
  batch: readonly (LoadedSkill | CheckFailure)[],
  names: Map<string, string[]>,
): Promise<void> {
  for (const loaded of batch) {
    if (!('skill' in loaded)) {
      run.failures.push({ ...loaded, path: relative(run.options.cwd, loaded.path) || '.' })
      continue
    }
    noteDuplicates(loaded, names)
    const judged = run.options.fix
      ? await fixSkill(run, loaded, givenText(run, loaded.skill.dir))
      : checkSkill(loaded, { ...run.options, settings: run.settings })
    run.findings.push(...judged.findings.filter((finding) => !run.settings.isIgnored(finding.path)))
    run.failures.push(...loaded.failures, ...judged.failures)
    if (loaded.pythonMissing) run.pythonMissing += 1
  }
}

function load(run: Run, targets: readonly { dir: string; overlay?: Overlay | undefined }[]) {
  return loadBatch(targets, {
    python: run.python,
    profiles: run.settings.profiles,
    roots: run.options.config.roots,
    printed: (path) => relative(run.options.cwd, path) || '.',
  })
}

function noteDuplicates({ skill }: LoadedSkill, names: Map<string, string[]>): void {
  const { name, version } = skill.manifest
  if (name === '') return
  const key = `${name}@${version}`
  const others = names.get(key) ?? []
  skill.duplicates = others.map((dir) => ({ dir, name, version }))
  names.set(key, [...others, skill.dir])
}

/** Checks and fixes in turn until nothing changes, then writes or keeps what came out. */
async function fixSkill(run: Run, first: LoadedSkill, start: Overlay | undefined) {
  const overlay = start ?? emptyOverlay()
  const options = { ...run.options, settings: run.settings }
  const { duplicates, dir } = first.skill
  let loaded = first
  const judgedFirst = checkSkill(loaded, options)
  let judged = judgedFirst
  const seen = new Set([digestOverlay(overlay)])
  for (;;) {
    const fixable = judged.findings.filter((each) => mayFix(run, each))
    if (!applyEdits(fixable, loaded.skill, overlay)) break
    const state = digestOverlay(overlay)
    if (seen.has(state) || seen.size > MAX_PASSES) {
      run.failures.push(unsettled(relative(run.options.cwd, dir) || '.', fixable))
      return judgedFirst
    }
    seen.add(state)
    const [next] = await load(run, [{ dir, overlay }])
    if (!next || !('skill' in next)) break
    next.skill.duplicates = duplicates
    loaded = next
    judged = checkSkill(loaded, options)
  }
  keepOrSay(run, first, overlay)
  return judged
}

/** A folder that cannot be written to is a failure of this skill alone. */
function keepOrSay(run: Run, first: LoadedSkill, overlay: Overlay): void {
  try {
    keepChanges(run, first, overlay)
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    const hint = thrown instanceof SkillsError ? thrown.hint : 'Check the permissions of the folder'
    const path = relative(run.options.cwd, first.skill.dir) || '.'
    run.failures.push({ path, message: `Cannot fix "${path}": ${reason}`, hint })
  }
}

function mayFix({ options, settings }: Run, { fix, path }: Finding): boolean {
  const isWanted = fix === 'safe' || (fix === 'unsafe' && options.fix?.unsafe === true)
  return isWanted && !settings.isIgnored(path)
}

/** Fixes that undo each other leave the files as they were. */
function unsettled(path: string, fixable: readonly Finding[]): CheckFailure {
  const rules = [...new Set(fixable.map(({ rule }) => rule))]
  return {
    path,
    message: `Cannot fix "${path}": the fixes of ${rules.join(', ')} do not settle, so nothing was changed there`,
    hint: `Mend it by hand, or type the command with ${rules.map((id) => `--rule ${id}=off`).join(' ')}`,
  }
}

function keepChanges(run: Run, { skill }: LoadedSkill, overlay: Overlay): void {
  const printed = (path: string) =>
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
      path: printed(path),
      before,
      after,
      ...(mode === undefined ? {} : { mode }),
    })
  }
  if (run.options.fix?.preview || run.options.overlay) return
  run.fixed.push(...writeOverlay(skill.dir, overlay).map(printed))
}

/** Without Python its rules say nothing, which must not look like a clean result. */
function pythonFailure(run: Run): CheckFailure[] {
  const asked = run.options.only ?? RULES
  const rules = asked.filter((rule) => rule.needsPython && !run.settings.isOff(rule))
  if (rules.length === 0) return []
  return [
    {
      path: '.',
      message: `Cannot check the code of ${run.pythonMissing} Python skill(s): ${run.python.unavailable}; ${rules.length} rules that ask it were not applied`,
      hint: 'Install python3, or name it with run.python in skills.config.toml; "skills rules --json" says which rules need it (needsPython)',
    },
  ]
}

function summarise(run: Run, skills: number): LintResult {
  const findings = run.findings.sort(compareFindings)
  const count = (test: (finding: Finding) => boolean) => findings.filter(test).length
  return {
    findings,
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
