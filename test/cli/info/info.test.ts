import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { writeTree } from '../../helpers/skills.ts'
import { createRootProject, startServer, zipTree } from '../roots/root-project.ts'

it('an archive of a server is described, and nothing is installed', async () => {
  const { cwd, run } = createRootProject()
  const toml = '\n[permissions]\nnetwork = ["https://api.example.com"]\n'
  const zip = await zipTree(createActionSkill('demo.greet', { toml }))
  const address = await startServer(({ url }, response) => {
    if (url === '/greet.zip') response.end(zip)
    else response.writeHead(404).end()
  })
  const { code, json } = await run('info', `${address}/greet.zip`, '--json')
  expect(code).toBe(0)
  expect(json()).toMatchObject({
    schema: 'skills.info/v1',
    name: 'demo.greet',
    version: '0.1.0',
    resolved: expect.stringMatching(/#sha256=[0-9a-f]{64}$/),
    signers: [],
    refusal: null,
    capabilities: [
      { kind: 'code', value: 'python' },
      { kind: 'host', value: 'https://api.example.com:443' },
    ],
    sizes: { files: 3 },
    tokens: { overview: expect.any(Number), body: expect.any(Number) },
    installed: null,
  })
  expect(existsSync(join(cwd, '.agents'))).toBe(false)
  expect(existsSync(join(cwd, 'skills.lock'))).toBe(false)
})

it('a newer version is compared with the installed one', async () => {
  const { cwd, run } = createRootProject()
  writeFileSync(join(cwd, 'one.zip'), await zipTree(createActionSkill('demo.greet')))
  const newer = { ...createActionSkill('demo.greet', { version: '0.2.0' }), 'note.txt': 'x' }
  writeFileSync(join(cwd, 'two.zip'), await zipTree(newer))
  expect(await run('install', './one.zip', '--yes')).toMatchObject({ code: 0 })
  expect((await run('info', './one.zip')).stdout).toContain('0.1.0, the same files')
  const { json } = await run('info', './two.zip', '--json')
  expect(json()).toMatchObject({
    installed: { version: '0.1.0', changed: ['skill.toml'], added: ['note.txt'], removed: [] },
  })
})

it('a skill that is here is described by its name; texts cannot control the terminal', async () => {
  const { cwd, run } = createRootProject()
  const skill = createActionSkill('demo.greet')
  const markdown = String(skill['SKILL.md'])
  const toml = String(skill['skill.toml']).replace('by name.', 'by \\u001b[2J name.')
  writeTree(
    cwd,
    prefixPaths('skills/greet', { ...skill, 'SKILL.md': markdown, 'skill.toml': toml }),
  )
  const { code, stdout } = await run('info', 'demo.greet')
  expect(code).toBe(0)
  expect(stdout).toContain('runs code of the language python')
  expect(stdout).toContain('\\u001b')
  expect(stdout).not.toContain('\u001b')
  expect(await run('info', 'demo.other')).toMatchObject({ code: 3 })
})
