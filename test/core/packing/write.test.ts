import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FORMAT_NAMES, writeArchive } from '../../../src/core/packing/formats.ts'
import { packSkill } from '../../../src/core/packing/pack-skill.ts'
import type { PackedFile } from '../../../src/core/packing/packed-file.ts'
import { findPathConflict } from '../../../src/core/packing/path-problems.ts'
import { readArchive } from '../../../src/core/packing/read/read-archive.ts'
import { removeWrapper } from '../../../src/core/packing/read/remove-wrapper.ts'
import { digestFolder } from '../../../src/core/skills/content/read-content.ts'
import { createActionSkill } from '../../helpers/projects.ts'
import { createFolder, type Tree } from '../../helpers/skills.ts'

const TREE: Tree = {
  ...createActionSkill('demo.greet'),
  'resources/ä/long-name.md': 'text\n'.repeat(3000),
  'resources/data.bin': Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7919) % 251)),
  'empty.txt': '',
  'scripts/run.sh': '#!/bin/sh\n',
  'tests/a.test.toml': '',
  'code/__pycache__/main.pyc': 'x',
  '.git/config': '',
  '.env': 'KEY=1',
  '.env.example': 'KEY=',
  'resources/.DS_Store': '',
  'resources/tests/kept.md': '',
  node_modules: 'a file, which is left out like the folder',
}
const LIMITS = { maxFiles: 512, maxBytes: 16 * 1024 ** 2 }

function createSkill(tree: Tree = TREE): string {
  const dir = createFolder(tree)
  if ('scripts/run.sh' in tree) chmodSync(join(dir, 'scripts/run.sh'), 0o755)
  return dir
}

describe('packSkill()', () => {
  it('leaves out tests, caches, secrets and files of tools, and lists them', async () => {
    const { files, leftOut } = await packSkill(createSkill(), { ...LIMITS, formats: [] })
    expect(files.map(({ path }) => path).toSorted()).toEqual([
      '.env.example',
      'SKILL.md',
      'code/main.py',
      'empty.txt',
      'resources/data.bin',
      'resources/tests/kept.md',
      'resources/ä/long-name.md',
      'scripts/run.sh',
      'skill.toml',
    ])
    expect(leftOut).toEqual([
      { path: '.env', reason: 'secrets' },
      { path: '.git/', reason: 'version-control' },
      { path: 'code/__pycache__/', reason: 'cache' },
      { path: 'node_modules', reason: 'dependencies' },
      { path: 'resources/.DS_Store', reason: 'editor' },
      { path: 'tests/', reason: 'tests' },
    ])
  })

  it('packs tests on request', async () => {
    const { files } = await packSkill(createSkill(), { ...LIMITS, formats: [], withTests: true })
    expect(files.map(({ path }) => path)).toContain('tests/a.test.toml')
  })

  it('the same files in other order, with other times and modes give the same bytes', async () => {
    const options = { ...LIMITS, formats: FORMAT_NAMES }
    const one = await packSkill(createSkill(), options)
    const reversed = Object.fromEntries(Object.entries(TREE).toReversed())
    const other = createSkill(reversed)
    chmodSync(join(other, 'SKILL.md'), 0o600)
    const two = await packSkill(other, options)
    expect(two).toEqual(one)
    // Control: the executable bit is part of the content.
    chmodSync(join(other, 'SKILL.md'), 0o755)
    expect((await packSkill(other, options)).tree).not.toBe(one.tree)
  })

  it.each(FORMAT_NAMES)('%s unpacks to the digest that it names', async (format) => {
    const { archives, tree } = await packSkill(createSkill(), { ...LIMITS, formats: [format] })
    const [archive] = archives
    const dir = createFolder({ archive: archive?.bytes ?? '' })
    const to = join(dir, 'to')
    mkdirSync(to)
    if (format.endsWith('zip') || format === 'skill') {
      execFileSync('python3', ['-c', UNZIP, join(dir, 'archive'), to])
    } else execFileSync('tar', ['xzf', join(dir, 'archive'), '-C', to])
    const hasFolder = format === 'skill' || format === 'oci'
    expect(await digestFolder(hasFolder ? join(to, readdirSync(to)[0] ?? '') : to)).toBe(tree)
    const files = removeWrapper(await readArchive(archive?.bytes ?? new Uint8Array()))
    expect(files.find(({ path }) => path === 'scripts/run.sh')?.isExecutable).toBe(true)
    expect(files.length).toBe(9)
  })

  it('a link is refused, and so is a skill that is too large or has too many files', async () => {
    const dir = createSkill()
    await expect(packSkill(dir, { ...LIMITS, maxBytes: 1000, formats: [] })).rejects.toThrow(
      'its files have more than 1000 bytes',
    )
    await expect(packSkill(dir, { ...LIMITS, maxFiles: 8, formats: [] })).rejects.toThrow(
      'it has 9 files, expected at most 8',
    )
    symlinkSync('/etc/passwd', join(dir, 'link'))
    await expect(packSkill(dir, { ...LIMITS, formats: [] })).rejects.toThrow(
      '"link" is a symbolic link',
    )
  })

  it('a version cannot name another folder', async () => {
    const dir = createSkill(createActionSkill('demo.greet', { version: '../../evil' }))
    await expect(packSkill(dir, { ...LIMITS, formats: ['zip'] })).rejects.toThrow(
      '"../../evil" is not a valid version',
    )
  })
})

