import { resolve } from 'node:path'
import { MISSING, stampPath } from '../../core/skills/repository/stamps.ts'
import { SkillsError } from '../../errors.ts'
import { type CommandLine, getTextOption } from '../command.ts'
import type { Context } from '../context.ts'
import { buildLintRequest, type LintRequest } from '../lint-request.ts'
import { stampFolders, type Stamps } from '../run/folder-stamps.ts'
import { watchRuns } from '../run/watch-runs.ts'
import { concludeLint, runLint } from './run-lint.ts'

/** Names that no rule reads: version control, packages, byte code, and temporary files of editors. */
const IGNORED_NAMES =
  /^\.git$|^node_modules$|^\.?venv$|^__pycache__$|~$|^4913$|^\..*\.sw[a-p]$|^\.#|^\.[0-9a-f]{12}\.tmp$/

/** Options with a result that a later run cannot repeat. */
const SINGLE_RUN_OPTIONS = ['stdin', 'diff', 'writeBaseline', 'updateBaseline']

/** Formats whose report is one document. */
const DOCUMENT_FORMATS = ['json', 'sarif', 'junit']

/** Erases the screen and the scrollback, and moves the cursor to the first line. */
const CLEAR_SCREEN = '\u001B[2J\u001B[3J\u001B[H'

/** Lints immediately and after every change of the skills, until interrupted. */
export async function watchLint(context: Context, call: CommandLine): Promise<number> {
  let request = await buildLintRequest(context, call)
  checkWatchOptions(call, request)
  const report = getTextOption(call, 'outputFile')
  const reportFile = report === undefined ? undefined : resolve(context.cwd, report)
  const isIgnored = (path: string) => path === reportFile
  let isFirst = true
  const run = async (signal: AbortSignal): Promise<number> => {
    request = await buildLintRequest(context, call)
    const { result, output } = await runLint(context, call, request)
    // The files changed during the check, which is repeated at once.
    if (signal.aborted) return 0
    if (!isFirst && output !== '') separateReports(context)
    isFirst = false
    context.stdout.write(output)
    return concludeLint(context, call, { request, result })
  }
  const name = call.args.length > 0 ? call.args.join(' ') : 'the skills of this project'
  const watched = { name, listPaths: async () => [context.cwd] }
  return await watchRuns(context, watched, {
    run,
    isIgnored,
    scan: () => stampLintedFiles(request, isIgnored),
  })
}

function checkWatchOptions(call: CommandLine, { format }: LintRequest): void {
  const other = SINGLE_RUN_OPTIONS.find((name) => call.options[name] === true)
  if (other !== undefined) {
    const flag = other.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    throw new SkillsError('usage/invalid', `Expected --watch or --${flag}, got both`, {
      hint: 'Remove one of them',
    })
  }
  if (!DOCUMENT_FORMATS.includes(format) || getTextOption(call, 'outputFile') !== undefined) return
  throw new SkillsError('usage/invalid', `--watch cannot print several ${format} documents`, {
    hint: 'Add --output-file, or choose --format concise',
  })
}

/** A terminal shows only the last report. Other readers get all of them, with an empty line between. */
function separateReports({ stdout, env }: Context): void {
  stdout.write(stdout.isTTY === true && env['TERM'] !== 'dumb' ? CLEAR_SCREEN : '\n')
}

/** Stamps of the files of all skills, also of new ones, and of the configuration. */
function stampLintedFiles(
  { findSkills, configFiles, baseline }: LintRequest,
  isIgnored: (path: string) => boolean,
): Stamps {
  const stamps = new Map(stampFolders(listSkills(findSkills), isIgnored, IGNORED_NAMES))
  for (const file of [...configFiles, ...(baseline ? [baseline.file] : [])])
    stamps.set(file, stampPath(file))
  for (const [path, stamp] of stamps) if (stamp === MISSING) stamps.delete(path)
  return stamps
}

/** Folders of the skills; none if the last one was deleted, which the next run reports. */
function listSkills(findSkills: () => string[]): string[] {
  try {
    return findSkills()
  } catch {
    return []
  }
}
