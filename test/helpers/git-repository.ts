import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder, writeTree, type Tree } from './skills.ts'

/** Runs git with an identity and without the configuration of the user. */
export function runGit(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org']
  const done = spawnSync('git', [...identity, ...args], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  })
  if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`)
  return done.stdout.trim()
}

export interface TestRepository {
  /** Work tree. */
  work: string
  /** Path of the git folder, from which others fetch. */
  gitDir: string
  /** `git+file://` address of the git folder. */
  url: string
  /** Writes files and commits them; returns the id of the commit. */
  commit(tree: Tree): string
}

/** A work tree, and its git folder at a path of its own, so that no commit has to be pushed. */
export function createGitRepository(
  tree: Tree,
  { name = 'repo', folder = createFolder() } = {},
): TestRepository {
  const work = join(folder, 'work')
  const gitDir = join(folder, `${name}.git`)
  mkdirSync(work)
  const separate = ['--template=', '--separate-git-dir', gitDir]
  runGit(work, 'init', '--quiet', '--initial-branch=main', ...separate)
  const commit: TestRepository['commit'] = (files) => {
    writeTree(work, files)
    runGit(work, 'add', '--all')
    runGit(work, 'commit', '--quiet', '--allow-empty', '--message=change')
    return runGit(work, 'rev-parse', 'HEAD')
  }
  commit(tree)
  return { work, gitDir, url: `git+file://${gitDir}`, commit }
}
