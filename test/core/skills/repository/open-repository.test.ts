import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openRepository } from '../../../../src/core/skills/repository/open-repository.ts'
import { BUILTIN_SKILLS } from '../../../../src/core/open-services.ts'
import { createFolder } from '../../../helpers/skills.ts'

const GUIDE = 'skills.protocol.guide'
const createToml = (name: string, version: string, description = 'd') =>
  `name = "${name}"\nversion = "${version}"\ndescription = "${description}"\nkind = "instruction"\n`
const openRoots = (roots: string[], cacheDir?: string) =>
  openRepository({ roots, builtin: BUILTIN_SKILLS, cacheDir })

describe('the repository', () => {
  it('orders by namespace, name and descending version, with pre-releases in semver order', async () => {
    const versions = ['1.0.0', '1.10.0', '1.9.0', '2.0.0-rc.2', '2.0.0-rc.10']
    const tree = Object.fromEntries(
      versions.map((each) => [`x/${each}/skill.toml`, createToml('b.x', each)]),
    )
    const repository = openRoots([createFolder({ ...tree, 'y/skill.toml': createToml('a.y', '0.1.0') })])
    const listed = (await repository.list()).map(({ name, version }) => `${name}@${version}`)
    expect(listed.filter((each) => !each.startsWith(GUIDE))).toEqual([
      'a.y@0.1.0',
      'b.x@2.0.0-rc.10',
      'b.x@2.0.0-rc.2',
      'b.x@1.10.0',
      'b.x@1.9.0',
      'b.x@1.0.0',
    ])
    expect((await repository.resolve('b.x')).version).toBe('1.10.0')
  })

  it('returns a pre-release if there is no release', async () => {
    const repository = openRoots([createFolder({ 'x/skill.toml': createToml('x', '1.0.0-beta') })])
    expect((await repository.resolve('x')).version).toBe('1.0.0-beta')
  })

  it('prefers the first root and reports the duplicate with both folders', async () => {
    const [strong, weak] = [1, 2].map(() => createFolder({ 'x/skill.toml': createToml('x', '1.0.0') })) as [
      string,
      string,
    ]
    const repository = openRoots([strong, weak])
    expect((await repository.resolve('x')).root).toBe(strong)
    expect(await repository.problems()).toMatchObject([
      { kind: 'duplicate', path: join(weak, 'x'), other: join(strong, 'x') },
    ])
  })

  it('always contains the guide, and only its own version', async () => {
    const duplicate = createFolder({ 'g/skill.toml': createToml(GUIDE, '9.0.0') })
    const repository = openRoots([duplicate])
    expect((await repository.resolve(GUIDE)).root).toBe(BUILTIN_SKILLS)
    expect(await repository.versions(GUIDE)).toEqual(['0.1.0'])
    expect(await repository.problems()).toMatchObject([
      { kind: 'shadowed', path: join(duplicate, 'g') },
    ])
  })

  it('accepts the same guide folder in another root', async () => {
    const repository = openRoots([dirname(BUILTIN_SKILLS)])
    expect(await repository.problems()).toEqual([])
    expect((await repository.resolve(GUIDE)).root).toBe(BUILTIN_SKILLS)
  })

  it('reports an unreadable skill as a problem', async () => {
    const repository = openRoots([
      createFolder({ 'x/skill.toml': 'name = ', 'y/skill.toml': createToml('y', '1.0.0') }),
    ])
    expect((await repository.list()).map(({ name }) => name)).toContain('y')
    expect(await repository.problems()).toMatchObject([{ kind: 'invalid' }])
  })
})

describe('the index', () => {
  it('is used while nothing changes, and detects changes', async () => {
    const [root, cache] = [createFolder({ 'x/skill.toml': createToml('x', '1.0.0', 'old') }), createFolder()]
    const describeX = async () => (await openRoots([root], cache).resolve('x')).description
    expect(await describeX()).toBe('old')
    expect(readdirSync(join(cache, 'index'))).toHaveLength(2)
    const file = readdirSync(join(cache, 'index')).map((each) => join(cache, 'index', each))
    expect(await describeX()).toBe('old')
    writeFileSync(join(root, 'x/skill.toml'), createToml('x', '1.0.0', 'newer'))
    expect(await describeX()).toBe('newer')
    for (const each of file) writeFileSync(each, '{"format":1')
    expect(await describeX()).toBe('newer')
  })

  it('is optional: a cache that is not writable only costs time', async () => {
    const dir = createFolder({ 'x/skill.toml': createToml('x', '1.0.0'), file: '' })
    const repository = openRoots([dir], join(dir, 'file', 'cache'))
    expect((await repository.resolve('x')).version).toBe('1.0.0')
    expect(existsSync(join(dir, 'file', 'cache'))).toBe(false)
  })
})
