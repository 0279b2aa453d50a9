import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nkeys } from '@nats-io/transport-node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startNatsServer } from '../../helpers/fleet/nats-server.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'

const WITH_ENGINE = { tags: ['nats-server'] }
const COMMANDS = [['init'], ['status'], ['nodes'], ['drain', 'one']]
/** A port without a listener. */
const CLOSED = 'nats://127.0.0.1:1'
const KEY = nkeys.createUser()
const SEED = Buffer.from(KEY.getSeed()).toString()
/** Configuration of an engine that knows this key only. */
const WITH_KEY = `authorization { users = [ { nkey: ${KEY.getPublicKey()} } ] }`

async function startServer(extra = '') {
  const server = await startNatsServer(extra)
  onTestFinished(async () => await server.close())
  return server
}

describe.each(COMMANDS)('skills fleet %s', (...argv) => {
  it('without an engine says how to name one', async () => {
    const { code, stderr } = await runSkills(['fleet', ...argv])
    expect(code).toBe(2)
    expect(stderr).toContain('No engine of a fleet is configured')
    expect(stderr).toContain('Add --fleet nats://127.0.0.1:4222')
  })

  it('with an engine that does not answer exits with 3', async () => {
    const { code, stderr } = await runSkills(['fleet', ...argv, '--fleet', CLOSED])
    expect(code).toBe(3)
    expect(stderr).toContain(`The engine of the fleet at "${CLOSED}" does not answer`)
  })

  it('prints its error as JSON', async () => {
    const { code, json } = await runSkills(['fleet', ...argv, '--fleet', CLOSED, '--json'])
    expect(code).toBe(3)
    expect(json()).toMatchObject({ error: { code: 'fleet/unavailable' } })
  })
})

describe('skills fleet', () => {
  it('without a command prints the help', async () => {
    const { code, stdout } = await runSkills(['fleet'])
    expect(code).toBe(0)
    for (const name of ['init', 'status', 'nodes', 'drain']) expect(stdout).toContain(`  ${name}`)
  })

  it('refuses unknown commands', async () => {
    const { code, stderr } = await runSkills(['fleet', 'statuss'])
    expect(code).toBe(2)
    expect(stderr).toContain('status')
  })

  it.each([['init'], ['status']])(
    '%s needs an engine with JetStream',
    WITH_ENGINE,
    async (name) => {
      const { url } = await startServer('jetstream: false')
      const { code, stderr } = await runSkills(['fleet', name, '--fleet', url])
      expect(code).toBe(3)
      expect(stderr).toContain(`The engine at "${url}" has no JetStream`)
      expect(stderr).toContain('nats-server -js')
    },
  )
})

describe('--fleet', () => {
  it.each([
    ['nats://192.0.2.1:4222', 'would not be encrypted'],
    ['nats://user:hunter2@127.0.0.1:4222', 'must not contain a secret'],
    ['nats://hunter2@127.0.0.1:4222', 'must not contain a secret'],
    ['http://127.0.0.1:4222', 'Expected the address of an engine'],
    ['127.0.0.1', 'Expected the address of an engine'],
    ['', 'Expected the address of an engine for --fleet, got ""'],
  ])('%j is refused', async (url, message) => {
    const { code, stdout, stderr } = await runSkills(['fleet', 'nodes', '--fleet', url])
    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(stdout + stderr).not.toContain('hunter2')
  })

  it('wins over the settings', async () => {
    const env = { SKILLS_FLEET_SERVERS: 'nats://127.0.0.1:2' }
    const { stderr } = await runSkills(['fleet', 'nodes', '--fleet', CLOSED], { env })
    expect(stderr).toContain(CLOSED)
  })
})

describe('fleet.seed', () => {
  function writeSeed(text: string, mode: number) {
    const HOME = createFolder()
    mkdirSync(join(HOME, '.config/skills'), { recursive: true })
    const file = join(HOME, '.config/skills/seed')
    writeFileSync(file, text)
    chmodSync(file, mode)
    writeFileSync(join(HOME, '.config/skills/config.toml'), '[fleet]\nseed = "seed"\n')
    return { env: { HOME }, file }
  }

  it.each([0o644, 0o640, 0o604])('with mode %o is refused', async (mode) => {
    const { env, file } = writeSeed(SEED, mode)
    const { code, stdout, stderr } = await runSkills(['fleet', 'nodes', '--fleet', CLOSED], { env })
    expect(code).toBe(2)
    expect(stderr).toContain(`Other users can read the seed in "${file}"`)
    expect(stdout + stderr).not.toContain(SEED)
  })

  it('that does not exist is refused', async () => {
    const env = { SKILLS_FLEET_SEED: '/nonexistent/seed' }
    const { code, stderr } = await runSkills(['fleet', 'nodes', '--fleet', CLOSED], { env })
    expect(code).toBe(2)
    expect(stderr).toContain('Cannot read "/nonexistent/seed"')
  })

  it.each([
    ['a command', ['fleet', 'nodes']],
    ['a worker', ['worker']],
    ['a front', ['serve', '--port', '0']],
  ])(
    'without a seed is refused by %s, and its text is not printed',
    WITH_ENGINE,
    async (_, words) => {
      const { url } = await startServer(WITH_KEY)
      const { env, file } = writeSeed('hunter2', 0o600)
      const { code, stdout, stderr } = await runSkills([...words, '--fleet', url], { env })
      expect(code).toBe(2)
      expect(stderr).toContain(`The file "${file}" has no valid seed`)
      expect(stdout + stderr).not.toContain('hunter2')
    },
  )

  it('is needed by an engine with keys', WITH_ENGINE, async () => {
    const { url } = await startServer(WITH_KEY)
    const { code, stderr } = await runSkills(['fleet', 'nodes', '--fleet', url])
    expect(code).toBe(3)
    expect(stderr).toContain(`The engine at "${url}" does not accept this node`)
    expect(stderr).toContain('fleet.seed')
  })

  it('gives access to an engine that knows the key', WITH_ENGINE, async () => {
    const { url } = await startServer(WITH_KEY)
    const { env } = writeSeed(`${SEED}\n`, 0o600)
    const { code, stderr } = await runSkills(['fleet', 'init', '--fleet', url, '-q'], { env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })
})
