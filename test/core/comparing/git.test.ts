// @module-tag slow
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { readFolderSnapshot } from '../../../src/core/comparing/snapshots/folder-snapshot.ts'
import { createGitEnvironment } from '../../../src/core/comparing/snapshots/git-program.ts'
import { readGitSnapshot } from '../../../src/core/comparing/snapshots/git-snapshot.ts'
import { EXAMPLE_SKILL } from '../../../src/core/lint/example-skill.ts'
import { INHERITED_ENV } from '../../helpers/inherited-env.ts'
import { createFolder, writeTree, type Tree } from '../../helpers/skills.ts'

vi.setConfig({ testTimeout: 60_000 })

const PERSON = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false']

function git(cwd: string, ...args: string[]): string {
  const env = { ...INHERITED_ENV, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  return execFileSync('git', [...PERSON, ...args], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim()
}

/** A repository with one commit of the example skill in skills/greet. */
function createRepository(tree: Tree = {}): string {
  const dir = createFolder()
  const files = Object.entries({ ...EXAMPLE_SKILL, ...tree })
  writeTree(dir, Object.fromEntries(files.map(([path, text]) => [`skills/greet/${path}`, text])))
  git(dir, 'init', '--quiet', '--template=')
  git(dir, 'add', '.')
  git(dir, 'commit', '--quiet', '-m', 'one')
  return dir
}

async function read(cwd: string, ref = 'HEAD', path = 'skills/greet') {
  return await readGitSnapshot({ cwd, ref, path, env: INHERITED_ENV }, 'skill')
}

describe('the snapshot of a commit', () => {
  it('has the same files, modes and digests as the folder', async () => {
    const tree = {
      'run.sh': '#!/bin/sh\n',
      'data.bin': Buffer.from([0, 255, 10, 13]),
      empty: '',
      'é ü\n.txt': 'x',
    }
    const dir = createRepository(tree)
    const skill = join(dir, 'skills/greet')
    chmodSync(join(skill, 'run.sh'), 0o755)
    symlinkSync('../../../etc/passwd', join(skill, 'link'))
    git(dir, 'add', '.')
    git(dir, 'commit', '--quiet', '-m', 'two')
    for (const name of Object.keys(tree)) if (name !== 'run.sh') chmodSync(join(skill, name), 0o644)
    const folder = readFolderSnapshot(skill, 'skill')
    const commit = await read(dir)
    const list = ({ files }: typeof commit) =>
      [...files]
        .map(([path, { type, size, digest, target, mode }]) => [
          path,
          type,
          size,
          digest,
          target,
          mode & 0o111,
        ])
        .map((each) => JSON.stringify(each))
        .toSorted()
    expect(list(commit)).toEqual(list(folder))
    expect(commit.files.get('link')).toMatchObject({ type: 'link', target: '../../../etc/passwd' })
  })

  it('leaves the work tree and the index unchanged', async () => {
    const dir = createRepository()
    const state = () =>
      `${git(dir, 'status', '--porcelain')}\n${readdirSync(join(dir, '.git')).join()}`
    const before = state()
    await read(dir)
    expect(state()).toBe(before)
  })

  it('keeps only the digest of a large file', async () => {
    const dir = createRepository({ 'big.bin': Buffer.alloc(3 * 1024 * 1024, 7) })
    const file = (await read(dir)).files.get('big.bin')
    expect(file).toMatchObject({ size: 3 * 1024 * 1024 })
    expect(file?.bytes).toBeUndefined()
    expect(file?.digest).toBe(
      readFolderSnapshot(join(dir, 'skills/greet'), 'x').files.get('big.bin')?.digest,
    )
  })

  it.each([
    '--output=/tmp/x',
    '-h',
    'HEAD..main',
    ':/one',
    'HEAD:skills',
    'HEAD^{/one}',
    'a b',
    'x\u001B[31m',
    '',
    '$(touch x)',
    '../x',
    'x'.repeat(300),
  ])('the reference %j is refused before git sees it', async (ref) => {
    const dir = createFolder()
    await expect(read(dir, ref)).rejects.toMatchObject({ code: 'usage/invalid' })
  })

  it('a commit, a folder and a repository that do not exist are explained', async () => {
    const dir = createRepository()
    await expect(read(dir, 'nothing')).rejects.toThrow('git has no commit "nothing"')
    await expect(read(dir, 'HEAD', 'skills/none')).rejects.toThrow(
      'There is no folder "skills/none" at HEAD',
    )
    await expect(read(dir, 'HEAD', '../../x')).rejects.toThrow('is outside of the git repository')
    await expect(read(createFolder())).rejects.toThrow('Cannot read the git repository')
  })
})

/** A command that leaves a trace. */
function createTrap(): { trap: string; sprung: () => boolean } {
  const dir = createFolder()
  const trap = join(dir, 'trap.sh')
  writeFileSync(trap, `#!/bin/sh\ntouch ${join(dir, 'sprung')}\nexit 1\n`, { mode: 0o755 })
  return { trap, sprung: () => existsSync(join(dir, 'sprung')) }
}

describe('a hostile repository', () => {
  it('cannot start a transport for objects that it lacks, which git alone would do', async () => {
    const dir = createRepository({ 'lost.txt': 'lost' })
    const { trap, sprung } = createTrap()
    git(dir, 'config', 'core.repositoryformatversion', '1')
    git(dir, 'config', 'extensions.partialClone', 'origin')
    git(dir, 'config', 'remote.origin.url', `ext::${trap}`)
    git(dir, 'config', 'remote.origin.promisor', 'true')
    git(dir, 'config', 'protocol.ext.allow', 'always')
    const id = git(dir, 'rev-parse', 'HEAD:skills/greet/lost.txt')
    rmSync(join(dir, '.git/objects', id.slice(0, 2), id.slice(2)))
    await expect(read(dir)).rejects.toMatchObject({ code: 'file/unreadable' })
    expect(sprung()).toBe(false)
    // The control: the same object by git without the guard.
    expect(() => git(dir, 'cat-file', '-p', id)).toThrow('Command failed')
    expect(sprung()).toBe(true)
  })

  it('cannot run filters, text conversions, monitors and hooks', async () => {
    const dir = createRepository({
      'a.dat': 'data',
      '.gitattributes': '*.dat filter=evil diff=evil\n',
    })
    const { trap, sprung } = createTrap()
    for (const key of [
      'filter.evil.smudge',
      'filter.evil.clean',
      'diff.evil.textconv',
      'core.fsmonitor',
      'core.pager',
    ]) {
      git(dir, 'config', key, trap)
    }
    mkdirSync(join(dir, '.git/hooks'), { recursive: true })
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction']) {
      symlinkSync(trap, join(dir, '.git/hooks', hook))
    }
    expect((await read(dir)).files.get('a.dat')?.bytes).toEqual(Buffer.from('data'))
    expect(sprung()).toBe(false)
    // The control: a text conversion of the same configuration.
    expect(() => git(dir, 'cat-file', '--textconv', 'HEAD:skills/greet/a.dat')).toThrow(
      'Command failed',
    )
    expect(sprung()).toBe(true)
  })

  it('cannot replace a commit by another one', async () => {
    const dir = createRepository()
    const first = git(dir, 'rev-parse', 'HEAD')
    writeTree(dir, { 'skills/greet/SKILL.md': 'other' })
    git(dir, 'commit', '--quiet', '-am', 'two')
    git(dir, 'replace', first, 'HEAD')
    const text = (await read(dir, first)).files.get('SKILL.md')?.bytes
    expect(Buffer.from(text ?? []).toString()).toBe(EXAMPLE_SKILL['SKILL.md'])
    expect(git(dir, 'show', `${first}:skills/greet/SKILL.md`)).toBe('other')
  })

  it('variables of git in the environment have no effect', async () => {
    const dir = createRepository()
    const env = { ...INHERITED_ENV, GIT_DIR: '/nonexistent', GIT_EXTERNAL_DIFF: 'false' }
    const snapshot = await readGitSnapshot(
      { cwd: dir, ref: 'HEAD', path: 'skills/greet', env },
      'x',
    )
    expect(snapshot.files.has('SKILL.md')).toBe(true)
    expect(Object.keys(createGitEnvironment('/bin'))).not.toContain('GIT_DIR')
  })
})
