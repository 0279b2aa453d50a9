import { existsSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import type { LoadedConfig } from '../core/config/load-config.ts'
import type { LintOptions } from '../core/lint/lint.ts'
import type { RuleLevel } from '../core/lint/settings.ts'
import { findTargets } from '../core/lint/targets.ts'
import { SkillsError } from '../errors.ts'
import { readStreamUpTo } from '../util/bytes/read-up-to.ts'
import { quoteShellWord } from '../util/shell-word.ts'
import { type CommandLine, getFlagOption, getListOption, getTextOption } from './command.ts'
import type { Context } from './context.ts'
import { selectProfiles } from './lint/profile-selection.ts'
import { selectRules } from './lint/rule-selection.ts'
import { openConfig } from './runtime.ts'

/** Formats of `skills lint`; a test compares them with the registered reporters. */
export const REPORT_NAMES = ['pretty', 'concise', 'json', 'github', 'sarif', 'junit', 'agent']

const RULE_LEVELS: readonly string[] = ['error', 'warning', 'info', 'off']

/** Lint settings of a command line. */
export interface LintRequest {
  options: LintOptions
  format: string
  maxWarnings: number
  /** Omit warnings and notices from the report; they still count. */
  errorsOnly: boolean
  /** Show changes without writing them. */
  preview: boolean
  baseline: BaselineRequest | undefined
  /** Finds the skills again, for a watch. */
  findSkills: () => string[]
  /** Configuration files that were read. */
  configFiles: readonly string[]
}

/** The part of a request that a report of findings depends on. */
export interface LintReportRequest extends Pick<
  LintRequest,
  'format' | 'maxWarnings' | 'errorsOnly' | 'preview'
> {
  options: Pick<LintOptions, 'cwd' | 'overlay' | 'fix' | 'suppress'>
}

/** Options of the report of a check that a remote runtime performs. */
export function buildRemoteReportRequest(context: Context, call: CommandLine): LintReportRequest {
  return { ...readReportOptions(context, call), preview: false, options: { cwd: context.cwd } }
}

function readReportOptions({ global }: Context, call: CommandLine) {
  return {
    errorsOnly: global.quiet,
    maxWarnings: parseWarningLimit(getTextOption(call, 'maxWarnings')),
    format: global.json ? 'json' : (getTextOption(call, 'format') ?? 'pretty'),
  }
}

/** A file of accepted findings: `write` accepts all present ones, `update` removes fixed ones. */
interface BaselineRequest {
  file: string
  mode: 'read' | 'write' | 'update'
}

/** Builds a request from a command line; mistakes are usage errors. */
export async function buildLintRequest(context: Context, call: CommandLine): Promise<LintRequest> {
  const loaded = await openConfig(context)
  await checkConfiguredRules(loaded)
  const selection = await selectRules(call)
  const { profiles, requestedProfiles } = selectProfiles(call, loaded)
  const preview = getFlagOption(call, 'diff')
  const unsafe = getFlagOption(call, 'fixUnsafe')
  const suppress = getFlagOption(call, 'addSuppressions') ? { preview } : undefined
  if (suppress) checkSuppressionOptions(call)
  const isFixing = !suppress && (unsafe || preview || getFlagOption(call, 'fix'))
  const fix = isFixing ? { unsafe, preview } : undefined
  const overlay = await readStdinOverlay(context, call)
  const findSkills = () => findTargets(context.cwd, resolveLintTargets(context, call, loaded))
  return {
    findSkills,
    baseline: readBaselineOptions(context, call, loaded.config.lint.baseline),
    configFiles: loaded.files,
    preview,
    ...readReportOptions(context, call),
    options: {
      cwd: context.cwd,
      config: { ...loaded.config, lint: { ...loaded.config.lint, ...selection, profiles } },
      requestedProfiles,
      configDir: loaded.projectDir,
      env: context.env,
      rules: parseLevels(getListOption(call, 'rule')),
      fix,
      suppress,
      overlay,
      skills: overlay ? [overlay.dir] : await findLintedSkills(context, call, loaded),
    },
  }
}

function readBaselineOptions(
  context: Context,
  call: CommandLine,
  configured: string | undefined,
): BaselineRequest | undefined {
  const named = getTextOption(call, 'baseline')
  const file = named === undefined ? configured : resolve(context.cwd, named)
  const flags = ['writeBaseline', 'updateBaseline'].filter((name) => getFlagOption(call, name))
  if (flags.length === 2) {
    const message = 'Expected --write-baseline or --update-baseline, got both'
    throw new SkillsError('usage/invalid', message, { hint: 'Remove one of them' })
  }
  const mode = flags[0] === 'writeBaseline' ? 'write' : flags[0] ? 'update' : 'read'
  if (file !== undefined) return { file, mode }
  if (mode === 'read') return undefined
  throw new SkillsError('usage/invalid', `--${mode}-baseline needs the name of the baseline`, {
    hint: `Type: skills lint --baseline lint-baseline.json --${mode}-baseline`,
  })
}

function checkSuppressionOptions(call: CommandLine): void {
  const others = {
    fix: '--fix',
    fixUnsafe: '--fix-unsafe',
    stdin: '--stdin',
    watch: '--watch',
    writeBaseline: '--write-baseline',
  }
  for (const [name, flag] of Object.entries(others)) {
    if (!getFlagOption(call, name)) continue
    throw new SkillsError('usage/invalid', `Expected --add-suppressions or ${flag}, got both`, {
      hint: 'Remove one of them',
    })
  }
}

/** Reports an unknown rule in a configuration file with the file's location. */
async function checkConfiguredRules({ config, origins }: LoadedConfig): Promise<void> {
  const { rules, overrides } = config.lint
  const lists = [
    ['lint.rules', Object.keys(rules)] as const,
    ...overrides.map((override) => ['lint.overrides', Object.keys(override.rules)] as const),
  ]
  if (lists.every(([, names]) => names.length === 0)) return
  const { requireRule } = await import('../core/lint/settings.ts')
  for (const [key, names] of lists) {
    for (const name of names) {
      try {
        requireRule(name)
      } catch (thrown) {
        if (!(thrown instanceof SkillsError)) throw thrown
        const { message, hint } = thrown
        throw new SkillsError('config/invalid', `${origins[key]?.place}: ${message}`, { hint })
      }
    }
  }
}

/** Folders of the skills to check. With --deleted and no paths, only skills that lost a file. */
async function findLintedSkills(
  context: Context,
  call: CommandLine,
  loaded: LoadedConfig,
): Promise<string[]> {
  if (!getFlagOption(call, 'deleted'))
    return findTargets(context.cwd, resolveLintTargets(context, call, loaded))
  const { findSkillsWithDeletions } = await import('./deleted-files.ts')
  const changed = await findSkillsWithDeletions(context)
  const named =
    call.args.length === 0
      ? []
      : findTargets(context.cwd, resolveLintTargets(context, call, loaded))
  return [...new Set([...named, ...changed])].sort()
}

/**
 * Paths of the command line, else the project's skills, else all skills below the current folder.
 */
function resolveLintTargets(
  context: Context,
  call: CommandLine,
  loaded: LoadedConfig,
): readonly string[] {
  if (call.args.length > 0) {
    return getFlagOption(call, 'skipOutside') ? filterSkillPaths(context.cwd, call.args) : call.args
  }
  if (['skill.toml', 'SKILL.md'].some((file) => existsSync(join(context.cwd, file)))) return ['.']
  const user = join(loaded.config.directories.data, 'skills')
  const roots = loaded.config.roots.filter((root) => root !== user)
  const withSkills = roots.filter((root) => hasSkills(context.cwd, root))
  if (withSkills.length > 0) return withSkills
  return roots.length > 0 ? roots : ['.']
}

function hasSkills(cwd: string, root: string): boolean {
  try {
    return findTargets(cwd, [root]).length > 0
  } catch {
    return false
  }
}

/**
 * Paths inside a skill or containing one. A missing path remains in the list and is reported later.
 */
function filterSkillPaths(cwd: string, paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !existsSync(resolve(cwd, path)) || hasSkills(cwd, path))
}

