import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { createRuntime, loadConfig } from '../../../src/index.ts'
import { BUILTIN_SKILLS } from '../../../src/core/open-services.ts'
import { findMethod } from '../../helpers/method.ts'
import { readProtocolText } from '../../helpers/protocol-text.ts'
import { SkillsError } from '../../../src/errors.ts'
import { createFolder, writeTree } from '../../helpers/skills.ts'

const toml = (name: string, version = '0.1.0') =>
  `name = "${name}"\nversion = "${version}"\ndescription = "Does ${name}."\nkind = "instruction"\ntags = ["t"]\n`

async function openRuntimeOver(root: string) {
  const { config } = await loadConfig({
    cwd: root,
    env: { HOME: root },
    noFiles: true,
    flags: { roots: [root] },
  })
  return createRuntime({ config, cacheDir: null })
}

describe('listSkills()', () => {
  it('pages through everything once, also while skills are added and removed', async () => {
    const root = createFolder()
    for (let at = 0; at < 30; at++)
      writeTree(root, { [`${at}/skill.toml`]: toml(`n.s${String(at).padStart(2, '0')}`) })
    const runtime = await openRuntimeOver(root)
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page = await runtime.listSkills({ limit: 7, cursor })
      seen.push(...page.skills.map((skill) => skill.name))
      cursor = page.next_cursor
      writeTree(root, {
        [`x${seen.length}/skill.toml`]: toml('a.early'),
        [`y${seen.length}/skill.toml`]: toml(`z.late`),
      })
      await runtime.repository.refresh()
    } while (cursor)
    for (let at = 0; at < 30; at++)
      expect(seen.filter((name) => name === `n.s${String(at).padStart(2, '0')}`)).toHaveLength(1)
    expect(new Set(seen).size).toBe(seen.length)
  })

  it('returns more with detail "summary", and filters by namespace and its descendants', async () => {
    const root = createFolder({
      'a/skill.toml': toml('crm.leads.sync'),
      'b/skill.toml': `${toml('crm.x')}namespace = "crm.leads"\n`,
      'c/skill.toml': toml('crmx.y'),
    })
    const runtime = await openRuntimeOver(root)
    const names = async (namespace: string) =>
      (await runtime.listSkills({ namespace })).skills.map((skill) => skill.name)
    expect(await names('crm')).toEqual(['crm.leads.sync', 'crm.x'])
    expect(await names('crm.leads')).toEqual(['crm.x'])
    const [summary] = (await runtime.listSkills({ namespace: 'crmx', detail: 'summary' })).skills
    expect(summary).toMatchObject({ tags: ['t'], short_description: null, inputs: [] })
    const [listed] = (await runtime.listSkills({ namespace: 'crmx' })).skills
    expect(Object.keys(listed ?? {})).toEqual([
      'name',
      'version',
      'description',
      'namespace',
      'kind',
    ])
  })

  it('rejects forged cursors and limits out of range', async () => {
    const runtime = await openRuntimeOver(createFolder())
    const code = async (params: object) =>
      runtime.listSkills(params).then(
        () => 'fine',
        (error: unknown) => (error as SkillsError).code,
      )
    await fc.assert(
      fc.asyncProperty(fc.string(), async (cursor) => {
        expect(['params/invalid', 'fine']).toContain(await code({ cursor }))
      }),
      { numRuns: 200 },
    )
    for (const cursor of [
      '',
      'x',
      Buffer.from('["a","b"]').toString('base64url'),
      Buffer.from('[1,2,3]').toString('base64url'),
    ]) {
      expect(await code({ cursor })).toBe('params/invalid')
    }
    for (const limit of [0, 501, 1.5]) expect(await code({ limit })).toBe('params/invalid')
  })
})

describe('the definitions', () => {
  it('reject unknown parameters and fill in defaults', () => {
    expect(findMethod('list_skills').params.parse({})).toEqual({ detail: 'names', limit: 50 })
    expect(findMethod('list_skills').params.safeParse({ nmespace: 'x' }).success).toBe(false)
    expect(findMethod('describe_skill').params.safeParse({}).success).toBe(false)
  })
})

describe('describeSkill() and readSkillFile()', () => {
  it('return what the detail asks for', async () => {
    const root = createFolder({
      's/skill.toml': toml('a.x'),
      's/SKILL.md': '---\nname: s\n---\n# S\n',
      's/data.bin': new Uint8Array([0, 255]),
      't/skill.toml': toml('a.x', '0.2.0'),
    })
    const runtime = await openRuntimeOver(root)
    const { skill } = await runtime.describeSkill({ name: 'a.x', version: '0.1.0', detail: 'full' })
    expect(skill).toMatchObject({
      manifest: { name: 'a.x', tags: ['t'] },
      versions: ['0.2.0', '0.1.0'],
      skill_md_frontmatter: { name: 's' },
      skill_md: '---\nname: s\n---\n# S\n',
      files: [{ path: 'SKILL.md' }, { path: 'data.bin', size_bytes: 2 }, { path: 'skill.toml' }],
    })
    expect(
      Object.keys((await runtime.describeSkill({ name: 'a.x', detail: 'manifest' })).skill),
    ).toEqual(['manifest', 'versions'])
    expect(
      await runtime.readSkillFile({ name: 'a.x', version: '0.1.0', path: 'data.bin' }),
    ).toEqual({
      content: 'AP8=',
      encoding: 'base64',
      kind: 'application/octet-stream',
      size_bytes: 2,
    })
  })

  it('return the canonical guide of the specification, then additions in a section of their own', async () => {
    const runtime = await openRuntimeOver(createFolder())
    const { content } = await runtime.loadSkillsProtocolGuide()
    const canonical = readProtocolText('guide.md')
    expect(content.slice(0, canonical.length)).toBe(canonical)
    expect(content.slice(canonical.length)).toMatch(/^\n---\n\n# Additions of this runtime\n/)
    const { skill } = await runtime.describeSkill({ name: 'skills.protocol.guide' })
    expect(skill.manifest).toMatchObject(parse(readProtocolText('guide.toml')))
  })

  it('return the guide exactly as its file', async () => {
    const runtime = await openRuntimeOver(createFolder())
    const { content } = await runtime.loadSkillsProtocolGuide()
    expect(content).toBe(readFileSync(join(BUILTIN_SKILLS, 'SKILL.md'), 'utf8'))
    for (const tool of [
      'list_skills',
      'describe_skill',
      'read_skill_file',
      'execute_skill',
      'run_code',
      'create_blob',
      'read_blob',
      'load_skills_protocol_guide',
    ])
      expect(content).toContain(`\`${tool}\``)
  })
})
