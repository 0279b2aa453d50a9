import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createFolder, writeTree, type Tree } from '../../helpers/skills.ts'
import { createRootProject, TWO_SKILLS } from './root-project.ts'

const IDENTITY = ['-c', 'user.name=t', '-c', 'user.email=t@example.com']

function runGit(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', [...IDENTITY, ...args], { cwd, encoding: 'utf8' }).trim()
}

function createRepository(tree: Tree): { dir: string; commit(more: Tree): string } {
  const dir = createFolder(tree)
  runGit(dir, 'init', '--quiet', '--initial-branch=main')
  const commit = (more: Tree) => {
    writeTree(dir, more)
    runGit(dir, 'add', '-A')
    runGit(dir, 'commit', '--quiet', '-m', 'change')
    return runGit(dir, 'rev-parse', 'HEAD')
  }
  return { dir, commit }
}

it(
  'a repository with many skills is pinned to a commit, until it is updated',
  { tags: ['slow'] },
  async () => {
    const { configure, run, pins, cache } = createRootProject()
    const repository = createRepository(TWO_SKILLS)
    // A link outside of skills is of no interest.
    symlinkSync('/etc/passwd', join(repository.dir, 'link'))
    const first = repository.commit({})
    configure(`git+file://${repository.dir}#main`)
    const fetched = await run('roots', 'fetch', '--yes', '--json')
    expect(fetched.stderr).not.toContain('error')
    expect(readFileSync(pins, 'utf8')).toContain(`#${first}`)
    const second = repository.commit(prefixPaths('skills/third', createActionSkill('demo.third')))
    expect((await run('list')).stdout).not.toContain('demo.third')
    expect((await run('roots', 'update')).stderr).toContain('+ demo.third@0.1.0')
    expect(readFileSync(pins, 'utf8')).toContain(`#${first}`)
    expect(await run('roots', 'update', '--yes')).toMatchObject({ code: 0 })
    expect(readFileSync(pins, 'utf8')).toContain(`#${second}`)
    expect((await run('list')).stdout).toContain('demo.third')
    expect(existsSync(cache)).toBe(true)
  },
)

it('a link in a skill of a repository is refused, and nothing is stored', async () => {
  const { configure, run, pins } = createRootProject()
  const repository = createRepository(TWO_SKILLS)
  symlinkSync('/etc/passwd', join(repository.dir, 'skills/greet/data.txt'))
  repository.commit({})
  configure(`git+file://${repository.dir}`)
  const { code, stderr } = await run('roots', 'fetch', '--yes')
  expect(code).not.toBe(0)
  expect(stderr).toContain('symbolic link')
  expect(existsSync(pins)).toBe(false)
})

it('a folder of a repository is a root of its own', async () => {
  const { configure, run } = createRootProject()
  const repository = createRepository(TWO_SKILLS)
  repository.commit({})
  configure(`git+file://${repository.dir}#main:more`)
  expect(await run('roots', 'fetch', '--yes')).toMatchObject({ code: 0 })
  const { stdout } = await run('list')
  expect(stdout).toContain('demo.count')
  expect(stdout).not.toContain('demo.greet')
})
