import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SkillsError } from '../../../../src/errors.ts'
import { findPathProblem } from '../../../../src/core/skills/repository/contained-file.ts'
import { openRepository } from '../../../../src/core/skills/repository/open-repository.ts'
import { BUILTIN_SKILLS } from '../../../../src/core/open-services.ts'
import { createFolder, writeTree } from '../../../helpers/skills.ts'

const createToml = (name: string, version = '0.1.0', extra = '') =>
  `name = "${name}"\nversion = "${version}"\ndescription = "Does ${name}."\nkind = "instruction"\n${extra}`

function openRoots(roots: string[], cacheDir?: string) {
  return openRepository({ roots, builtin: BUILTIN_SKILLS, cacheDir })
}

const createOwn = (entries: readonly { name: string; version: string; root: string }[]) =>
  entries
    .filter((each) => each.root !== BUILTIN_SKILLS)
    .map((each) => `${each.name}@${each.version}`)

async function catchCode(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'no error',
    (error: unknown) => (error instanceof SkillsError ? error.code : String(error)),
  )
}

describe('openRepository()', () => {
  it('orders by namespace, name, and version from newest to oldest', async () => {
    const root = createFolder({
      'x/1/skill.toml': createToml('b.x', '1.10.0'),
      'x/2/skill.toml': createToml('b.x', '1.9.0'),
      'x/3/skill.toml': createToml('b.x', '1.10.0-rc.2'),
      'x/4/skill.toml': createToml('b.x', '1.10.0-rc.10'),
      'deep/er/still/skill.toml': createToml('a.z'),
      'plain/SKILL.md': '---\nname: plain\ndescription: Plain one.\n---\n',
    })
    expect(createOwn(await openRoots([root]).list())).toEqual([
      'a.z@0.1.0',
      'b.x@1.10.0',
      'b.x@1.10.0-rc.10',
      'b.x@1.10.0-rc.2',
      'b.x@1.9.0',
      'plain@0.0.0',
    ])
  })

  it('prefers the highest release, and a pre-release only without releases', async () => {
    const root = createFolder({
      'a/skill.toml': createToml('a.x', '2.0.0-beta'),
      'b/skill.toml': createToml('a.x', '1.0.0'),
      'c/skill.toml': createToml('a.y', '1.0.0-beta'),
    })
    const repository = openRoots([root])
    expect((await repository.resolve('a.x')).version).toBe('1.0.0')
    expect((await repository.resolve('a.x', '2.0.0-beta')).version).toBe('2.0.0-beta')
    expect((await repository.resolve('a.y')).version).toBe('1.0.0-beta')
    expect(await catchCode(repository.resolve('a.x', '9.9.9'))).toBe('skill/version-not-found')
    expect(await catchCode(repository.resolve('a.z'))).toBe('skill/not-found')
  })

  it('reports a duplicate with both folders and prefers the first root', async () => {
    const strong = createFolder({ 's/skill.toml': createToml('a.x') })
    const weak = createFolder({ 'w/skill.toml': createToml('a.x') })
    const repository = openRoots([strong, weak])
    expect((await repository.resolve('a.x')).dir).toBe(join(strong, 's'))
    expect(await repository.problems()).toMatchObject([
      { kind: 'duplicate', path: join(weak, 'w'), other: join(strong, 's') },
    ])
  })

  it('always contains the guide, which no skill can replace', async () => {
    const root = createFolder({
      'fake/skill.toml': createToml('skills.protocol.guide', '0.1.0'),
      'newer/skill.toml': createToml('skills.protocol.guide', '9.0.0'),
    })
    const repository = openRoots([root])
    expect((await repository.resolve('skills.protocol.guide')).root).toBe(BUILTIN_SKILLS)
    expect((await repository.problems()).map((each) => each.kind)).toEqual(['shadowed', 'shadowed'])
    expect(await openRoots([]).versions('skills.protocol.guide')).toEqual(['0.1.0'])
  })

  it('reports everything that is not a valid skill as a problem', async () => {
    const root = createFolder({
      'bad/skill.toml': 'name = \n',
      'half/skill.toml': 'name = "a.b"\n',
      'binary/SKILL.md': new Uint8Array([0xff, 0xfe]),
    })
    const repository = openRoots([root])
    expect(createOwn(await repository.list())).toEqual([])
    const paths = (await repository.problems()).map((each) => each.path)
    for (const name of ['bad', 'half', 'binary'])
      expect(paths.some((path) => path.includes(name))).toBe(true)
  })

  it('survives loops of symlinks and reports symlinks to skills that are not listed', async () => {
    const root = createFolder({ 'a/skill.toml': createToml('a.x'), 'n/keep.txt': 'x' })
    const elsewhere = createFolder({ 'b/skill.toml': createToml('a.y') })
    symlinkSync('..', join(root, 'n', 'up'))
    symlinkSync('self', join(root, 'n', 'self'))
    symlinkSync('../a', join(root, 'n', 'skill'))
    symlinkSync(join(elsewhere, 'b'), join(root, 'n', 'other'))
    const cache = createFolder()
    for (const repository of [openRoots([root], cache), openRoots([root], cache)]) {
      expect(createOwn(await repository.list())).toEqual(['a.x@0.1.0'])
      expect((await repository.problems()).map((each) => each.path)).toEqual([
        join(root, 'n', 'other'),
      ])
    }
  })
})

