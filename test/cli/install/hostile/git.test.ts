// @module-tag slow
import { symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe } from 'vitest'
import {
  createGitRepository,
  runGit,
  type TestRepository,
} from '../../../helpers/git-repository.ts'
import { createTextSkill, prefixPaths } from '../../../helpers/projects.ts'
import { createFolder, type Tree } from '../../../helpers/skills.ts'
import { testAttacks, type InstallAttack } from './attack.ts'

const GREET = createTextSkill('greet')
const NEWER = createTextSkill('greet', '0.2.0')

/** A repository with a fault. */
function fault(
  name: string,
  says: string,
  change: (repository: TestRepository) => string | void,
): InstallAttack {
  return {
    name,
    says,
    control: 'a repository',
    prepare(_, isHostile) {
      const repository = createGitRepository(GREET)
      const ref = isHostile ? change(repository) : undefined
      return `install ${repository.url}${ref === undefined ? '' : `#${ref}`} --yes`
    },
  }
}

const files = (name: string, says: string, tree: Tree): InstallAttack =>
  fault(name, says, ({ commit }) => void commit(tree))

/** Adds an entry that no work tree can have, as a branch. */
function entry(name: string, says: string, added: string): InstallAttack {
  const [path = '', mode = '100644'] = added.split(' ')
  return fault(name, says, ({ work }) => {
    const [blob, folder] = ['HEAD:SKILL.md', 'HEAD:references'].map((each) =>
      runGit(work, 'rev-parse', each),
    )
    const entries = [
      ['100644', 'SKILL.md', blob],
      ['40000', 'references', folder],
      [mode, path, blob],
    ]
    const tree = writeTreeObject(work, entries as string[][])
    runGit(work, 'update-ref', 'refs/heads/evil', runGit(work, 'commit-tree', '-m', 'evil', tree))
    return 'evil'
  })
}

/** Writes a tree object without the checks of git. */
function writeTreeObject(work: string, entries: readonly (readonly string[])[]): string {
  const parts = entries
    .toSorted(([, a = ''], [, b = '']) => (a < b ? -1 : 1))
    .map(([mode, path, id = '']) =>
      Buffer.concat([Buffer.from(`${mode} ${path}\0`), Buffer.from(id, 'hex')]),
    )
  const file = join(createFolder(), 'tree')
  writeFileSync(file, Buffer.concat(parts))
  return runGit(work, 'hash-object', '-t', 'tree', '-w', '--literally', file)
}

const CONTENT: readonly InstallAttack[] = [
  fault('a link', 'is a symbolic link', ({ work, commit }) => {
    symlinkSync('/etc/passwd', join(work, 'secret.txt'))
    commit({})
  }),
  fault('a submodule', 'is a submodule', ({ work }) => {
    const id = runGit(work, 'rev-parse', 'HEAD')
    runGit(work, 'update-index', '--add', '--cacheinfo', `160000,${id},module`)
    runGit(work, 'commit', '--quiet', '--message=module')
  }),
  fault('a link as SKILL.md', 'it has no SKILL.md', ({ work }) => {
    runGit(work, 'rm', '--quiet', 'SKILL.md')
    symlinkSync('/etc/passwd', join(work, 'SKILL.md'))
    runGit(work, 'add', '--all')
    runGit(work, 'commit', '--quiet', '--message=link')
  }),
  files('two paths in different case', 'are one file', { 'a.md': 'a', 'A.md': 'b' }),
  files('two forms of Unicode', 'is there twice', { 'caf\u00e9.md': 'a', 'cafe\u0301.md': 'b' }),
  files('a device of Windows', 'is reserved on Windows', { 'aux.md': 'x' }),
  files('a path that reorders text', 'is not visible', { 'a\u202egpj.md': 'x' }),
  files('a path that Windows reads as a stream', 'Windows does not allow', { 'a:b.md': 'x' }),
  files('a skill that is too large', 'more than 25 MiB', { data: 'a'.repeat(26 * 1024 ** 2) }),
  files(
    'too many files',
    'more than 1000 files',
    Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`data/${at}`, ''])),
  ),
  entry('a path that leads out', 'evil.md', '../evil.md'),
  entry('an absolute path', 'is absolute', '/tmp/evil.md'),
  entry('a path of two dots', '".."', '..'),
  entry('a folder of git', 'version control', '.GIT'),
  entry('a folder of git by its short name', 'version control', 'git~1'),
  entry('an unknown mode', '"device.md" is a submodule', 'device.md 60000'),
]

/** A reference, or an address, that git could take for something else. */
function address(name: string, says: string, edit: (url: string) => string): InstallAttack {
  return {
    name,
    says,
    control: 'an address',
    prepare(_, isHostile) {
      const { url } = createGitRepository(GREET)
      return `install ${isHostile ? edit(url) : `${url}#main`} --yes`
    },
  }
}

const marker = '/tmp/skills-test-marker'

