import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { startTestServer } from '../helpers/server.ts'
import { collectUnhandled } from '../helpers/unhandled.ts'

/** Sends bytes, and resets the connection at once or after the first bytes of the answer. */
async function sendAndReset(port: number, bytes: string, isRead: boolean): Promise<void> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  const first = once(socket, 'data').catch(() => {})
  socket.write(bytes)
  await Promise.race([isRead ? first : sleep(5), sleep(1000)])
  // SO_LINGER with the time 0: the peer gets ECONNRESET instead of an end.
  socket.resetAndDestroy()
}

const post = (path: string, body: string, more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`
const RUN = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'runtime.execute',
  params: { runtime: 'shell', code: 'for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done' },
})
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'reset', version: '1' },
  },
})
const ACCEPTS = 'Accept: application/json, text/event-stream\r\n'

const ATTACKS: readonly [name: string, bytes: string][] = [
  ['in a head', 'GET /healthz HTTP/1.1\r\nHos'],
  ['in a body', post('/rpc', RUN).slice(0, -20)],
  ['after a request', post('/rpc', RUN)],
  ['in a stream of events', post('/rpc', RUN, 'Accept: text/event-stream\r\n')],
  ['in an upload', `PUT /blobs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel`],
  [
    'after a request to switch',
    'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: a\r\n\r\n',
  ],
  ['after CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'],
  ['after bytes that are not HTTP', '\u0016\u0003\u0001\u0002'],
  [
    'after many requests at once',
    'GET /openrpc.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(50),
  ],
  ['in a session of MCP', post('/mcp', INITIALIZE, ACCEPTS)],
  [
    'before the rest of an expected body',
    post('/rpc', RUN, 'Expect: 100-continue\r\n').slice(0, -40),
  ],
]

it.each(ATTACKS)(
  'a server survives a client that resets its connection %s',
  { tags: ['slow'], timeout: 60_000 },
  async (_, bytes) => {
    const errors = collectUnhandled()
    const server = await startTestServer({ withMcp: { resumeMs: 100 } })
    const port = Number(new URL(server.url).port)
    for (let attempt = 0; attempt < 6; attempt++) {
      await sendAndReset(
        port,
        bytes.replaceAll('127.0.0.1', `127.0.0.1:${port}`),
        attempt % 2 === 0,
      )
    }
    await sleep(200)
    expect(errors).toEqual([])
    expect((await server.fetch('/healthz')).status).toBe(200)
  },
)

it('a server without a listener would end by such a reset, the control of these attacks', async () => {
  const errors = collectUnhandled()
  const server = createServer((socket) => void socket.write('hello'))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  await sendAndReset((server.address() as AddressInfo).port, 'x', true)
  await expect.poll(() => errors.length, { timeout: 5000 }).toBe(1)
  expect(errors[0]).toMatchObject({ code: 'ECONNRESET' })
})