describe('the index', () => {
  it('replaces reading the skills, and follows every change', async () => {
    const root = createFolder({ 'a/skill.toml': createToml('a.x'), 'b/skill.toml': createToml('a.y') })
    const cache = createFolder()
    expect(createOwn(await openRoots([root], cache).list())).toEqual(['a.x@0.1.0', 'a.y@0.1.0'])
    // Proves that the index is used: its content is trusted as long as the stamps agree.
    for (const name of readdirSync(join(cache, 'index'))) {
      const path = join(cache, 'index', name)
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll('Does a.y.', 'From the index'))
    }
    expect((await openRoots([root], cache).resolve('a.y')).description).toBe('From the index')

    writeTree(root, { 'b/skill.toml': createToml('a.y', '0.2.0'), 'c/skill.toml': createToml('a.z') })
    expect(createOwn(await openRoots([root], cache).list())).toEqual(['a.x@0.1.0', 'a.y@0.2.0', 'a.z@0.1.0'])
    execFileSync('rm', ['-r', join(root, 'a')])
    expect(createOwn(await openRoots([root], cache).list())).toEqual(['a.y@0.2.0', 'a.z@0.1.0'])
  })

  it('detects an edit of the same size and time', async () => {
    const root = createFolder({ 'a/skill.toml': createToml('a.x') })
    const cache = createFolder()
    const file = join(root, 'a/skill.toml')
    const when = new Date(1_700_000_000_000)
    utimesSync(file, when, when)
    await openRoots([root], cache).list()
    writeFileSync(file, createToml('a.y'))
    utimesSync(file, when, when)
    expect(createOwn(await openRoots([root], cache).list())).toEqual(['a.y@0.1.0'])
  })

  it('is rebuilt if it is damaged, and optional if it is not writable', async () => {
    const root = createFolder({ 'a/skill.toml': createToml('a.x') })
    const cache = createFolder()
    await openRoots([root], cache).list()
    for (const name of readdirSync(join(cache, 'index')))
      writeFileSync(join(cache, 'index', name), '{"format": 1, "root"')
    expect(createOwn(await openRoots([root], cache).list())).toEqual(['a.x@0.1.0'])
    const blocked = join(createFolder({ file: 'x' }), 'file')
    expect(createOwn(await openRoots([root], blocked).list())).toEqual(['a.x@0.1.0'])
    expect(existsSync(join(blocked, 'index'))).toBe(false)
  })

  it('contains changes of a running process after refresh()', async () => {
    const root = createFolder({ 'a/skill.toml': createToml('a.x') })
    const repository = openRoots([root])
    await repository.list()
    writeTree(root, { 'b/skill.toml': createToml('a.y') })
    expect(createOwn(await repository.list())).toEqual(['a.x@0.1.0'])
    await repository.refresh()
    expect(createOwn(await repository.list())).toEqual(['a.x@0.1.0', 'a.y@0.1.0'])
  })
})

