// @module-tag nats-server
import { chmodSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { initStreams } from '../../fleet/objects/open-test-engine.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'
import { createTenant, useServer } from './fleet-server.ts'

const server = useServer()
const TOKEN = 'token-of-alice-0123456789'

async function createFleet() {
  const tenant = await createTenant(server.url)
  await initStreams(tenant.engine)
  return tenant
}

describe('skills fleet tokens', () => {
  it('pushes, lists and removes tokens, and prints none', async () => {
    const { fleet } = await createFleet()
    const cwd = createFolder({ 'tokens.txt': `${TOKEN} alice read,run runs=2\n` })
    chmodSync(join(cwd, 'tokens.txt'), 0o600)
    const pushed = await fleet(['tokens', 'push', 'tokens.txt'], { cwd })
    expect(pushed).toMatchObject({ code: 0, stdout: 'added alice\n' })
    const listed = await fleet(['tokens', 'ls', '--json'])
    expect(listed.json()).toMatchObject({
      tokens: [{ name: 'alice', scopes: ['read', 'run'], limits: { runs: 2 } }],
    })
    expect(listed.stdout).not.toContain(TOKEN)
    expect((await fleet(['tokens', 'rm', 'alice', '--yes'])).code).toBe(0)
    expect((await fleet(['tokens', 'ls', '--json'])).json()).toMatchObject({ tokens: [] })
  })

  it('rm needs a name that exists, and a confirmation', async () => {
    const { fleet } = await createFleet()
    const cwd = createFolder({ 'tokens.txt': `${TOKEN} alice\n` })
    await fleet(['tokens', 'push', 'tokens.txt'], { cwd })
    const unknown = await fleet(['tokens', 'rm', 'alise'])
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain('Did you mean "alice"?')
    const unconfirmed = await fleet(['tokens', 'rm', 'alice'])
    expect(unconfirmed.code).toBe(2)
    expect(unconfirmed.stderr).toContain('Add --yes')
  })
})

describe('skills fleet policy', () => {
  it('pushes and prints a policy', async () => {
    const { fleet } = await createFleet()
    const text = '[deny]\nkinds = ["run_code"]\n'
    const cwd = createFolder({ 'policy.toml': text })
    expect((await fleet(['policy', 'push', 'policy.toml'], { cwd })).code).toBe(0)
    expect((await fleet(['policy', 'show'])).stdout).toBe(text)
  })

  it('refuses one that would allow more', async () => {
    const { fleet } = await createFleet()
    const cwd = createFolder({ 'policy.toml': '[approval]\ncommand = ["/bin/true"]\n' })
    const { code, stderr } = await fleet(['policy', 'push', 'policy.toml'], { cwd })
    expect(code).not.toBe(0)
    expect(stderr).toContain("A fleet's policy cannot set [approval]")
  })
})

describe('skills fleet keys', () => {
  it('create writes a seed for its user only, and does not print it', async () => {
    const cwd = createFolder()
    const argv = ['fleet', 'keys', 'create', 'worker', 'w1', '--out', 'w1.seed']
    const { code, stdout } = await runSkills(argv, { cwd })
    expect(code).toBe(0)
    const seed = readFileSync(join(cwd, 'w1.seed'), 'utf8').trim()
    expect(seed).toMatch(/^SU/)
    expect(statSync(join(cwd, 'w1.seed')).mode & 0o777).toBe(0o600)
    expect(stdout).not.toContain(seed)
    expect(stdout).toMatch(/^worker w1 U[A-Z2-7]{55}\n/)
    expect(stdout).toContain('"sk.main.w.w1.*"')
    const again = await runSkills(argv, { cwd })
    expect(again.code).toBe(2)
    expect(again.stderr).toContain('The file "w1.seed" exists already')
    expect(readFileSync(join(cwd, 'w1.seed'), 'utf8').trim()).toBe(seed)
  })

  it('config prints the accounts of the lines that create printed', async () => {
    const cwd = createFolder()
    const created = await runSkills(['fleet', 'keys', 'create', 'front', 'edge'], { cwd })
    const [line = ''] = created.stdout.split('\n')
    const keys = createFolder({ 'keys.txt': `# nodes\n${line}\n` })
    const { code, stdout } = await runSkills(['fleet', 'keys', 'config', 'keys.txt'], { cwd: keys })
    expect(code).toBe(0)
    expect(stdout).toContain('accounts {')
    expect(stdout).toContain(line.split(' ')[2])
    expect(stdout).toContain('"sk.main.hb.f.edge"')
  })

  it.each([
    ['worker w1 SUAAAA', 'Expected "role name public-key" in line 1'],
    [`boss w1 U${'A'.repeat(55)}`, 'Expected one of the roles'],
    [`worker W_1 U${'A'.repeat(55)}`, 'as the name of a node'],
    [`worker a U${'A'.repeat(55)}\nworker b U${'A'.repeat(55)}`, 'is listed twice'],
    ['', 'contains no key'],
  ])('config refuses %j', async (text, message) => {
    const cwd = createFolder({ 'keys.txt': text })
    const { code, stderr } = await runSkills(['fleet', 'keys', 'config', 'keys.txt'], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('SUAAAA')
  })
})
