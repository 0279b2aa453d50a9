// @module-tag slow
// @module-tag nightly
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { SkillsError } from '../../../src/errors.ts'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import { SessionForwarding } from '../../../src/fleet/forward/session-forwarding.ts'
import { createIdentity } from '../../../src/fleet/node/identity.ts'
import { openObjects } from '../../../src/fleet/objects/open-objects.ts'
import type { Caller } from '../../../src/server/auth/caller.ts'
import type { ForwardedSessionRequest } from '../../../src/server/served-node.ts'
import { startNatsServer, type TestServer } from '../../helpers/fleet/nats-server.ts'
import { initFleet } from '../checker/stub-fleet.ts'

const CALLER: Caller = {
  name: 'ada',
  scopes: new Set(['read', 'run']),
  account: 'ada',
  limits: { quotas: {}, runs: 2 },
}

let server: TestServer
beforeAll(async () => {
  // As in a front: it replaces the global Response by one that does not check its head.
  getRequestListener(() => new Response())
  server = await startNatsServer()
  await initFleet(server.url)
})
afterAll(async () => await server.close())

async function openFront(name: string, wrap = (engine: Engine) => engine) {
  const options = { servers: server.url, name, tenant: 'main', patienceMs: 5000 }
  const opened = await openEngine(options)
  const engine = wrap(opened)
  const identity = createIdentity(name)
  const forwarding = new SessionForwarding({
    engine,
    identity,
    objects: openObjects(engine, 'data'),
  })
  const stop = async () => {
    forwarding.stop()
    await opened.close()
  }
  onTestFinished(stop)
  return { engine, forwarding, stop }
}

/** Front "a" forwards to front "b", which serves with the function. */
async function openPair(
  serve: (request: ForwardedSessionRequest) => Promise<Response>,
  wrap?: (engine: Engine) => Engine,
) {
  const a = await openFront('a')
  const b = await openFront('b', wrap)
  b.forwarding.receive(serve)
  await b.engine.request('probe', '', 100).catch(() => {})
  return { a: a.forwarding, b, engine: a.engine }
}

function createRequest(body?: unknown, init: RequestInit = {}): ForwardedSessionRequest {
  const headers = { 'mcp-session-id': 'b.1', accept: 'text/event-stream', authorization: 'secret' }
  const method = body === undefined ? 'GET' : 'POST'
  const request = new Request('http://localhost/mcp', { method, headers, ...init })
  return { request, body, caller: CALLER }
}

describe('a forwarded request', () => {
  it('arrives with its method, body, caller and the headers that a session reads', async () => {
    const served: object[] = []
    const { a } = await openPair(async ({ request, body, caller }) => {
      const text = await request.text()
      const headers = Object.fromEntries(request.headers)
      served.push({ method: request.method, headers, body, text, caller })
      return new Response(null, { status: 202 })
    })
    const body = { method: 'ping', params: { text: '☃' } }
    const response = await a.forward(createRequest(body))
    expect({ status: response?.status, body: response?.body }).toEqual({ status: 202, body: null })
    await a.forward(createRequest())
    const headers = { 'mcp-session-id': 'b.1', accept: 'text/event-stream' }
    expect(served).toEqual([
      {
        method: 'POST',
        headers: { ...headers, 'content-type': expect.any(String) as string },
        body,
        text: JSON.stringify(body),
        caller: CALLER,
      },
      { method: 'GET', headers, body: undefined, text: '', caller: CALLER },
    ])
  })

  it('gets all bytes of a response of any size, in order', async () => {
    const bytes = randomBytes(3_000_000)
    const { a } = await openPair(
      async () => new Response(bytes, { status: 201, headers: { 'content-type': 'x/y' } }),
    )
    const response = await a.forward(createRequest({}))
    expect([response?.status, response?.headers.get('content-type')]).toEqual([201, 'x/y'])
    const received = (await response?.arrayBuffer()) ?? new ArrayBuffer(0)
    expect(bytes.equals(Buffer.from(received))).toBe(true)
  })

  it('gets the error of the other front', async () => {
    const { a } = await openPair(async () => {
      throw new SkillsError('http/not-found', 'Unknown session', { hint: 'Begin' })
    })
    await expect(a.forward(createRequest({}))).rejects.toMatchObject({
      code: 'http/not-found',
      message: 'Unknown session',
      hint: 'Begin',
    })
  })

  it('is not forwarded if its session began here, or if its front is not there', async () => {
    const { a } = await openPair(async () => new Response('served'))
    for (const id of ['a.1', 'c.1', 'none', '*.1', '>.1', 'b.b.b ', '']) {
      const headers = { 'mcp-session-id': id }
      const forwarded = await a.forward(createRequest({}, { headers }))
      expect([id, await forwarded?.text()]).toEqual([
        id,
        id.startsWith('b.') ? 'served' : undefined,
      ])
    }
  })
})

