// @module-tag slow
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createRootProject, startServer, TWO_SKILLS, zipTree } from './root-project.ts'

describe('skills roots', () => {
  it('skills of a fetched archive are listed, run and pinned', async () => {
    const { cwd, pins, configure, run } = createRootProject()
    writeFileSync(join(cwd, 'all.zip'), await zipTree(TWO_SKILLS))
    configure('./all.zip')
    expect(await run('roots', 'fetch', '--yes')).toMatchObject({ code: 0 })
    const { json } = await run('list', '--json')
    const names = (json() as { skills: { name: string }[] }).skills.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['demo.greet', 'demo.count']))
    expect(await run('exec', 'demo.greet')).toMatchObject({ code: 0 })
    expect(JSON.parse(readFileSync(pins, 'utf8'))).toMatchObject({
      version: 1,
      roots: [
        {
          source: './all.zip',
          skills: ['demo.count@0.1.0 more/count', 'demo.greet@0.1.0 skills/greet'],
          approved: { by: 'yes' },
        },
      ],
    })
  })

  it('a root that was never fetched is an error that names the command to type', async () => {
    const { configure, run } = createRootProject()
    configure('https://example.com/skills.zip')
    const { code, stderr } = await run('list')
    expect(code).toBe(2)
    expect(stderr).toContain('was never fetched')
    expect(stderr).toContain('skills roots fetch')
    expect(await run('roots', 'list')).toMatchObject({ code: 1 })
    expect((await run('config')).stderr).toContain('was never fetched')
  })

  it('without a terminal nothing is fetched, and --trust with the digest agrees', async () => {
    const { configure, run, pins, cache } = createRootProject()
    const zip = await zipTree(TWO_SKILLS)
    const address = await startServer((_, response) => void response.end(zip))
    configure(`${address}/all.zip`)
    const refused = await run('roots', 'fetch', '--json')
    expect(refused.code).toBe(4)
    expect(existsSync(pins)).toBe(false)
    const { error } = refused.json() as { error: { data: { tree: string } } }
    const { tree } = error.data
    const other = tree.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
    expect(await run('roots', 'fetch', '--trust', other)).toMatchObject({ code: 4 })
    expect(await run('roots', 'fetch', '--trust', tree)).toMatchObject({ code: 0 })
    expect(existsSync(join(cache, tree.slice(7), 'files/skills/greet/SKILL.md'))).toBe(true)
    // Files outside of skills are not stored.
    expect(existsSync(join(cache, tree.slice(7), 'files/README.md'))).toBe(false)
  })

  it('the pins of a project restore the same files on another machine without a question', async () => {
    const { configure, run, cache, cwd } = createRootProject()
    const zip = await zipTree(TWO_SKILLS)
    let answer: Buffer = zip
    const address = await startServer((_, response) => void response.end(answer))
    configure(`${address}/all.zip`)
    await run('roots', 'fetch', '--yes')
    rmSync(cache, { recursive: true })
    expect((await run('list')).stderr).toContain('is not on this machine')
    expect(await run('roots', 'fetch')).toMatchObject({ code: 0 })
    expect(await run('list')).toMatchObject({ code: 0 })
    // A server that answers with other bytes cannot replace the pinned ones.
    rmSync(cache, { recursive: true })
    answer = await zipTree({ ...TWO_SKILLS, 'skills/greet/extra.txt': 'x' })
    const other = await run('roots', 'fetch')
    expect(other.code).not.toBe(0)
    expect(other.stderr).toContain('expected sha256:')
    expect(existsSync(join(cwd, 'skills.roots.lock'))).toBe(true)
  })

  it('an update shows new rights and needs a new consent; without changes it asks nothing', async () => {
    const { configure, run, pins } = createRootProject()
    let tree = TWO_SKILLS
    const address = await startServer((_, response) => {
      void zipTree(tree).then((zip) => response.end(zip))
    })
    configure(`${address}/all.zip`)
    await run('roots', 'fetch', '--yes')
    const before = readFileSync(pins, 'utf8')
    expect(await run('roots', 'update')).toMatchObject({ code: 0 })
    const toml = '\n[permissions]\nnetwork = ["https://api.example.com"]\n'
    tree = prefixPaths('skills/greet', createActionSkill('demo.greet', { toml }))
    const widened = await run('roots', 'update')
    expect(widened.code).toBe(4)
    expect(widened.stderr).toContain('connects to https://api.example.com:443 (new)')
    expect(widened.stderr).toContain('demo.count@0.1.0 is removed')
    expect(readFileSync(pins, 'utf8')).toBe(before)
    expect(await run('roots', 'update', '--yes')).toMatchObject({ code: 0 })
    expect((await run('list')).stdout).not.toContain('demo.count')
  })

  it('remove withdraws the consent and deletes the files', async () => {
    const { cwd, configure, run, cache } = createRootProject()
    writeFileSync(join(cwd, 'all.zip'), await zipTree(TWO_SKILLS))
    configure('./all.zip')
    const fetched = await run('roots', 'fetch', '--yes', '--json')
    const [{ tree }] = (fetched.json() as { roots: [{ tree: string }] }).roots
    expect(await run('roots', 'remove', './all.zip')).toMatchObject({ code: 0 })
    expect(existsSync(join(cache, tree.slice(7)))).toBe(false)
    expect((await run('list')).stderr).toContain('was never fetched')
    expect(await run('roots', 'remove', './all.zip')).toMatchObject({ code: 3 })
  })
})
