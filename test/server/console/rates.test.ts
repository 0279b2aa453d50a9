import { describe, expect, it } from 'vitest'
import { makeRateLimiter } from '../../../src/server/auth/rate-limiter.ts'
import { jsonLog } from '../../../src/server/telemetry/request-log.ts'
import { createTestApp } from '../../helpers/app.ts'

const FILE = '/console/assets/icon.svg'

async function createConsoleApp() {
  const lines: string[] = []
  const log = jsonLog((line) => void lines.push(line))
  const settings = { 'serve.calls_per_second': 5 }
  const { app, context } = await createTestApp({}, settings, { hasConsole: true, log })
  /** Sends a request as from an address. */
  const ask = async (path: string, remoteAddress: string, init: RequestInit = {}) => {
    const headers = { host: 'localhost', ...(init.headers as object) }
    const incoming = { socket: { remoteAddress }, headers, httpVersion: '1.1' }
    const request = new Request(`http://localhost${path}`, { ...init, headers })
    return (await app.fetch(request, { incoming })).status
  }
  const call = async (address: string) =>
    await ask('/openrpc.json', address, { headers: { accept: 'application/json' } })
  return { ask, call, lines, context }
}

describe('the files of the console', () => {
  it('use up no calls of their address', async () => {
    const { ask, call } = await createConsoleApp()
    const address = '203.0.113.7'
    for (let n = 0; n < 40; n++) expect(await ask(FILE, address)).toBe(200)
    expect(await call(address)).toBe(200)
  })

  it('are refused to an address that asks for too many, and to no other', async () => {
    const { ask, call, context } = await createConsoleApp()
    // A clock that stands still gives back no calls.
    context.rateLimiter = makeRateLimiter(5, () => 0)
    const statuses: number[] = []
    for (let n = 0; n < 210; n++) statuses.push(await ask(FILE, '203.0.113.7'))
    expect(statuses).toEqual([...Array(200).fill(200), ...Array(10).fill(429)])
    expect(await ask(FILE, '203.0.113.8')).toBe(200)
    expect(await call('203.0.113.7')).toBe(200)
  })

  it('are counted, and logged only if they are refused', async () => {
    const { ask, lines, context } = await createConsoleApp()
    for (const path of ['/console/', '/console/runs', FILE]) await ask(path, '127.0.0.1')
    expect(lines).toEqual([])
    await ask('/console/assets/none.js', '127.0.0.1')
    expect(lines).toHaveLength(1)
    expect(await context.metrics.render()).toContain(
      'skills_http_requests_total{route="/console/*",status="200"} 3\n',
    )
  })
})
