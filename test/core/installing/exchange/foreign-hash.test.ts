import { hash } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  computeFolderHash,
  computeGitTree,
  computeSiteDigest,
  hasDrifted,
} from '../../../../src/core/installing/exchange/foreign-hash.ts'
import type { ForeignEntry } from '../../../../src/core/installing/exchange/foreign-lock.ts'
import type { PackedFile } from '../../../../src/core/packing/packed-file.ts'
import { fetchSource } from '../../../../src/core/sources/fetch-source.ts'
import { parseSkillSource } from '../../../../src/core/sources/skill-source.ts'
import { createGitRepository, runGit } from '../../../helpers/git-repository.ts'

const MARKDOWN = '---\nname: greet\ndescription: x\n---\n'
/** Names whose order differs between bytes, git and languages. */
const TREE = {
  'SKILL.md': MARKDOWN,
  'a.b': '1',
  'a/c': '2',
  'a-b': '3',
  'B/b': '4',
  _x: '5',
  'é.txt': '6',
  '.gitignore': 'x\n',
  'metadata.json': '{}',
}

const pack = (tree: Readonly<Record<string, string>>): PackedFile[] =>
  Object.entries(tree).map(([path, text]) => ({
    path,
    isExecutable: false,
    bytes: Buffer.from(text),
  }))

async function fetchAll(source: string) {
  const place = parseSkillSource(source, '/')
  const signal = new AbortController().signal
  return await fetchSource(place, { signal, env: process.env, withLeftOut: true })
}

it('the id of a tree is that of git, also for files that are not installed', async () => {
  const tree = Object.fromEntries(
    Object.entries(TREE).map(([path, text]) => [`skills/greet/${path}`, text]),
  )
  const { url, work } = createGitRepository(tree)
  chmodSync(join(work, 'skills/greet/a.b'), 0o755)
  runGit(work, 'commit', '--quiet', '--all', '--message=mode')
  const { files, leftOut = [] } = await fetchAll(`${url}#:skills/greet`)
  expect(leftOut.map(({ path }) => path)).toEqual(['.gitignore'])
  const id = runGit(work, 'rev-parse', 'HEAD:skills/greet')
  expect(computeGitTree([...files, ...leftOut])).toBe(id)
  expect(computeGitTree(files)).not.toBe(id)
})

it('the hash of a folder has paths and contents, in the order of a language', () => {
  const text = '_x5.gitignorex\na-b3a.b1a/c2B/b4é.txt6metadata.json{}SKILL.md'
  expect(computeFolderHash(pack(TREE))).toBe(hash('sha256', text + MARKDOWN))
})

it('the hash of a folder ignores packages and version control, and nothing of like names', () => {
  const files = pack({ 'SKILL.md': 'x', 'node_modules.md': 'y' })
  const others = pack({ 'node_modules/a/b': '1', '.git/HEAD': '2', 'a/node_modules/b': '3' })
  expect(computeFolderHash([...files, ...others])).toBe(computeFolderHash(files))
  expect(computeFolderHash(files)).toBe(hash('sha256', 'node_modules.mdySKILL.mdx'))
})

it('the digest of a site is that of its archive, or of the files with separators', () => {
  const files = pack({ b: '2', a: '1' })
  expect(computeSiteDigest({ files, archiveDigest: 'sha256:x' })).toBe('sha256:x')
  expect(computeSiteDigest({ files, archiveDigest: undefined })).toBe(
    `sha256:${hash('sha256', 'a\x001\0b\x002\0')}`,
  )
})

it('a drift is known by each kind of hash, and unknown without one', () => {
  const files = pack({ 'SKILL.md': 'x', 'metadata.json': '{}' })
  const found = { files, archiveDigest: undefined }
  const drifts = (entry: Partial<ForeignEntry>) =>
    hasDrifted({ hash: undefined, siteDigest: undefined, ...entry } as ForeignEntry, found)
  expect(drifts({})).toBeUndefined()
  expect(drifts({ hash: computeFolderHash(files) })).toBe(false)
  expect(drifts({ hash: computeFolderHash(files.slice(0, 1)) })).toBe(false)
  expect(drifts({ hash: computeGitTree(files) })).toBe(false)
  expect(drifts({ siteDigest: computeSiteDigest(found) })).toBe(false)
  for (const wrong of ['0'.repeat(64), '0'.repeat(40)]) expect(drifts({ hash: wrong })).toBe(true)
  expect(drifts({ siteDigest: `sha256:${'0'.repeat(64)}` })).toBe(true)
})