/** An endless response that notes when its client has gone. */
function createEndless() {
  const gone: string[] = []
  const serve = async ({ request }: ForwardedSessionRequest) => {
    request.signal.addEventListener('abort', () => gone.push('aborted'))
    return new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(Buffer.from('first')),
        cancel: () => void gone.push('cancelled'),
      }),
    )
  }
  return { gone, serve }
}

describe('the response of a forwarded request', () => {
  it('is cancelled at the other front when the client goes away', async () => {
    const { gone, serve } = createEndless()
    const { a } = await openPair(serve)
    const byAbort = new AbortController()
    const response = await a.forward(createRequest(undefined, { signal: byAbort.signal }))
    expect(Buffer.from((await response?.body?.getReader().read())?.value ?? '').toString()).toBe(
      'first',
    )
    byAbort.abort()
    await expect.poll(() => gone.sort()).toEqual(['aborted', 'cancelled'])
    gone.length = 0
    await (await a.forward(createRequest()))?.body?.cancel()
    await expect.poll(() => gone.sort()).toEqual(['aborted', 'cancelled'])
  })

  it('stays open while nothing happens, and ends when the other front stops', async () => {
    const { serve } = createEndless()
    const { a, b } = await openPair(serve)
    const reader = (await a.forward(createRequest()))?.body?.getReader()
    await reader?.read()
    const next = reader?.read()
    let isSettled = false
    void next?.finally(() => (isSettled = true))
    await sleep(9000)
    expect(isSettled).toBe(false)
    await b.stop()
    // The other front ends its responses.
    await expect(next).resolves.toMatchObject({ done: true })
  })

  it('ends with an error when the other front is silent', async () => {
    const { serve } = createEndless()
    let isSilent = false
    const { a } = await openPair(serve, (engine) => dropReplies(engine, () => isSilent))
    const reader = (await a.forward(createRequest()))?.body?.getReader()
    await reader?.read()
    isSilent = true
    await expect(reader?.read()).rejects.toMatchObject({ code: 'run/unknown' })
  })

  it('ends with an error if it cannot be read to its end at the other front', async () => {
    const { a } = await openPair(async () => {
      const start = (controller: ReadableStreamDefaultController) =>
        controller.enqueue(Buffer.from('first'))
      const pull = (controller: ReadableStreamDefaultController) =>
        controller.error(new SkillsError('store/full', 'The disk is full'))
      return new Response(new ReadableStream({ start, pull }, { highWaterMark: 1 }))
    })
    const reader = (await a.forward(createRequest({})))?.body?.getReader()
    const readAll = async () => {
      while (!(await reader?.read())?.done);
    }
    await expect(readAll()).rejects.toMatchObject({ code: 'store/full' })
  })

  it('ends with an error if its client reads nothing', async () => {
    const { gone, serve } = createEndless()
    const bytes = Buffer.alloc(1024 ** 2)
    const { a } = await openPair(async (request) => {
      const { body } = await serve(request)
      let left = 20
      const flood = new TransformStream({
        transform(chunk, controller) {
          controller.enqueue(chunk)
          while (left-- > 0) controller.enqueue(bytes)
        },
      })
      return new Response(body?.pipeThrough(flood))
    })
    const response = await a.forward(createRequest())
    await expect.poll(() => gone).toContain('cancelled')
    await expect(response?.text()).rejects.toMatchObject({ code: 'run/unknown' })
  })

  it.each([{ status: 999 }, { status: 0 }, { headers: { 'bad name': 'x' } }])(
    'ends with an error if its head is %j',
    async (part) => {
      const { a, b } = await openPair(
        async () => new Response('served'),
        (engine) => dropReplies(engine, () => true),
      )
      b.engine.subscribe('f.b.http', ({ body }) => {
        const { op, token } = JSON.parse(Buffer.from(body).toString()) as Record<string, string>
        const head = { n: 0, t: 'head', status: 200, headers: {}, ...part }
        if (op === 'open') a2.publish(`x.a.${token}`, JSON.stringify(head))
      })
      const a2 = (await openFront('c')).engine
      await a2.request('probe', '', 100).catch(() => {})
      await expect(a.forward(createRequest({}))).rejects.toMatchObject({ code: 'run/unknown' })
    },
  )

  it('ends with an error instead of missing a part', async () => {
    let count = 0
    const { a } = await openPair(
      async () => new Response(randomBytes(1_000_000)),
      (engine) => dropReplies(engine, () => ++count === 3),
    )
    const response = await a.forward(createRequest({}))
    await expect(response?.arrayBuffer()).rejects.toThrow()
  })

  it('ends at the other front when this one is gone', async () => {
    const { gone, serve } = createEndless()
    const { a } = await openPair(serve)
    const lost = await openFront('lost')
    await lost.forwarding.forward(createRequest())
    await a.forward(createRequest())
    // Its connection is lost before it can send an abort.
    await lost.engine.close()
    await expect.poll(() => gone, { timeout: 20_000 }).toHaveLength(2)
  })
})