describe('read()', () => {
  async function setUpRepository() {
    const secret = createFolder({ 'secret.txt': 'secret' })
    const root = createFolder({ 's/skill.toml': createToml('a.x'), 's/docs/a.md': '# A', 'sibling/x.txt': 'x' })
    const dir = join(root, 's')
    symlinkSync(join(secret, 'secret.txt'), join(dir, 'link.txt'))
    symlinkSync(secret, join(dir, 'linked'))
    symlinkSync('docs/a.md', join(dir, 'inside.md'))
    execFileSync('mkfifo', [join(dir, 'pipe')])
    writeFileSync(join(dir, 'big.bin'), Buffer.alloc(1024 * 1024 + 1))
    const repository = openRoots([root])
    return { repository, entry: await repository.resolve('a.x'), dir, secret }
  }

  it('reads files of the skill, also through symlinks that stay inside', async () => {
    const { repository, entry } = await setUpRepository()
    expect(Buffer.from((await repository.read(entry, 'docs/a.md')).bytes).toString()).toBe('# A')
    expect((await repository.read(entry, 'inside.md')).kind).toBe('text/markdown')
  })

  it.each([
    '../sibling/x.txt',
    'docs/../../sibling/x.txt',
    '/etc/hosts',
    'docs\\a.md',
    'a\0b',
    '',
    '.',
    'docs//a.md',
    '..%2f..%2fetc/hosts',
    '%2e%2e/x',
    'link.txt',
    'linked/secret.txt',
    'C:/x',
    './docs/a.md',
  ])('rejects %j', async (path) => {
    const { repository, entry } = await setUpRepository()
    expect(await catchCode(repository.read(entry, path))).toBe('file/outside')
  })

  it('would read the secret without the check (control)', async () => {
    const { dir } = await setUpRepository()
    expect(readFileSync(join(dir, 'linked/secret.txt'), 'utf8')).toBe('secret')
  })

  it('rejects pipes, folders, missing files and huge files', async () => {
    const { repository, entry } = await setUpRepository()
    expect(await catchCode(repository.read(entry, 'pipe'))).toBe('file/not-found')
    expect(await catchCode(repository.read(entry, 'docs'))).toBe('file/not-found')
    expect(await catchCode(repository.read(entry, 'nope.md'))).toBe('file/not-found')
    expect(await catchCode(repository.read(entry, 'big.bin'))).toBe('file/too-large')
  })

  it('accepts no generated path that leads out', () => {
    const part = fc.oneof(
      fc.constantFrom('..', '.', '', '%2e%2e', 'a', 'C:', '\\', '\0', '~'),
      fc.string({ maxLength: 4 }),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const path = parts.join('/')
        if (findPathProblem(path) !== undefined) return
        expect(join('/base', path).startsWith('/base/')).toBe(true)
        expect(
          path
            .toLowerCase()
            .replaceAll('%2e', '.')
            .split(/[/\\]|%2f|%5c/),
        ).not.toContain('..')
      }),
      { numRuns: 3000 },
    )
  })
})

describe('digest()', () => {
  it('changes with contents, names and executable bits, and with nothing else', async () => {
    const root = createFolder({ 's/skill.toml': createToml('a.x'), 's/a.txt': 'a' })
    const repository = openRoots([root])
    const entry = await repository.resolve('a.x')
    const first = await repository.digest(entry)
    expect(first).toMatch(/^sha256:[0-9a-f]{64}$/)
    utimesSync(join(root, 's/a.txt'), 1, 1)
    expect(await repository.digest(entry)).toBe(first)
    execFileSync('chmod', ['+x', join(root, 's/a.txt')])
    const second = await repository.digest(entry)
    writeTree(root, { 's/a.txt': 'b' })
    expect(new Set([first, second, await repository.digest(entry)]).size).toBe(3)
  })
})

it('finds ten thousand skills', { tags: ['slow', 'nightly'] }, async () => {
  const root = createFolder()
  for (let at = 0; at < 10_000; at++) {
    mkdirSync(join(root, String(at % 100), String(at)), { recursive: true })
    writeFileSync(
      join(root, String(at % 100), String(at), 'skill.toml'),
      createToml(`n${at % 100}.s${at}`),
    )
  }
  const cache = createFolder()
  expect(createOwn(await openRoots([root], cache).list()).length).toBe(10_000)
  expect(createOwn(await openRoots([root], cache).list()).length).toBe(10_000)
})

describe('skills in unusual folders', () => {
  const plain = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\n\n# Text\n`

  it('are found in folders of hosts and inside other skills, also with an index', async () => {
    const root = createFolder({
      'outer/SKILL.md': plain('outer'),
      'outer/parts/inner/SKILL.md': plain('inner'),
      '.claude/skills/hosted/SKILL.md': plain('hosted'),
      '.git/ignored/SKILL.md': plain('ignored'),
      'outer/.venv/ignored/SKILL.md': plain('ignored'),
    })
    const cacheDir = createFolder()
    const expected = ['hosted@0.0.0', 'inner@0.0.0', 'outer@0.0.0']
    expect(createOwn(await openRoots([root], cacheDir).list())).toEqual(expected)
    expect(createOwn(await openRoots([root], cacheDir).list())).toEqual(expected)
    writeTree(root, { 'outer/added/SKILL.md': plain('added') })
    expect(createOwn(await openRoots([root], cacheDir).list())).toEqual(['added@0.0.0', ...expected])
  })

  it('are not found in the root of uploads, whose drafts and nested skills are not checked', async () => {
    const uploads = createFolder({
      'demo/1.0.0/SKILL.md': plain('demo'),
      'demo/1.0.0/inner/SKILL.md': plain('inner'),
      '.drafts/half/SKILL.md': plain('half'),
    })
    const list = async (options: { uploads?: string }) => {
      const repository = openRepository({ roots: [uploads], builtin: BUILTIN_SKILLS, ...options })
      return createOwn(await repository.list())
    }
    expect(await list({ uploads })).toEqual(['demo@0.0.0'])
    // Control: another root finds all of them.
    expect(await list({})).toEqual(['demo@0.0.0', 'half@0.0.0', 'inner@0.0.0'])
  })
})
