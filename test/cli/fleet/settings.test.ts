import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FLEET_KEYS } from '../../../src/core/config/fleet-keys.ts'
import { createNodeName } from '../../../src/core/config/node-name.ts'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'

const NAME = /^[a-z0-9-]{1,32}$/

async function load(env: Record<string, string> = {}) {
  const HOME = createFolder()
  return (await loadConfig({ cwd: HOME, env: { HOME, ...env } })).config
}

/** A value of the type of each setting. */
const VALUES: Record<string, string> = {
  text: '"other"',
  path: '"file"',
  duration: '"1s"',
  count: '9',
  texts: '["gpu"]',
}

describe('settings of fleets', () => {
  it('have defaults', async () => {
    const { fleet, worker } = await load()
    expect(fleet).toEqual({
      servers: undefined,
      seed: undefined,
      ca: undefined,
      name: expect.stringMatching(NAME) as string,
      tenant: 'main',
      key: undefined,
      drainSessionsMs: 600_000,
    })
    expect(worker).toEqual({ pool: 'default' })
  })

  it('are read from variables', async () => {
    const { fleet, worker } = await load({
      SKILLS_FLEET_SERVERS: 'tls://a:4222,tls://b:4222',
      SKILLS_FLEET_NAME: 'node-7',
      SKILLS_FLEET_DRAIN_SESSIONS: '3s',
      SKILLS_WORKER_POOL: 'gpu',
    })
    expect(fleet).toMatchObject({ servers: 'tls://a:4222,tls://b:4222', name: 'node-7' })
    expect(fleet.drainSessionsMs).toBe(3000)
    expect(worker).toEqual({ pool: 'gpu' })
  })

  it.each([
    ['SKILLS_FLEET_NAME', 'Node 7'],
    ['SKILLS_FLEET_NAME', 'a'.repeat(33)],
    ['SKILLS_FLEET_TENANT', 'main.>'],
    ['SKILLS_FLEET_TENANT', '*'],
    ['SKILLS_WORKER_POOL', 'a_b'],
    ['SKILLS_RUN_MAX_CONCURRENT', '0'],
    ['SKILLS_FLEET_DRAIN_SESSIONS', 'soon'],
  ])('%s=%j is refused', async (name, value) => {
    await expect(load({ [name]: value })).rejects.toThrow(`${name} is "${value}", expected`)
  })

  it.each(FLEET_KEYS.map(({ key, type }) => [key, type] as const))(
    '%s is refused in the file of a project',
    async (key, type) => {
      const cwd = createFolder({ 'skills.config.toml': `${key} = ${VALUES[type]}\n` })
      const { code, stderr } = await runSkills(['fleet', 'nodes'], { cwd })
      expect(code).toBe(2)
      expect(stderr).toContain(`"${key}" is only allowed in the user's configuration`)
    },
  )

  it("are read from the user's file", async () => {
    const HOME = createFolder()
    mkdirSync(join(HOME, '.config/skills'), { recursive: true })
    writeFileSync(
      join(HOME, '.config/skills/config.toml'),
      '[fleet]\nservers = "nats://127.0.0.1:1"\nca = "ca.pem"\n',
    )
    const { config } = await loadConfig({ cwd: HOME, env: { HOME } })
    expect(config.fleet.servers).toBe('nats://127.0.0.1:1')
    expect(config.fleet.ca).toBe(join(HOME, '.config/skills/ca.pem'))
  })
})

describe('createNodeName()', () => {
  it.each([
    ['worker-1', 'worker-1'],
    ['Worker_1.Example.com', 'worker-1-example-com'],
    ['--x--', 'x'],
    ['', 'node'],
    ['日本', 'node'],
    ['skills-worker-deployment-7d9f8b6c5-x2x9z', 'skills-worker-d-7d9f8b6c5-x2x9z'],
  ])('makes of %j the name %j', (host, name) => {
    expect(createNodeName(host)).toBe(name)
  })

  it('makes valid names of long host names', () => {
    for (const length of [31, 32, 33, 64, 255]) {
      expect(createNodeName('ab.'.repeat(100).slice(0, length))).toMatch(NAME)
    }
  })
})
