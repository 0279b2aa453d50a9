import { spawnSync } from 'node:child_process'
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
  /** Path of the bare repository. */
  bare: string
  /** `git+file://` address of the bare repository. */
  url: string
  /** Writes files, commits and pushes them; returns the id of the commit. */
  commit(tree: Tree): string
  /** Runs git in the work tree, and pushes all branches and tags. */
  push(...args: string[]): void
}

/** A work tree and the bare repository that it pushes to. */
export function createGitRepository(tree: Tree, name = 'repo'): TestRepository {
  const work = createFolder({})
  const bare = join(createFolder({}), `${name}.git`)
  runGit(work, 'init', '--quiet', '--initial-branch=main')
  runGit(work, 'init', '--quiet', '--bare', '--initial-branch=main', bare)
  const pushAll = () => {
    runGit(work, 'push', '--quiet', '--force', '--all', bare)
    runGit(work, 'push', '--quiet', '--force', '--tags', bare)
  }
  const repository: TestRepository = {
    work,
    bare,
    url: `git+file://${bare}`,
    commit(files) {
      writeTree(work, files)
      runGit(work, 'add', '--all')
      runGit(work, 'commit', '--quiet', '--allow-empty', '--message=change')
      pushAll()
      return runGit(work, 'rev-parse', 'HEAD')
    },
    push(...args) {
      runGit(work, ...args)
      pushAll()
    },
  }
  repository.commit(tree)
  return repository
}