function parseLevels(ruleOptions: readonly string[]): Record<string, RuleLevel> {
  const levels: Record<string, RuleLevel> = {}
  for (const text of ruleOptions) {
    const [id = '', level = ''] = text.split('=')
    if (!RULE_LEVELS.includes(level)) {
      throw new SkillsError(
        'usage/invalid',
        `--rule is "${text}", expected a rule and ${RULE_LEVELS.join(', ')}`,
        {
          hint: 'Write it as: skills lint --rule naming/invalid-name=off',
        },
      )
    }
    levels[id] = level as RuleLevel
  }
  return levels
}

function parseWarningLimit(text: string | undefined): number {
  if (text === undefined) return 0
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new SkillsError('usage/invalid', `--max-warnings is "${text}", expected a whole number`, {
    hint: 'Write it as: skills lint --max-warnings 10',
  })
}

async function readStdinOverlay(
  context: Context,
  call: CommandLine,
): Promise<LintOptions['overlay']> {
  const name = getTextOption(call, 'stdinFilename')
  if (!getFlagOption(call, 'stdin')) {
    if (name === undefined) return undefined
    throw new SkillsError('usage/invalid', '--stdin-filename needs --stdin', {
      hint: `Type "skills lint --stdin --stdin-filename ${quoteShellWord(name)}"`,
    })
  }
  if (name === undefined) {
    throw new SkillsError('usage/invalid', '--stdin requires --stdin-filename', {
      hint: 'Write it as: skills lint --stdin --stdin-filename skills/greet/SKILL.md',
    })
  }
  if (call.args.length > 0) {
    throw new SkillsError(
      'usage/invalid',
      `--stdin checks one file, but "${call.args[0]}" was given as well`,
      { hint: `Type "skills lint --stdin --stdin-filename ${quoteShellWord(name)}"` },
    )
  }
  const file = resolve(context.cwd, name)
  const dir = findSkillRoot(context, file)
  const text = await readStdinText(context.stdin as Readable)
  return { dir, path: relative(dir, file).replaceAll('\\', '/'), text }
}