/** An engine that loses replies of forwarded requests. */
function dropReplies(engine: Engine, isLost: () => boolean): Engine {
  return new Proxy(engine, {
    get(target, key) {
      const value = Reflect.get(target, key, target) as unknown
      if (typeof value !== 'function') return value
      const method = (value as (...args: unknown[]) => unknown).bind(target)
      if (key !== 'publish') return method
      return (...args: Parameters<Engine['publish']>) => {
        if (!args[0].startsWith('x.') || !isLost()) method(...args)
      }
    },
  })
}

it('garbage of other nodes is ignored, and the next request is served', async () => {
  const { a, engine } = await openPair(async () => new Response('served'))
  const open = { op: 'open', v: '1.0', front: 'a', token: '0'.repeat(24), method: 'GET' }
  const headers = {}
  const caller = { name: 'eve', scopes: [], account: null }
  const bodies = [
    'x',
    '[]',
    'null',
    { op: 'open' },
    { ...open, headers, caller: null },
    { ...open, headers: { a: 1 }, caller },
    { ...open, headers, caller: { ...caller, scopes: ['all'] } },
    { ...open, headers, caller, method: 'CONNECT' },
    { ...open, headers, caller, front: '../x' },
    { ...open, headers, caller, token: '*' },
    { ...open, headers, caller, v: '2.0' },
    { ...open, headers: { 'bad header': 'x' }, caller },
    { ...open, headers, caller, body_ref: { upload: 'x' }, method: 'POST' },
  ]
  for (const body of bodies) {
    engine.publish('f.b.http', typeof body === 'string' ? body : JSON.stringify(body))
    engine.publish(`x.a.${'0'.repeat(24)}`, typeof body === 'string' ? body : JSON.stringify(body))
  }
  expect(await (await a.forward(createRequest({})))?.text()).toBe('served')
})
