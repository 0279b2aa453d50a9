import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clientHello, openClient, openEgress, sendAndReadAll } from './egress-fixture.ts'

const MAX_BYTES = 100_000
const LOAD = 4_000_000
const NAME = 'api.example.test'

/** Starts a server that calls back with each connection and counts what it receives. */
async function startServer(onConnection: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const received = { bytes: 0 }
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', (chunk) => (received.bytes += chunk.length))
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, received }
}

const answerHttp = (socket: Socket) =>
  socket.once('data', () => socket.end(`HTTP/1.0 200 OK\r\n\r\n${'x'.repeat(LOAD)}`))
const answerRaw = (socket: Socket) => socket.once('data', () => socket.end('x'.repeat(LOAD)))
const takeRaw = (socket: Socket) =>
  socket.once('data', () => socket.write('go on')).on('end', () => socket.end())
/** Reads slowly, so that much of the load is still on its way when the client ends its side. */
const takeAll = (socket: Socket) =>
  socket.on('data', () => {
    if (socket.bytesRead > LOAD) return void socket.end('HTTP/1.0 200 OK\r\n\r\n')
    socket.pause()
    setImmediate(() => socket.resume())
  })

async function open(
  scheme: 'http' | 'https',
  onConnection: (socket: Socket) => void,
  maxBytes: number,
) {
  const { port, received } = await startServer(onConnection)
  const exceeded = { times: 0 }
  const limit = { maxBytes, onExceeded: () => (exceeded.times += 1) }
  const list = [`${scheme}://${NAME}:${port}`]
  const opened = await openEgress(list, [`127.0.0.1:${port}`], { limit })
  return { ...opened, port, received, exceeded }
}

type Opened = Awaited<ReturnType<typeof open>>

/** Sends the load after these messages, each of which is answered, and closes. */
async function upload(
  port: number,
  head: string,
  messages: readonly [string | Buffer, string][] = [],
): Promise<void> {
  const { socket, send } = await openClient(port)
  socket.write(head)
  for (const [message, answer] of messages) await send(message, answer)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.end('x'.repeat(LOAD))
  await closed
}

const hello = () => clientHello([NAME])
const connect = (port: number) =>
  `CONNECT ${NAME}:${port} HTTP/1.1\r\nHost: ${NAME}:${port}\r\n\r\n`
const post = (port: number) =>
  `POST http://${NAME}:${port}/ HTTP/1.1\r\nHost: ${NAME}:${port}\r\nContent-Length: ${LOAD}\r\nConnection: close\r\n\r\n`

/** Each transfers the load and returns how much of it arrived. */
const WAYS: readonly {
  way: string
  scheme: 'http' | 'https'
  serve: (socket: Socket) => void
  transfer: (opened: Opened) => Promise<number>
}[] = [
  {
    way: 'downloads through the proxy',
    scheme: 'http',
    serve: answerHttp,
    transfer: async ({ proxy, port }) => {
      const host = `${NAME}:${port}`
      const get = `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
      return (await sendAndReadAll(proxy, get)).length
    },
  },
  {
    way: 'uploads through the proxy',
    scheme: 'http',
    serve: takeAll,
    transfer: async ({ proxy, port, received }) => {
      await upload(proxy, post(port))
      return received.bytes
    },
  },
  {
    way: 'downloads through a tunnel',
    scheme: 'https',
    serve: answerRaw,
    transfer: async ({ proxy, port }) => {
      const { socket, send } = await openClient(proxy)
      await send(connect(port), '\r\n\r\n')
      let bytes = 0
      socket.on('data', (chunk) => (bytes += chunk.length))
      const closed = new Promise((resolve) => socket.once('close', resolve))
      socket.write(hello())
      await closed
      return bytes
    },
  },
  {
    way: 'uploads through a tunnel',
    scheme: 'https',
    serve: takeRaw,
    transfer: async ({ proxy, port, received }) => {
      await upload(proxy, connect(port), [
        ['', '\r\n\r\n'],
        [hello(), 'go on'],
      ])
      return received.bytes
    },
  },
  {
    way: 'downloads without the proxy',
    scheme: 'https',
    serve: answerRaw,
    transfer: async ({ openPort, port }) =>
      (await sendAndReadAll(await openPort('direct', port), hello())).length,
  },
  {
    way: 'uploads without the proxy',
    scheme: 'http',
    serve: takeAll,
    transfer: async ({ openPort, port, received }) => {
      await upload(await openPort('direct', port), post(port).replace(/http:\/\/[^/]*/, ''))
      return received.bytes
    },
  },
]

describe('the limit of bytes of a run', () => {
  it.each(WAYS)('ends a run that $way', async ({ scheme, serve, transfer }) => {
    const opened = await open(scheme, serve, MAX_BYTES)
    expect(await transfer(opened)).toBeLessThanOrEqual(MAX_BYTES)
    expect(opened.exceeded.times).toBe(1)
    expect(opened.egress.bytes).toBeGreaterThan(MAX_BYTES)
    expect(opened.decisions.at(-1)).toMatchObject({
      allowed: false,
      reason: 'too-many-bytes',
      message: expect.stringContaining('more than 100 KB') as string,
    })
  })

  it.each(WAYS)('counts a run within it that $way', async ({ scheme, serve, transfer }) => {
    const opened = await open(scheme, serve, LOAD + 2000)
    expect(await transfer(opened)).toBeGreaterThanOrEqual(LOAD)
    expect(opened.exceeded.times).toBe(0)
    expect(opened.egress.bytes).toBeGreaterThanOrEqual(LOAD)
    expect(opened.egress.bytes).toBeLessThanOrEqual(LOAD + 2000)
    expect(opened.decisions).toMatchObject([{ reason: 'listed' }])
  })

  it('counts all connections together', async () => {
    const opened = await open('https', (socket) => socket.end('x'.repeat(30_000)), MAX_BYTES)
    const at = await opened.openPort('direct', opened.port)
    const received = await Promise.all(
      Array.from({ length: 5 }, async () => (await sendAndReadAll(at, hello())).length),
    )
    expect(received.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(MAX_BYTES)
    expect(opened.exceeded.times).toBe(1)
  })

  it('ends a run that floods the name server', async () => {
    const opened = await open('http', takeAll, 10_000)
    const server = createSocket('udp4')
    server.bind(0, '127.0.0.1')
    await once(server, 'listening')
    opened.egress.serve({ kind: 'names', port: 53 }, server)
    const client = createSocket('udp4')
    onTestFinished(() => void client.close())
    const head = Buffer.from([0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    const labels = NAME.split('.').map((label) => String.fromCharCode(label.length) + label)
    const question = Buffer.concat([
      head,
      Buffer.from(`${labels.join('')}\0\0\x01\0\x01`, 'latin1'),
    ])
    let answers = 0
    client.on('message', () => answers++)
    const { port } = server.address()
    while (opened.exceeded.times === 0) {
      client.send(question, port, '127.0.0.1')
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(answers * question.length).toBeLessThan(10_000)
    expect(opened.decisions.at(-1)).toMatchObject({ reason: 'too-many-bytes' })
  })

  it('leaves the run without a network', async () => {
    const opened = await open('https', answerRaw, MAX_BYTES)
    const at = await opened.openPort('direct', opened.port)
    await sendAndReadAll(at, hello())
    expect(await sendAndReadAll(opened.proxy, connect(opened.port))).toBe('')
    expect(await sendAndReadAll(at, hello())).toBe('')
  })
})
