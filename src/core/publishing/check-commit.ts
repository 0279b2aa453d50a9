import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { openGitReader } from '../comparing/snapshots/git-program.ts'
import { readGitSnapshot } from '../comparing/snapshots/git-snapshot.ts'
import type { ContentSnapshot } from '../comparing/snapshots/snapshot.ts'
import { findLeftOutReason } from '../packing/left-out.ts'
import { describeFiles } from '../packing/packed-file.ts'
import { readSkillFiles } from '../packing/read-skill-files.ts'

/** The commit that has exactly the files of a folder. */
export interface CommitFacts {
  commit: string
  /** The repository's folder. */
  root: string
}

export interface CommitCheck {
  folder: string
  env: Readonly<Record<string, string | undefined>>
}

/**
 * Compares a folder, its tests included, with the current commit; undefined outside of git. Git
 * reads objects only: no filter, hook or setting of the repository takes part.
 */
export async function checkCommit({ folder, env }: CommitCheck): Promise<CommitFacts | undefined> {
  if (!isInRepository(folder)) return undefined
  const git = openGitReader(folder, env)
  const found = await git.run(['rev-parse', '--show-toplevel', 'HEAD'])
  const [root, commit] = found.stdout.split('\n')
  if (!found.ok || root === undefined || commit === undefined) {
    throw uncommittedError('the repository has no commit, or git cannot read it')
  }
  const snapshot = await readGitSnapshot(
    { cwd: folder, ref: commit, path: '.', env },
    'HEAD',
  ).catch((thrown: unknown) => {
    if (thrown instanceof SkillsError && thrown.code === 'skill/not-found') return undefined
    throw thrown
  })
  if (!snapshot) throw uncommittedError('its folder is not part of the current commit')
  const changed = await findUncommitted(folder, snapshot)
  if (changed !== undefined) throw uncommittedError(`"${toPrintable(changed)}" is not committed`)
  return { commit, root }
}

/** True if the folder or one above it has a repository. */
function isInRepository(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return true
    if (dirname(at) === at) return false
  }
}

/** The first file that differs between a folder and a commit. */
async function findUncommitted(
  folder: string,
  snapshot: ContentSnapshot,
): Promise<string | undefined> {
  const limits = { withTests: true, maxFiles: Infinity, maxBytes: Infinity }
  const { files } = await readSkillFiles(folder, limits)
  const present = new Set<string>()
  for (const { path, mode, sha256 } of describeFiles(files)) {
    present.add(path)
    const committed = snapshot.files.get(path)
    const isExecutable = committed !== undefined && (committed.mode & 0o100) !== 0
    if (committed?.digest !== sha256 || isExecutable !== (mode === '100755')) return path
  }
  return [...snapshot.files.keys()].find(
    (path) => !present.has(path) && !isLeftOut(path) && !path.startsWith('.git'),
  )
}

/** True for a file that stays out of archives, and is not a test. */
function isLeftOut(path: string): boolean {
  const parts = path.split('/')
  return parts.some((_, at) => {
    const reason = findLeftOutReason(parts.slice(0, at + 1).join('/'))
    return reason !== undefined && reason !== 'tests'
  })
}

function uncommittedError(problem: string): SkillsError {
  return new SkillsError('skill/changed', `The skill differs from the current commit: ${problem}`, {
    hint: 'Commit it, or publish it in this state with --allow-dirty',
  })
}
