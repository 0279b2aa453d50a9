import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { createRuntime } from '../../../src/core/runtime.ts'
import { createFolder, writeTree } from '../../helpers/skills.ts'

const toml = (name: string) =>
  `name = "${name}"\nversion = "1.0.0"\ndescription = "d"\nkind = "instruction"\n`

async function openSkills(names: readonly string[]) {
  const root = createFolder(
    Object.fromEntries(names.map((name) => [`${name}/skill.toml`, toml(name)])),
  )
  const { config } = await loadConfig({
    cwd: createFolder(),
    env: { HOME: createFolder() },
    flags: { roots: [root] },
  })
  return { root, runtime: createRuntime({ config, cacheDir: null }) }
}

describe('list_skills', () => {
  it('returns every skill that stays exactly once while others are added and removed', async () => {
    const { root, runtime } = await openSkills(['a', 'b', 'c', 'd'])
    const first = await runtime.listSkills({ limit: 2 })
    rmSync(join(root, 'b'), { recursive: true })
    writeTree(root, { 'aa/skill.toml': toml('aa'), 'cc/skill.toml': toml('cc') })
    await runtime.repository.refresh()
    const rest = await runtime.listSkills({ cursor: first.next_cursor })
    expect(first.skills.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(rest.skills.map(({ name }) => name)).toEqual(['c', 'cc', 'd', 'skills.protocol.guide'])
    expect(rest.next_cursor).toBeNull()
  })

  it('rejects a cursor that it did not return', async () => {
    const { runtime } = await openSkills(['a'])
    await fc.assert(
      fc.asyncProperty(fc.string(), async (cursor) => {
        await expect(runtime.listSkills({ cursor })).rejects.toMatchObject({
          code: 'params/invalid',
        })
      }),
    )
  })

  it.each([0, 501, 1.5, Number.NaN])('rejects the limit %s', async (limit) => {
    const { runtime } = await openSkills([])
    await expect(runtime.listSkills({ limit })).rejects.toMatchObject({ code: 'params/invalid' })
    await expect(runtime.listSkills({ limit: 500 })).resolves.toBeDefined()
  })

  it('filters by a namespace and its dotted descendants, not by prefix', async () => {
    const { runtime } = await openSkills(['ab.x', 'a.y'])
    const { skills } = await runtime.listSkills({ namespace: 'a' })
    expect(skills.map(({ name }) => name)).toEqual(['a.y'])
  })
})

describe('describe_skill and read_skill_file', () => {
  it('returns more with each detail, and versions always', async () => {
    const { runtime } = await openSkills([])
    const keys = async (detail: 'manifest' | 'summary' | 'full') =>
      Object.keys(
        (await runtime.describeSkill({ name: 'skills.protocol.guide', detail })).skill,
      ).sort()
    expect(await keys('manifest')).toEqual(['manifest', 'versions'])
    expect(await keys('summary')).toEqual(['manifest', 'skill_md_frontmatter', 'versions'])
    expect(await keys('full')).toEqual([
      'files',
      'manifest',
      'skill_md',
      'skill_md_frontmatter',
      'versions',
    ])
  })

  it('returns binary files as base64', async () => {
    const { root, runtime } = await openSkills(['a'])
    writeTree(root, { 'a/x.bin': Uint8Array.of(0, 255, 1) })
    expect(await runtime.readSkillFile({ name: 'a', path: 'x.bin' })).toMatchObject({
      content: 'AP8B',
      encoding: 'base64',
      size_bytes: 3,
    })
  })

  it('returns the same guide as reading its SKILL.md', async () => {
    const { runtime } = await openSkills([])
    const { content } = await runtime.readSkillFile({
      name: 'skills.protocol.guide',
      path: 'SKILL.md',
    })
    expect(await runtime.loadSkillsProtocolGuide()).toEqual({ content })
    for (const tool of ['list_skills', 'run_code', 'read_blob']) expect(content).toContain(tool)
  })
})
