// @module-tag nats-server
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listTokens, pushTokens, removeToken } from '../../../src/fleet/access/change-tokens.ts'
import { openFleetTokens } from '../../../src/fleet/access/fleet-tokens.ts'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { parseTokenEntries } from '../../../src/server/auth/tokens.ts'
import { openTestEngine, useNatsServer } from '../objects/open-test-engine.ts'

const nats = useNatsServer()
const ALICE = 'token-of-alice-0123456789'
const BOB = 'token-of-bob-0123456789'
const FILE = `${ALICE} alice read,run runs=2 rate=5 cpu=10m\n${BOB} bob\n`

async function push(engine: Engine, text: string) {
  return await pushTokens(engine, parseTokenEntries(text, 'tokens.txt'))
}

async function follow(engine: Engine) {
  const tokens = await openFleetTokens(engine)
  onTestFinished(() => tokens.close())
  return tokens
}

describe('the tokens of a fleet', () => {
  it('have the names, scopes and limits of the file', async () => {
    const engine = await openTestEngine(nats.server)
    await push(engine, FILE)
    const book = (await follow(engine)).load()
    const caller = book?.find(ALICE)
    expect(caller).toMatchObject({
      name: 'alice',
      account: 'alice',
      limits: { runs: 2, callsPerSecond: 5, quotas: { cpuMs: 600_000 } },
    })
    expect([...(caller?.scopes ?? [])].sort()).toEqual(['read', 'run'])
    expect(book?.find(BOB)).toMatchObject({ name: 'bob' })
    expect(book?.find('token-of-nobody-0123456789')).toBeUndefined()
  })

  it('are not in the files of the engine, and their digests are', async () => {
    const engine = await openTestEngine(nats.server)
    await push(engine, FILE)
    const { digest } = parseTokenEntries(FILE, 'f')[0] as { digest: Buffer }
    const files = readdirSync(nats.server.dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
    const isStored = (text: string) => files.some((content) => content.includes(text))
    expect(isStored(digest.toString('hex'))).toBe(true)
    expect(isStored(ALICE)).toBe(false)
    expect(isStored(BOB)).toBe(false)
  })

  it('are followed: a new one is accepted, and a removed one refused', async () => {
    const engine = await openTestEngine(nats.server)
    await push(engine, FILE)
    const tokens = await follow(engine)
    const changes: (string | undefined)[] = []
    onTestFinished(tokens.follow(() => changes.push(tokens.load()?.find(ALICE)?.name)))
    expect(changes).toEqual(['alice'])
    expect(await removeToken(engine, 'alice')).toBe(true)
    await expect.poll(() => tokens.load()?.find(ALICE)).toBeUndefined()
    expect(tokens.load()?.find(BOB)?.name).toBe('bob')
    await push(engine, FILE)
    await expect.poll(() => tokens.load()?.find(ALICE)?.name).toBe('alice')
  })

  it('are followed after a restart of the engine', async () => {
    const engine = await openTestEngine(nats.server)
    await push(engine, FILE)
    const tokens = await follow(engine)
    await nats.server.end('SIGKILL')
    await nats.server.start()
    expect(await removeToken(engine, 'alice')).toBe(true)
    await expect.poll(() => tokens.load()?.find(ALICE), { timeout: 10_000 }).toBeUndefined()
  })

  it('are none in a fleet that never had any, and an empty list if all were removed', async () => {
    const engine = await openTestEngine(nats.server)
    const tokens = await follow(engine)
    expect(tokens.load()).toBeUndefined()
    await push(engine, `${BOB} bob\n`)
    await removeToken(engine, 'bob')
    await expect.poll(() => tokens.load()).toBeDefined()
    expect((await follow(engine)).load()?.find(BOB)).toBeUndefined()
  })

  it('are replaced by name, and the others stay', async () => {
    const engine = await openTestEngine(nats.server)
    await push(engine, FILE)
    const other = 'other-token-of-alice-0123456789'
    expect(await push(engine, `${other} alice\n${BOB} bob\n`)).toEqual([
      { name: 'alice', state: 'replaced' },
      { name: 'bob', state: 'unchanged' },
    ])
    const book = (await follow(engine)).load()
    expect([book?.find(ALICE), book?.find(other)?.name]).toEqual([undefined, 'alice'])
  })

  it('have one name each', async () => {
    const engine = await openTestEngine(nats.server)
    await push(engine, FILE)
    await expect(push(engine, `${ALICE} carol\n`)).rejects.toMatchObject({
      message: 'The token of "carol" is that of "alice" in the fleet',
    })
  })

  it.each([
    '',
    '[]',
    '{"digest":"00"}',
    `{"digest":"${'0'.repeat(64)}","scopes":["admin"]}`,
    `{"digest":"${'0'.repeat(64)}","scopes":["read"],"limits":{"runs":2}}`,
    `{"digest":"${'0'.repeat(64)}","scopes":["read"],"limits":{"quotas":{"cpuMs":"x"}}}`,
  ])('that are damaged, as %j, give no access', async (body) => {
    const engine = await openTestEngine(nats.server)
    await push(engine, FILE)
    await engine.append('access', 'ac.tokens.alice', body)
    expect((await listTokens(engine)).map(({ caller }) => caller.name)).toEqual(['bob'])
    expect((await follow(engine)).load()?.find(ALICE)).toBeUndefined()
  })
})
