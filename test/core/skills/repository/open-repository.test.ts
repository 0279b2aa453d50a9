import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openRepository } from '../../../../src/core/skills/repository/open-repository.ts'
import { BUILTIN_SKILLS } from '../../../../src/core/open-services.ts'
import { createFolder } from '../../../helpers/skills.ts'

const GUIDE = 'skills.protocol.guide'
const toml = (name: string, version: string, description = 'd') =>
  `name = "${name}"\nversion = "${version}"\ndescription = "${description}"\nkind = "instruction"\n`
const open = (roots: string[], cacheDir?: string) =>
  openRepository({ roots, builtin: BUILTIN_SKILLS, cacheDir })

describe('the repository', () => {
  it('orders by namespace, name and falling version, pre-releases where they belong', async () => {
    const versions = ['1.0.0', '1.10.0', '1.9.0', '2.0.0-rc.2', '2.0.0-rc.10']
    const tree = Object.fromEntries(
      versions.map((each) => [`x/${each}/skill.toml`, toml('b.x', each)]),
    )
    const repository = open([createFolder({ ...tree, 'y/skill.toml': toml('a.y', '0.1.0') })])
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

  it('gives a pre-release when there is nothing else', async () => {
    const repository = open([createFolder({ 'x/skill.toml': toml('x', '1.0.0-beta') })])
    expect((await repository.resolve('x')).version).toBe('1.0.0-beta')
  })

  it('lets the stronger root win and reports the duplicate with both places', async () => {
    const [strong, weak] = [1, 2].map(() => createFolder({ 'x/skill.toml': toml('x', '1.0.0') })) as [
      string,
      string,
    ]
    const repository = open([strong, weak])
    expect((await repository.resolve('x')).root).toBe(strong)
    expect(await repository.problems()).toMatchObject([
      { kind: 'duplicate', path: join(weak, 'x'), other: join(strong, 'x') },
    ])
  })

  it('has the guide always, in no other version than its own', async () => {
    const rival = createFolder({ 'g/skill.toml': toml(GUIDE, '9.0.0') })
    const repository = open([rival])
    expect((await repository.resolve(GUIDE)).root).toBe(BUILTIN_SKILLS)
    expect(await repository.versions(GUIDE)).toEqual(['0.1.0'])
    expect(await repository.problems()).toMatchObject([
      { kind: 'shadowed', path: join(rival, 'g') },
    ])
  })

  it('takes the guide that another root holds for the same', async () => {
    const repository = open([dirname(BUILTIN_SKILLS)])
    expect(await repository.problems()).toEqual([])
    expect((await repository.resolve(GUIDE)).root).toBe(BUILTIN_SKILLS)
  })

  it('makes a problem of a skill that cannot be read', async () => {
    const repository = open([
      createFolder({ 'x/skill.toml': 'name = ', 'y/skill.toml': toml('y', '1.0.0') }),
    ])
    expect((await repository.list()).map(({ name }) => name)).toContain('y')
    expect(await repository.problems()).toMatchObject([{ kind: 'invalid' }])
  })
})

describe('the index', () => {
  it('is used while nothing changed and sees what did', async () => {
    const [root, cache] = [createFolder({ 'x/skill.toml': toml('x', '1.0.0', 'old') }), createFolder()]
    const describeX = async () => (await open([root], cache).resolve('x')).description
    expect(await describeX()).toBe('old')
    expect(readdirSync(join(cache, 'index'))).toHaveLength(2)
    const file = readdirSync(join(cache, 'index')).map((each) => join(cache, 'index', each))
    expect(await describeX()).toBe('old')
    writeFileSync(join(root, 'x/skill.toml'), toml('x', '1.0.0', 'newer'))
    expect(await describeX()).toBe('newer')
    for (const each of file) writeFileSync(each, '{"format":1')
    expect(await describeX()).toBe('newer')
  })

  it('is not needed: a cache that cannot be written costs nothing but time', async () => {
    const dir = createFolder({ 'x/skill.toml': toml('x', '1.0.0'), file: '' })
    const repository = open([dir], join(dir, 'file', 'cache'))
    expect((await repository.resolve('x')).version).toBe('1.0.0')
    expect(existsSync(join(dir, 'file', 'cache'))).toBe(false)
  })
})
