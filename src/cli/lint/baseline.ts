import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import {
  type BaselineEntry,
  createBaseline,
  formatBaseline,
  keyFindings,
  matchBaseline,
  parseBaseline,
  removeStale,
} from '../../core/lint/baseline.ts'
import type { Finding } from '../../core/lint/finding.ts'
import type { LintResult } from '../../core/lint/lint.ts'
import { createLintSettings } from '../../core/lint/settings.ts'
import { maskSource } from '../../core/lint/secrets/mask-secrets.ts'
import { RULES } from '../../core/lint/rules/index.ts'
import { SkillsError } from '../../errors.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import type { Context } from '../context.ts'
import type { LintRequest } from '../lint-request.ts'
import { formatCount } from '../ui/text.ts'
import { createSourceReader } from './render.ts'

/** Removes the findings that the baseline lists from a result; writes the baseline on request. */
export function applyBaseline(
  context: Context,
  request: LintRequest,
  result: LintResult,
): LintResult {
  const { baseline } = request
  if (!baseline) return result
  const { file, mode } = baseline
  const present = mode === 'write' && !existsSync(file) ? [] : readBaseline(context, file)
  const keyed = keyFindings(
    result.findings,
    createSourceReader(context, { request, result, maskSource }),
    (path) => relative(dirname(file), resolve(context.cwd, path)).replaceAll('\\', '/') || '.',
  )
  const isChecked = createEntryFilter(request, file)
  const others = present.filter((entry) => !isChecked(entry))
  if (mode === 'write') {
    const entries = createBaseline(keyed)
    writeBaseline(context, file, [...others, ...entries])
    context.note(`Wrote ${formatCount(keyed.length, 'finding')} to ${printPath(context, file)}`)
    return replaceFindings(result, [], result.findings)
  }
  const { remaining, listed, stale } = matchBaseline(keyed, present.filter(isChecked))
  const fixed = stale.reduce((sum, { count }) => sum + count, 0)
  if (mode === 'update') {
    if (fixed > 0) writeBaseline(context, file, removeStale(present, stale))
    const name = printPath(context, file)
    context.note(`Removed ${formatCount(fixed, 'finding')} from ${name}`)
  } else if (fixed > 0) {
    const command = `skills lint --baseline ${quoteShellWord(printPath(context, file))} --update-baseline`
    const verb = fixed === 1 ? 'exists' : 'exist'
    context.note(
      `${formatCount(fixed, 'finding')} of the baseline no longer ${verb}; to update it, type: ${command}`,
    )
  }
  return replaceFindings(result, remaining, listed)
}

/**
 * Entries of skills and rules that this run checked. A path that does not exist any more counts as
 * checked, since no run can report it.
 */
function createEntryFilter({ options }: LintRequest, file: string) {
  const settings = createLintSettings(options.config.lint, options.rules)
  const off = new Set(RULES.filter((rule) => settings.isOff(rule)).map(({ id }) => id as string))
  return ({ path, rule }: BaselineEntry): boolean => {
    if (off.has(rule)) return false
    const absolute = join(dirname(file), path)
    const isInSkill = options.skills.some((dir) => `${absolute}/`.startsWith(`${dir}/`))
    return isInSkill || !existsSync(absolute)
  }
}

function readBaseline(context: Context, file: string): BaselineEntry[] {
  const name = printPath(context, file)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    const message = isMissing
      ? `The baseline "${name}" does not exist`
      : `Cannot read the baseline "${name}" (${(cause as NodeJS.ErrnoException).code})`
    const hint = `Write it with: skills lint --baseline ${quoteShellWord(name)} --write-baseline`
    throw new SkillsError('usage/invalid', message, { hint, cause })
  }
  return parseBaseline(text, name)
}

function writeBaseline(context: Context, file: string, entries: readonly BaselineEntry[]): void {
  try {
    writeFileSync(file, formatBaseline(entries))
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new SkillsError(
      'lint/could-not-check',
      `Cannot write the baseline "${printPath(context, file)}" (${reason})`,
      { hint: 'Pass --baseline a path in an existing folder', cause },
    )
  }
}

function replaceFindings(
  result: LintResult,
  findings: readonly Finding[],
  listed: readonly Finding[],
): LintResult {
  const count = (test: (finding: Finding) => boolean) => findings.filter(test).length
  const external = listed.map((finding) => ({
    finding,
    kind: 'external' as const,
    reason: undefined,
  }))
  return {
    ...result,
    findings,
    suppressed: [...result.suppressed, ...external],
    errors: count(({ severity }) => severity === 'error'),
    warnings: count(({ severity }) => severity === 'warning'),
    infos: count(({ severity }) => severity === 'info'),
    fixableSafe: count(({ fix }) => fix === 'safe'),
    fixableUnsafe: count(({ fix }) => fix === 'unsafe'),
  }
}

function printPath(context: Context, file: string): string {
  const path = relative(context.cwd, file)
  return path.startsWith('..') ? file : path
}
