// @module-tag slow
// @module-tag nightly
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { ERAS, httpTransport, newClient } from '../helpers/mcp.ts'
import { startServe } from '../helpers/served.ts'
import { createFolder } from '../helpers/skills.ts'

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
})
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}
const [READER, RUNNER, OTHER] = ['reader-token-0001', 'runner-token-0001', 'other-token-00001']

async function serveWithTokens() {
  const cwd = createFolder()
  const file = join(cwd, 'tokens')
  writeFileSync(
    file,
    `${READER} reader read\n${RUNNER} runner read,run,write\n${OTHER} other read,run,write\n`,
    { mode: 0o600 },
  )
  return await startServe(['--token-file', file], { cwd })
}

/** Unlike `fetch`, `node:http` allows another Host header. */
async function requestWithHost(url: string, host: string): Promise<number> {
  return await new Promise((resolve, reject) => {
    const sent = request(
      `${url}/mcp`,
      { method: 'POST', headers: { ...HEADERS, host } },
      (received) => {
        received.resume()
        resolve(received.statusCode ?? 0)
      },
    )
    sent.on('error', reject)
    sent.end(INITIALIZE)
  })
}

async function post(url: string, body: string, headers: Record<string, string> = {}) {
  return await fetch(`${url}/mcp`, { method: 'POST', headers: { ...HEADERS, ...headers }, body })
}

const runCode = {
  name: 'run_code',
  arguments: { language: 'python', code: 'def main(a):\n  return 1' },
}

describe('/mcp', () => {
  it('requires a token and enforces its scopes', async () => {
    const { url } = await serveWithTokens()
    const refused = await post(url, INITIALIZE)
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer/)
    expect((await post(url, INITIALIZE, { authorization: 'Bearer wrong' })).status).toBe(401)
    for (const era of ERAS) {
      const reader = newClient(era)
      await reader.connect(httpTransport(url, READER))
      expect((await reader.callTool({ name: 'list_skills' })).isError ?? false).toBe(false)
      await expect(reader.callTool(runCode)).rejects.toThrow(/scope|403/i)
      await reader.close()
      const runner = newClient(era)
      await runner.connect(httpTransport(url, RUNNER))
      const { structuredContent } = await runner.callTool(runCode)
      expect(structuredContent).toMatchObject({ output: 1 })
      await runner.close()
    }
    const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: runCode })
    const denied = await post(url, call, { authorization: `Bearer ${READER}` })
    expect(denied.status).toBe(403)
    expect(denied.headers.get('www-authenticate')).toMatch(/insufficient_scope.*scope="run"/)
  })

  it('isolates the session and runs of each caller', async () => {
    const { url } = await serveWithTokens()
    const started = await post(url, INITIALIZE, { authorization: `Bearer ${RUNNER}` })
    const session = started.headers.get('mcp-session-id') ?? ''
    expect(session).not.toBe('')
    const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })
    const within = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
    const ownResponse = await post(url, list, { ...within, authorization: `Bearer ${RUNNER}` })
    expect(ownResponse.status).toBe(200)
    const theirs = await post(url, list, { ...within, authorization: `Bearer ${OTHER}` })
    expect(theirs.status).toBe(404)

    const runner = newClient('modern')
    await runner.connect(httpTransport(url, RUNNER))
    const { structuredContent } = await runner.callTool(runCode)
    const { run_id: id } = structuredContent as { run_id: string }
    const uri = `run://${id}/output`
    expect((await runner.readResource({ uri })).contents).toMatchObject([{ text: '1' }])
    const other = newClient('modern')
    await other.connect(httpTransport(url, OTHER))
    await expect(other.readResource({ uri })).rejects.toMatchObject({ code: -32602 })
    await runner.close()
    await other.close()
  })

  it('rejects rebound host names and pages of other origins', async () => {
    const { url } = await startServe([], { cwd: createFolder() })
    expect(await requestWithHost(url, new URL(url).host)).toBe(200)
    expect(await requestWithHost(url, 'evil.example.com')).toBe(403)
    expect((await post(url, INITIALIZE, { origin: 'https://evil.example.com' })).status).toBe(403)
  })

  it.each([
    { what: 'not JSON', body: '{', headers: {}, status: 400 },
    { what: 'empty', body: '', headers: {}, status: 400 },
    { what: 'not a message', body: '7', headers: {}, status: 400 },
    {
      what: 'not application/json',
      body: INITIALIZE,
      headers: { 'content-type': 'text/plain' },
      status: 415,
    },
    {
      what: 'for an unknown session',
      body: INITIALIZE,
      headers: { 'mcp-session-id': 'none' },
      status: 404,
    },
    {
      what: 'a batch over the limit',
      body: `[${Array.from({ length: 101 }, () => INITIALIZE).join()}]`,
      headers: {},
      status: 400,
    },
    { what: 'nested too deeply', body: '['.repeat(5000), headers: {}, status: 400 },
  ])('rejects a body that is $what', async ({ body, headers, status }) => {
    const { url } = await startServe([], { cwd: createFolder() })
    expect((await post(url, body, headers as Record<string, string>)).status).toBe(status)
    expect((await post(url, INITIALIZE)).status).toBe(200)
  })

  it('counts tool calls towards the rate limit of the token', async () => {
    const cwd = createFolder()
    const file = join(cwd, 'tokens')
    writeFileSync(file, `${RUNNER} runner read,run,write\n`, { mode: 0o600 })
    const env = { SKILLS_SERVE_CALLS_PER_SECOND: '5' }
    const { url } = await startServe(['--token-file', file], { cwd, env })
    const client = newClient('modern')
    await client.connect(httpTransport(url, RUNNER))
    const calls = Array.from(
      { length: 40 },
      async () => await client.callTool({ name: 'list_skills' }),
    )
    const settled = await Promise.allSettled(calls)
    const good = settled.filter(
      (each) => each.status === 'fulfilled' && each.value.isError !== true,
    )
    expect(good.length).toBeGreaterThan(0)
    expect(good.length).toBeLessThan(40)
    await client.close()
  })
})
