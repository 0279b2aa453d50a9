// @module-tag slow
import { describe, expect, it } from 'vitest'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { newClient, waitUntil } from '../helpers/mcp.ts'
import { initialize } from '../helpers/mcp-session.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'

const SLOW = 'import time\ndef main(args):\n    time.sleep(1.5)\n    return "late"\n'
const ENDLESS = 'import time\ndef main(args):\n    time.sleep(60)\n'

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