const UNZIP = `
import os, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
for info in archive.infolist():
    os.chmod(archive.extract(info, sys.argv[2]), info.external_attr >> 16 & 0o777)
`

describe('the bytes of an archive', () => {
  const files: PackedFile[] = [
    { path: 'SKILL.md', isExecutable: false, bytes: Buffer.from('# Greet\n'.repeat(100)) },
    { path: `${'long/'.repeat(25)}ä.txt`, isExecutable: false, bytes: Buffer.from('x') },
    { path: 'scripts/run.sh', isExecutable: true, bytes: Buffer.from('#!/bin/sh\n') },
    { path: 'large.txt', isExecutable: false, bytes: createLargeText() },
  ]

  /** A change of these changes the digest of every published archive. */
  it.each([
    ['tar.gz', '8fc60b9d28f74da865232a76ef4cce33c930df50b5f7b78536370fe8f1f28505'],
    ['zip', 'cd92f140c3d623104cc5b6fc970bf01f92bf56de07ef841b1276e439aabf5711'],
    ['skill', '4743da68bdce7ea330380fccbf63e4050bb9d783e9b05d3f9188fa5383a17ae2'],
    ['oci', 'add4f4b263af5a92b5903f6fb63d30a371b6f0b0ea708c92323019ae8a925e8b'],
  ] as const)('%s never change', async (format, digest) => {
    const bytes = await writeArchive(format, files, { folder: 'greet' })
    expect(hash('sha256', bytes)).toBe(digest)
    // The order of the files does not matter.
    expect(
      hash('sha256', await writeArchive(format, files.toReversed(), { folder: 'greet' })),
    ).toBe(digest)
  })

  it('tar reads long names and names that are not ASCII', async () => {
    const dir = createFolder()
    writeFileSync(join(dir, 'a.tar.gz'), await writeArchive('tar.gz', files, { folder: '' }))
    const options = { cwd: dir, encoding: 'utf8' } as const
    const listed = execFileSync('tar', ['tzf', 'a.tar.gz', '--quoting-style=literal'], options)
    expect(listed.trim().split('\n').toSorted()).toEqual(files.map(({ path }) => path).toSorted())
    execFileSync('tar', ['xzf', 'a.tar.gz'], options)
    expect(readFileSync(join(dir, 'large.txt')).equals(createLargeText())).toBe(true)
  })
})

/** Text that compresses by half, of more than one step. */
function createLargeText(): Buffer {
  let state = 1
  const lines = Array.from({ length: 60_000 }, () => {
    state = (state * 48_271) % 2_147_483_647
    return `row ${state}`
  })
  return Buffer.from(lines.join('\n'))
}

it.each([
  [['a', 'b', 'a/c']],
  [['a/c', 'a']],
  [['README.md', 'readme.md']],
  [['Docs/a.md', 'docs/b.md']],
  [['stra\u00dfe', 'STRASSE']],
  [['\u212a.md', 'k.md']],
  [['\ufb01.md', 'fi.md']],
  [['aux.md']],
  [['a/COM1']],
  [['lpt\u00b9.txt']],
  [['a:b']],
  [['a\\b']],
  [['a.']],
  [['a /b']],
  [['a\u202eb']],
  [['a\u200bb']],
  [['a\u00a0b']],
  [['.git/hooks/pre-commit']],
  [['a/.GIT/config']],
  [['git~1/config']],
  [['x'.repeat(201)]],
])('the paths %j are not packed', (paths) => {
  expect(findPathConflict(paths)).toBeDefined()
  // Control: the paths of the format are.
  expect(findPathConflict(['SKILL.md', 'docs/a b.md', 'docs/ä', 'auxiliary', '.gitx'])).toBe(
    undefined,
  )
})
