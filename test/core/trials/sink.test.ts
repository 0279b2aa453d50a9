import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ReceivedMessage } from '../../../src/core/trials/sink/received-message.ts'
import { Sink } from '../../../src/core/trials/sink/sink.ts'

/** A sink whose sockets are bound on this machine instead of in a sandbox. */
async function openSink(answersWithScripts = false) {
  const messages: ReceivedMessage[] = []
  const names: string[] = []
  const sink = new Sink(
    {
      token: { first: 'aaaa', second: 'bbbb' },
      answersWithScripts,
      ports: [],
      observer: {
        onResolved: (name) => names.push(name),
        onConnected: () => {},
        onOrder: () => {},
        onMessage: (message) => messages.push(message),
      },
    },
    undefined,
  )
  onTestFinished(() => sink.close())
  const listen = async (listener: (typeof sink.listeners)[number]) => {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    sink.serve(listener, server)
    return (server.address() as AddressInfo).port
  }
  const proxy = await listen({ kind: 'proxy', port: 3128 })
  const https = await listen({ kind: 'direct', port: 443 })
  return { sink, messages, names, proxy, https }
}

async function send(port: number, text: string | Buffer): Promise<string> {
  const client = connect(port, '127.0.0.1')
  let received = ''
  client.on('data', (chunk) => (received += String(chunk)))
  client.on('error', () => {})
  client.end(text)
  await once(client, 'close')
  return received
}

describe('the sink', () => {
  it('answers a request as the named host, and reports it', async () => {
    const { proxy, messages } = await openSink()
    const answer = await send(proxy, 'GET http://any.example/install.sh HTTP/1.0\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK[^]*#!\/bin\/sh/)
    expect(messages[0]).toMatchObject({ protocol: 'http', hosts: ['any.example'], port: 80 })
  })

  it('answers TLS with a certificate of its own authority for every name', async () => {
    const { https, sink, messages } = await openSink()
    const client = connectTls({
      port: https,
      host: '127.0.0.1',
      servername: 'x.example',
      ca: sink.authority,
    })
    client.resume()
    await once(client, 'secureConnect')
    client.write(
      'POST /a HTTP/1.1\r\nHost: y.example\r\nContent-Length: 4\r\nConnection: close\r\n\r\ndata',
    )
    await once(client, 'close')
    expect(messages[0]?.hosts).toEqual(['x.example', '127.0.0.1', 'y.example'])
  })

  it.each([
    ['a malformed request', 'GET / HTTP/9.9\r\nX\r\n\r\nsecret'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 6\r\n\r\nsecret',
    ],
    ['bytes without a protocol', 'secret\0\u0001\u0002'],
    ['an aborted body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\nsecret'],
  ])('reports %s', async (_, text) => {
    const { https, messages } = await openSink()
    await send(https, text)
    await expect.poll(() => messages.some(({ bytes }) => bytes.includes('secret'))).toBe(true)
  })

  it('ends tunnels inside of tunnels at a depth', async () => {
    const { proxy, messages } = await openSink()
    const tunnel = 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n'
    const client = connect(proxy, '127.0.0.1')
    client.on('error', () => {})
    client.on('data', () => client.write(tunnel))
    client.write(tunnel)
    await once(client, 'close')
    expect(messages.length).toBeLessThan(10)
  })

  it('connects to no destination, neither of a request nor of a tunnel', async () => {
    let connections = 0
    const target = createServer(() => (connections += 1))
    target.listen(0, '127.0.0.1')
    await once(target, 'listening')
    onTestFinished(() => void target.close())
    const { port } = target.address() as AddressInfo
    const { proxy, messages } = await openSink()
    await send(proxy, `GET http://127.0.0.1:${port}/ HTTP/1.0\r\n\r\n`)
    await send(proxy, `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: a\r\n\r\n`)
    expect(messages.length).toBeGreaterThan(1)
    expect(connections).toBe(0)
    // The control: the listener counts.
    connect(port, '127.0.0.1').end()
    await expect.poll(() => connections).toBe(1)
  })

  it('has no code that connects or resolves', () => {
    const folder = 'src/core/trials/sink'
    const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
    for (const text of texts) {
      expect(text).not.toMatch(
        /\bconnect\(|createConnection|\bfetch\(['a-z]|lookup|from 'node:dns|httpRequest/,
      )
    }
  })

  it('keeps at most a number of connections', async () => {
    const { https } = await openSink()
    const clients: Socket[] = Array.from({ length: 200 }, () =>
      connect(https, '127.0.0.1').on('error', () => {}),
    )
    onTestFinished(() => clients.forEach((each) => each.destroy()))
    await expect
      .poll(() => clients.filter(({ closed }) => closed).length)
      .toBeGreaterThanOrEqual(72)
    expect(clients.some(({ closed }) => !closed)).toBe(true)
  })

  it('closes everything after a number of bytes', async () => {
    const { https, sink } = await openSink()
    const body = Buffer.alloc(5 * 1024 * 1024, 'x')
    const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`
    for (let at = 0; at < 8; at++)
      await send(https, Buffer.concat([Buffer.from(head), body])).catch(() => '')
    const client = connect(https, '127.0.0.1')
    await expect(Promise.race([once(client, 'connect'), once(client, 'close')])).rejects.toThrow()
    sink.close()
  })

  it('answers every name, and survives what is not a query', async () => {
    const { sink, names, messages } = await openSink()
    const server = createSocket('udp4')
    server.bind(0, '127.0.0.1')
    await once(server, 'listening')
    sink.serve({ kind: 'datagrams', port: 53 }, server)
    const client = createSocket('udp4')
    onTestFinished(() => void client.close())
    const head = Buffer.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    const query = Buffer.concat([
      head,
      Buffer.from('\u0003any\u0007example\0\0\u0001\0\u0001', 'latin1'),
    ])
    const bad = [
      Buffer.alloc(0),
      head,
      query.subarray(0, 20),
      Buffer.alloc(600, 0xc0),
      Buffer.from('secret'),
    ]
    for (const each of [...bad, query]) client.send(each, server.address().port, '127.0.0.1')
    const [answer] = (await once(client, 'message')) as [Buffer]
    expect(names).toEqual(['any.example'])
    expect(answer.readUInt16BE(6)).toBe(1)
    expect([...answer.subarray(-4)]).toEqual([45, 76, 0, 1])
    expect(messages.map(({ protocol }) => protocol)).toContain('udp')
  })
})

describe('an address of every host', () => {
  it('is asked for by the sink only', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    )
    const asking = files.filter((file) =>
      /ownsEveryAddress\s*[:=]\s*true\b/.test(readFileSync(join('src', file), 'utf8')),
    )
    expect(asking).toEqual(['core/trials/sink/sink.ts'])
  })
})
