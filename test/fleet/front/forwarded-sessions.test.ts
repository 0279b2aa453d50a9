// @module-tag slow
// @module-tag nightly
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newClient, waitUntil } from '../../helpers/mcp.ts'
import { initialize, type SessionServer } from '../../helpers/mcp-session.ts'
import { ADA, BEN, OPS, TwoServers, useTwoServers } from './two-servers.ts'

const SLOW = 'import time\ndef main(args):\n    time.sleep(1.5)\n    return "late"\n'
const ENDLESS = 'import time\ndef main(args):\n    time.sleep(60)\n'

const servers = useTwoServers()

function plain(init: RequestInit) {
  return { ...init, headers: init.headers as Record<string, string> }
}

/** Both fronts behind a balancer that sends each request to the next one. */
function balance(token = ADA): SessionServer {
  let count = 0
  return {
    fetch: async (path, init) => {
      return await servers.current.fetch(count++ % 2, path, { ...plain(init), token })
    },
  }
}

/** Runs of all workers. */
async function countRunning(): Promise<number> {
  const { fleet } = await servers.current.call(0, 'list_nodes', { token: OPS })
  const { nodes } = fleet as { nodes: { role: string; running: number }[] }
  return nodes.reduce((sum, { role, running }) => sum + (role === 'worker' ? running : 0), 0)
}

it('a front that stops lets the calls of its sessions finish that came from other fronts', async () => {
  const two = await TwoServers.start()
  onTestFinished(async () => await two.close())
  let at = 0
  const home = {
    fetch: async (path: string, init: RequestInit) => await two.fetch(at, path, plain(init)),
  }
  const { run, headers } = await initialize(home)
  expect(headers['mcp-session-id']).toMatch(/^front\./)
  at = 1
  const call = await run(SLOW)
  expect((await call.next())?.data).toBe('')
  const stopped = two.servers[0]?.stop(10_000)
  expect(JSON.parse((await call.next())?.data ?? '')).toMatchObject({
    result: { structuredContent: { output: 'late' } },
  })
  await stopped
})

describe('a session whose requests reach another front than the one where it began', () => {
  it('serves the official client, with progress, cancellation and its end', async () => {
    const client = newClient('legacy')
    const url = new URL('http://localhost/mcp')
    const balanced = balance()
    const fetch = async (address: string | URL, init?: RequestInit) =>
      await balanced.fetch(new URL(address).pathname, {
        ...init,
        headers: Object.fromEntries(new Headers(init?.headers)),
      })
    const transport = new StreamableHTTPClientTransport(url, { fetch })
    await client.connect(transport)
    onTestFinished(async () => await client.close())
    expect(transport.sessionId).toMatch(/^(front|second)\./)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('run_code')
    const run = async (code: string, signal?: AbortSignal) =>
      await client.callTool(
        { name: 'run_code', arguments: { language: 'python', code } },
        { ...(signal && { signal }) },
      )
    for (const word of ['one', 'two', 'three']) {
      const code = `def main(args):\n    return "${word} ☃"\n`
      expect(await run(code)).toMatchObject({ structuredContent: { output: `${word} ☃` } })
    }
    const stop = new AbortController()
    const endless = run(ENDLESS, stop.signal)
    endless.catch(() => {})
    await waitUntil(async () => (await countRunning()) === 1)
    stop.abort()
    await expect(endless).rejects.toThrow()
    await waitUntil(async () => (await countRunning()) === 0)
    const { sessionId = '' } = transport
    await transport.terminateSession()
    const headers = { 'mcp-session-id': sessionId, accept: 'text/event-stream' }
    const afterwards = [0, 1].map(
      async (at) => (await servers.current.fetch(at, '/mcp', { headers })).status,
    )
    expect(await Promise.all(afterwards)).toEqual([404, 404])
  })

  it('carries parameters that are larger than a message', async () => {
    const { post } = await initialize(balance())
    const code = 'def main(args):\n    return {"size": len(args["text"])}\n'
    const text = 'x'.repeat(700_000)
    const args = { language: 'python', code, args: { text } }
    for (const id of [1, 2]) {
      const call = await post('tools/call', { name: 'run_code', arguments: args }, id)
      let event = await call.next()
      if (event?.data === '') event = await call.next()
      expect(JSON.parse(event?.data ?? '')).toMatchObject({
        result: { structuredContent: { output: { size: 700_000 } } },
      })
    }
  })

  it('can be resumed at any front', async () => {
    const { run, listen } = await initialize(balance())
    for (let at = 0; at < 2; at++) {
      const call = await run(SLOW)
      const first = await call.next()
      call.cut()
      // One of two successive requests reaches the other front.
      const resumed = await listen(first?.id)
      expect(JSON.parse((await resumed.next())?.data ?? '')).toMatchObject({
        result: { structuredContent: { output: 'late' } },
      })
    }
  })

  it('ends its run if the client goes away and does not resume', async () => {
    const { run } = await initialize(balance(), '2025-06-18')
    for (let at = 0; at < 2; at++) {
      const call = await run(ENDLESS)
      await waitUntil(async () => (await countRunning()) === 1)
      call.cut()
      await waitUntil(async () => (await countRunning()) === 0)
    }
  })

  it('is unknown to other callers, at both fronts', async () => {
    const { headers } = await initialize(balance())
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'tools/list', id: 1 })
    for (const at of [0, 1]) {
      const init = { method: 'POST', headers, body }
      const response = await servers.current.fetch(at, '/mcp', { ...init, token: BEN })
      expect({ status: response.status, text: await response.text() }).toEqual({
        status: 404,
        text: expect.stringContaining('Unknown session') as string,
      })
      // The control: its own caller is served.
      expect((await servers.current.fetch(at, '/mcp', init)).status).toBe(200)
    }
  })

  it('is unknown if its front is not there, so that the client begins a new one', async () => {
    const { headers } = await initialize(balance())
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'tools/list', id: 1 })
    for (const id of ['gone.0f8fad5b-d9cb-469f-a165-70867728950e', 'front.none', '../front', '.']) {
      for (const at of [0, 1]) {
        const init = { method: 'POST', headers: { ...headers, 'mcp-session-id': id }, body }
        expect((await servers.current.fetch(at, '/mcp', init)).status).toBe(404)
      }
    }
  })
})