/** An unsaved file may be the one that makes its folder a skill. */
function findSkillRoot(context: Context, file: string): string {
  const folder = dirname(file)
  if (['skill.toml', 'SKILL.md'].includes(basename(file)) && mayBeFolder(folder)) return folder
  let existing = folder
  while (!existsSync(existing)) existing = dirname(existing)
  const [dir] = findTargets(context.cwd, [existing])
  if (
    dir !== undefined &&
    !relative(dir, file).startsWith('..') &&
    !isAbsolute(relative(dir, file))
  )
    return dir
  throw new SkillsError('usage/invalid', `"${file}" is not inside a skill`, {
    hint: 'Pass --stdin-filename a file inside a skill',
  })
}

function mayBeFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() !== false
  } catch {
    return false
  }
}

/** Larger than any file that lint reads. */
const MAX_INPUT_BYTES = 4 * 1024 * 1024

async function readStdinText(stdin: Readable): Promise<string> {
  const bytes = await readStreamUpTo(stdin, MAX_INPUT_BYTES)
  if (!bytes) {
    throw new SkillsError(
      'usage/invalid',
      `Standard input has more than ${MAX_INPUT_BYTES} bytes`,
      {
        hint: 'Write the text to its file, and type "skills lint <file>"',
      },
    )
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new SkillsError('lint/could-not-check', 'Standard input is not UTF-8 text', {
      hint: 'Save the file as UTF-8, and type "skills lint <file>"',
    })
  }
}