const ADDRESSES: readonly InstallAttack[] = [
  address('an option as a reference', 'is not a branch', (url) => `${url}#--upload-pack=${marker}`),
  address('a short option', 'is not a branch', (url) => `${url}#-u`),
  address('a range as a reference', 'is not a branch', (url) => `${url}#main..other`),
  address('a pattern as a reference', 'is not a branch', (url) => `${url}#refs/heads/*`),
  address('a refspec as a reference', 'is not a branch', (url) => `${url}#+a^b`),
  address('an option as a folder', 'has no SKILL.md', (url) => `${url}#main:--output=${marker}`),
  address('a folder that leads out', 'is not a folder', (url) => `${url}#main:../..`),
  address('an absolute folder', 'is not a folder', (url) => `${url}#main:/etc`),
  address('a folder of git', 'is not a folder', (url) => `${url}#main:.git`),
  address('a transport that starts a program', 'is not known', () => `git+ext::touch%20${marker}`),
  address('ssh with an option', 'is not known', () => `git+ssh://-oProxyCommand=touch/x`),
  address('http', 'is not known', () => 'git+http://127.0.0.1/x.git'),
  address('an option as an address', 'cannot be fetched', () => `git+https:--upload-pack=x`),
  address('an option as an owner', 'expected github:', () => 'github:-u/--exec'),
  address('a repository of two dots', 'expected github:', () => 'github:acme/..'),
  address('a password', 'contains a user name', () => 'git+https://me:pw@example.com/x.git'),
  address(
    'a commit that the server does not have',
    'cannot be fetched',
    (url) => `${url}#${'0'.repeat(40)}`,
  ),
]

/** A repository that changes after its version 0.1.0 was installed. */
function changed(
  name: string,
  says: string,
  { ref, next }: { ref: string; next: (repository: TestRepository) => string },
): InstallAttack {
  return {
    name,
    says,
    control: `a later version of ${ref}`,
    async prepare({ succeed }, isHostile) {
      const repository = createGitRepository(GREET)
      runGit(repository.work, 'tag', 'v1')
      await succeed(`install ${repository.url}#${ref} --yes`)
      if (isHostile) return next(repository)
      repository.commit(NEWER)
      runGit(repository.work, 'tag', 'v2')
      return ref === 'main' ? 'update --yes' : `install ${repository.url}#v2 --yes`
    },
  }
}

const CHANGES: readonly InstallAttack[] = [
  changed('a tag that moved', 'the tag "v1" was', {
    ref: 'v1',
    next({ url, commit, work }) {
      commit(NEWER)
      runGit(work, 'tag', '--force', 'v1')
      return `install ${url}#v1 --yes`
    },
  }),
  changed('a branch with an older version', '0.0.9 is older', {
    ref: 'main',
    next({ commit }) {
      commit(createTextSkill('greet', '0.0.9'))
      return 'update --yes'
    },
  }),
  changed('a branch with another skill', 'has the skill "pdf" now', {
    ref: 'main',
    next({ commit }) {
      commit(createTextSkill('pdf', '0.2.0'))
      return 'update --yes'
    },
  }),
  changed('another repository', 'another source', {
    ref: 'main',
    next: () => `install ${createGitRepository(NEWER).url} --yes`,
  }),
  changed('another folder of the repository', 'another source', {
    ref: 'main',
    next({ url, commit }) {
      commit(prefixPaths('other', NEWER))
      return `install ${url}#main:other --yes`
    },
  }),
  {
    name: 'a mirror with an older version',
    says: '0.1.0 is older than the installed 0.2.0',
    async prepare({ env, succeed }, isHostile) {
      const { gitDir, commit, work } = createGitRepository(GREET)
      const owner = join(createFolder(), 'owner')
      symlinkSync(dirname(gitDir), owner)
      env['SKILLS_GITHUB_URL'] = `file://${dirname(owner)}`
      const first = runGit(work, 'rev-parse', 'HEAD')
      commit(NEWER)
      await succeed('install github:owner/repo@main --yes')
      if (isHostile) runGit(work, 'reset', '--quiet', '--hard', first)
      else commit(createTextSkill('greet', '0.3.0'))
      return 'update --yes'
    },
  },
  {
    name: 'wider rights without a consent',
    says: 'connects to https://api.example.com:443 (new)',
    isPending: true,
    async prepare({ succeed, run }, isHostile) {
      const toml = 'name = "greet"\ndescription = "x"\nkind = "instruction"\n'
      const rights = '[permissions]\nnetwork = ["https://api.example.com"]\n'
      const { url, commit } = createGitRepository({
        ...GREET,
        'skill.toml': `${toml}version = "0.1.0"\n`,
      })
      await succeed(`install ${url} --yes`)
      commit({ 'skill.toml': `${toml}version = "0.2.0"\n${rights}` })
      if (isHostile) return 'update'
      const { stdout } = await run('update --json')
      const [digest = ''] = /(?<=--trust )sha256:[0-9a-f]{64}/.exec(stdout) ?? []
      return `update --trust ${digest}`
    },
  },
]

describe('a repository with', () => {
  testAttacks(CONTENT)
})

describe('an address of a repository with', () => {
  testAttacks(ADDRESSES)
})

describe('a repository that offers', () => {
  testAttacks(CHANGES)
})
