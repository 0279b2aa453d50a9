// @module-tag nats-server
import { describe, expect, it, onTestFinished } from 'vitest'
import { pushTokens, removeToken } from '../../../src/fleet/access/change-tokens.ts'
import { openFleetTokens } from '../../../src/fleet/access/fleet-tokens.ts'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { parseTokenEntries } from '../../../src/server/auth/tokens.ts'
import { startTestServer } from '../../helpers/server.ts'
import { openTestEngine, useNatsServer } from '../objects/open-test-engine.ts'

const nats = useNatsServer()
const ALICE = 'token-of-alice-0123456789'
const BOB = 'token-of-bob-0123456789'

async function push(engine: Engine, text: string): Promise<void> {
  await pushTokens(engine, parseTokenEntries(text, 'tokens.txt'))
}

/** A server that uses the tokens of a fleet, as `skills serve --fleet` does. */
async function startServer(engine: Engine) {
  const tokens = await openFleetTokens(engine)
  onTestFinished(() => tokens.close())
  const server = await startTestServer({
    tokens: tokens.load(),
    reload: {
      tokens: { follow: (onChange) => tokens.follow(onChange), load: async () => tokens.load() },
    },
  })
  const call = { jsonrpc: '2.0', id: 1, method: 'list_skills', params: {} }
  return async (token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    return (await server.post(call, headers)).status
  }
}

describe('a front that uses the tokens of its fleet', () => {
  it('accepts a new token, and refuses a removed one, without a restart', async () => {
    const engine = await openTestEngine(nats.server)
    await push(engine, `${ALICE} alice\n`)
    const ask = await startServer(engine)
    expect([await ask(ALICE), await ask(BOB), await ask()]).toEqual([200, 401, 401])
    await push(engine, `${BOB} bob\n`)
    await expect.poll(async () => await ask(BOB)).toBe(200)
    await removeToken(engine, 'alice')
    await expect.poll(async () => await ask(ALICE)).toBe(401)
    expect(await ask(BOB)).toBe(200)
  })

  it('accepts no caller when all tokens were removed', async () => {
    const engine = await openTestEngine(nats.server)
    await push(engine, `${ALICE} alice\n`)
    const ask = await startServer(engine)
    await removeToken(engine, 'alice')
    await expect.poll(async () => await ask(ALICE)).toBe(401)
    expect(await ask()).toBe(401)
  })

  it('that began without tokens requires one after the first push', async () => {
    const engine = await openTestEngine(nats.server)
    const ask = await startServer(engine)
    expect(await ask()).toBe(200)
    await push(engine, `${ALICE} alice\n`)
    await expect.poll(async () => await ask()).toBe(401)
    expect(await ask(ALICE)).toBe(200)
  })
})
