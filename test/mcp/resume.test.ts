// @module-tag slow
import { describe, expect, it } from 'vitest'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { newClient, waitUntil } from '../helpers/mcp.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'

interface Event {
  id?: string | undefined
  data: string
}

const VERSION = '2025-11-25'
const SLOW = 'import time\ndef main(args):\n    time.sleep(1.5)\n    return "late"\n'
const ENDLESS = 'import time\ndef main(args):\n    time.sleep(60)\n'

/** Opens a connection that reads events one by one and can be cut. */
async function openConnection(server: TestServer, init: RequestInit) {
  const cut = new AbortController()
  const response = await server.fetch('/mcp', { ...init, signal: cut.signal })
  let text = ''
  const isStream = response.headers.get('content-type') === 'text/event-stream'
  const body = isStream ? response.body : undefined
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  const next = async (): Promise<Event | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end !== -1) {
        const lines = text.slice(0, end).split('\n')
        text = text.slice(end + 2)
        const field = (name: string) =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
        const data = field('data')
        if (data !== undefined) return { id: field('id'), data }
        continue
      }
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done) return undefined
      text += value
    }
  }
  return { response, next, cut: () => cut.abort() }
}

/** A minimal client of an older revision. */
async function initialize(server: TestServer, version = VERSION) {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const post = async (method: string, params?: object, id?: number) =>
    await openConnection(server, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', method, id, params }),
    })
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion: version, capabilities: {}, clientInfo }
  const { response } = await post('initialize', params, 1)
  headers['mcp-session-id'] = response.headers.get('mcp-session-id') ?? ''
  headers['mcp-protocol-version'] = version
  await post('notifications/initialized')
  const run = async (code: string) =>
    await post('tools/call', { name: 'run_code', arguments: { language: 'python', code } }, 7)
  const listen = async (eventId?: string) =>
    await openConnection(server, {
      headers: { ...headers, ...(eventId !== undefined && { 'last-event-id': eventId }) },
    })
  return { post, run, listen }
}

async function isQuiet(server: TestServer): Promise<boolean> {
  const metrics = await (await server.fetch('/metrics')).text()
  return /^skills_sandboxes 0$/m.test(metrics)
}

describe('a client that loses the connection of its session', () => {
  it('can resume and receive the response of its call', async () => {
    const server = await startTestServer({ withMcp: {} })
    const { run, listen } = await initialize(server)
    const call = await run(SLOW)
    const first = await call.next()
    expect(first?.data).toBe('')
    call.cut()
    const resumed = await listen(first?.id)
    const answer = await resumed.next()
    expect(JSON.parse(answer?.data ?? '')).toMatchObject({
      id: 7,
      result: { structuredContent: { output: 'late' } },
    })
    // No more events follow.
    expect(await resumed.next()).toBeUndefined()
    // The client may have missed this one as well.
    const third = await listen(first?.id)
    expect(await third.next()).toEqual(answer)
  })

  it('can resume twice and replace a connection that still seems open', async () => {
    const server = await startTestServer({ withMcp: {} })
    const { run, listen } = await initialize(server)
    const call = await run(SLOW)
    const first = await call.next()
    const second = await listen(first?.id)
    expect(second.response.status).toBe(200)
    second.cut()
    const third = await listen(first?.id)
    expect(JSON.parse((await third.next())?.data ?? '')).toMatchObject({ id: 7 })
  })

  it('loses its run if it does not resume in time', async () => {
    const server = await startTestServer({ withMcp: { resumeMs: 200 } })
    const { run } = await initialize(server)
    const call = await run(ENDLESS)
    await call.next()
    await waitUntil(async () => !(await isQuiet(server)))
    call.cut()
    await waitUntil(async () => await isQuiet(server))
  })

  it('loses its run at once if it cannot resume', async () => {
    const server = await startTestServer({ withMcp: { resumeMs: 600_000 } })
    const { run } = await initialize(server, '2025-06-18')
    const call = await run(ENDLESS)
    await waitUntil(async () => !(await isQuiet(server)))
    call.cut()
    await waitUntil(async () => await isQuiet(server))
  })

  it('receives missed notifications', async () => {
    const server = await startTestServer({ withMcp: {} })
    const { post, listen } = await initialize(server)
    const create = async (word: string) => {
      const name = `user.${word}`
      const manifest = { name, version: '0.1.0', description: 'Is new.', kind: 'instruction' }
      const markdown = `---\nname: ${word}\ndescription: Is new.\n---\n\n# New\n`
      const files = { manifest, skill_md: markdown }
      const created = await post('tools/call', { name: 'create_skill', arguments: files }, 9)
      await created.next()
      expect((await created.next())?.data).toContain('"0.1.0"')
    }
    const news = await listen()
    const received = news.next()
    await create('first')
    const first = await received
    expect(first?.data).toContain('notifications/resources/list_changed')
    news.cut()
    await create('second')
    const resumed = await listen(first?.id)
    expect((await resumed.next())?.data).toContain('notifications/resources/list_changed')
    resumed.cut()
  })

  it('gets an error if the missed events were dropped', async () => {
    const server = await startTestServer({ withMcp: {} })
    const [owned, theirs] = [await initialize(server), await initialize(server)]
    const call = await theirs.run(SLOW)
    const first = await call.next()
    for (const eventId of [first?.id ?? '', 'nonsense', '_GET_stream.1']) {
      const { response } = await owned.listen(eventId)
      expect(response.status).toBe(400)
      expect(await response.text()).toContain('no longer stored')
    }
    call.cut()
  })

  it('resumes automatically if it is the official client', async () => {
    const server = await startTestServer({ withMcp: {} })
    const client = newClient('legacy')
    let cuts = 0
    const cutting: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      const isCall = typeof init?.body === 'string' && init.body.includes('tools/call')
      if (!isCall || !response.body) return response
      const reader = response.body.getReader()
      const body = new ReadableStream({
        async pull(controller) {
          const { value } = await reader.read()
          if (cuts++ === 0) return controller.enqueue(value)
          await reader.cancel()
          controller.error(new Error('the network is down'))
        },
      })
      const { status, headers } = response
      return new Response(body, { status, headers })
    }
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { fetch: cutting }),
    )
    const code = SLOW
    const result = await client.callTool({
      name: 'run_code',
      arguments: { language: 'python', code },
    })
    expect(result.structuredContent).toMatchObject({ output: 'late' })
    expect(cuts).toBe(2)
    await client.close()
  })
})
