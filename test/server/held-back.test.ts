import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { parseTokens } from '../../src/server/auth/tokens.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'

const FLOOD = 'token-of-the-flooding-caller'
const OTHER = 'token-of-the-other-caller'
/** More refusals than one second may have. */
const REFUSALS = 57

async function startServer(): Promise<TestServer> {
  const tokens = parseTokens(`${FLOOD} flood read rate=1\n${OTHER} other\n`, 'tokens.txt')
  return await startTestServer({ tree: {}, tokens })
}

async function list(server: TestServer, token: string, id: number) {
  const call = { jsonrpc: '2.0', id, method: 'list_skills', params: {} }
  const response = await server.post(call, { authorization: `Bearer ${token}` })
  return (await response.json()) as { id: number; result?: object; error?: object }
}

/** Sends calls of the flood and then one of the other token, and returns the token of the last answer. */
async function race(server: TestServer): Promise<string | undefined> {
  const order: string[] = []
  const send = async (token: string) => {
    await list(server, token, 1)
    order.push(token)
  }
  // Each call that is held back waits a second longer than the one before it.
  const flood = Array.from({ length: 5 }, async () => await send(FLOOD))
  // The calls of the flood are read by then.
  await sleep(200)
  await Promise.all([...flood, send(OTHER)])
  return order.at(-1)
}

describe('a token that ignores refusals', () => {
  it('waits for its answers, and gets them', { tags: ['slow'] }, async () => {
    const server = await startServer()
    const answers = []
    for (let id = 0; id < REFUSALS; id++) answers.push(await list(server, FLOOD, id))
    expect(answers.filter(({ error }) => error).length).toBeGreaterThan(50)
    expect(await race(server)).toBe(FLOOD)
    expect(await list(server, FLOOD, 7)).toMatchObject({ id: 7 })
  })

  it('is the reason for the wait: after a few refusals there is none', async () => {
    const server = await startServer()
    for (let id = 0; id < 10; id++) await list(server, FLOOD, id)
    expect(await race(server)).toBe(OTHER)
  })
})
