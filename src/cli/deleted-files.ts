import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { findSkillAbove } from '../core/lint/targets.ts'
import { QUERY_TIMEOUT_MS, runHostProgram } from '../core/host-programs/run-host-program.ts'
import { SkillsError } from '../errors.ts'
import { isSearchedFolder } from '../util/searched-folders.ts'
import type { Context } from './context.ts'

/**
 * Finds the skills from which git's index deletes or moves a file: a link to it is broken now. Under
 * pre-commit with two revisions, the deletions between them count instead.
 */
export async function findSkillsWithDeletions(context: Context): Promise<string[]> {
  const found = new Set<string>()
  for (const path of await listDeletedFiles(context)) {
    const file = resolve(context.cwd, path)
    const folder = dirname(file)
    const lostManifest = ['SKILL.md', 'skill.toml'].includes(basename(file))
    const skill = lostManifest && holdsFiles(folder) ? folder : findExistingSkill(folder)
    if (skill !== undefined) found.add(skill)
  }
  return [...found].sort()
}

async function listDeletedFiles({ cwd, env }: Context): Promise<string[]> {
  const { PRE_COMMIT_FROM_REF: from, PRE_COMMIT_TO_REF: to } = env
  const range = from && to ? [`${from}...${to}`] : ['--cached']
  const options = ['--name-only', '-z', '--no-renames', '--no-ext-diff', '--diff-filter=D']
  const argv = [
    'git',
    '-c',
    'core.fsmonitor=false',
    'diff',
    ...options,
    '--relative',
    ...range,
    '--',
  ]
  // A commit hook gets the index of its commit in GIT_INDEX_FILE.
  const result = await runHostProgram(argv, { cwd, env, timeoutMs: QUERY_TIMEOUT_MS })
  if (result.ok && !result.wasCut) return result.stdout.split('\0').filter((path) => path !== '')
  const reason = result.failedToStart?.message ?? `git diff exited with ${result.exitCode}`
  throw new SkillsError(
    'lint/could-not-check',
    `Cannot list the deleted files of the commit: ${reason}`,
    { hint: 'Run the command in a git repository, or without --deleted' },
  )
}

/** True if a folder still has files of its own, outside of nested skills. */
function holdsFiles(dir: string): boolean {
  const entries = readEntries(dir)
  if (entries.some((entry) => entry.isFile())) return true
  return entries.some((entry) => {
    if (!entry.isDirectory() || !isSearchedFolder(entry.name)) return false
    const child = join(dir, entry.name)
    return findSkillAbove(child) !== child && holdsFiles(child)
  })
}

function readEntries(dir: string) {
  try {
    return readdirSync(dir, { withFileTypes: true })
  } catch {
    return []
  }
}

/** Skill around a folder that git may have removed with its last file. */
function findExistingSkill(folder: string): string | undefined {
  let existing = folder
  while (!statSync(existing, { throwIfNoEntry: false })?.isDirectory()) existing = dirname(existing)
  return findSkillAbove(existing)
}
