import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { readClientHello } from '../../../../src/core/sandbox/egress/client-hello.ts'
import { readFirstMessage } from '../../../../src/core/sandbox/egress/tunnel.ts'
import { CERTIFICATE } from './certificate.ts'
import {
  clientHello,
  openEgress,
  sendAndReadAll,
  openClient,
  startUpstream,
} from './egress-fixture.ts'

const NAME = 'api.example.test'

async function open(list?: readonly string[]) {
  const { port, requests } = await startUpstream('https')
  const entries = list ?? [`https://${NAME}:PORT`]
  const opened = await openEgress(
    entries.map((text) => text.replace('PORT', String(port))),
    [`127.0.0.1:${port}`],
  )
  return { ...opened, port, requests }
}

/** Sends a request over TLS through a tunnel; the server name may differ from the tunnel's. */
async function getByTunnel(proxy: number, authority: string, servername: string): Promise<string> {
  const { socket, send } = await openClient(proxy)
  const first = await send(
    `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`,
    '\r\n\r\n',
  )
  if (!first.startsWith('HTTP/1.1 200 ')) return first
  return await overTls(socket, servername)
}

function overTls(socket: Socket, servername: string) {
  return new Promise<string>((resolve) => {
    let said = ''
    const secure = connectTls({
      socket,
      servername,
      ca: CERTIFICATE,
      checkServerIdentity: () => undefined,
    })
    secure.on('data', (chunk) => (said += String(chunk)))
    secure.on('error', (error) => resolve(error.message))
    secure.on('close', () => resolve(said))
    secure.write(`GET / HTTP/1.1\r\nHost: ${servername}\r\nConnection: close\r\n\r\n`)
  })
}

describe('TLS through a tunnel', () => {
  it('reaches a listed destination without being decrypted', async () => {
    const { proxy, port, requests, decisions } = await open()
    expect(await getByTunnel(proxy, `${NAME}:${port}`, NAME)).toContain('hello from upstream')
    expect(await getByTunnel(proxy, `${NAME.toUpperCase()}:${port}`, NAME)).toContain('hello')
    expect(requests).toHaveLength(2)
    expect(decisions[0]).toMatchObject({ allowed: true, scheme: 'https', host: NAME, port })
  })

  it('is refused unless it names the host of the tunnel', async () => {
    const { proxy, port, requests, decisions } = await open(['https://*.example.test:PORT'])
    const said = await getByTunnel(proxy, `${NAME}:${port}`, 'other.example.test')
    expect(said).toMatch(/access denied/i)
    expect(requests).toEqual([])
    expect(decisions.at(-1)).toMatchObject({ allowed: false, reason: 'name-mismatch', host: NAME })
  })

  it('names no host if the destination is an address', async () => {
    const { proxy, port, decisions } = await open(['https://127.0.0.1:PORT'])
    expect(await getByTunnel(proxy, `127.0.0.1:${port}`, '')).toContain('hello from upstream')
    expect(await getByTunnel(proxy, `127.0.0.1:${port}`, NAME)).toMatch(/access denied/i)
    expect(decisions.at(-1)).toMatchObject({ reason: 'name-mismatch', host: '127.0.0.1' })
  })

  it.each([
    ['an HTTP request', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an SSH greeting', 'SSH-2.0-x\r\n'],
    ['a TLS record without a handshake', Buffer.from([0x17, 3, 3, 0, 1, 0])],
    ['a handshake without a name', clientHello([])],
    ['a handshake with two names', clientHello([NAME, 'evil.test'])],
    ['a handshake with a name and a NUL', clientHello([`${NAME}\0.evil.test`])],
    ['a handshake with a dot after the name', clientHello([`${NAME}.`])],
    ['a handshake with a port after the name', clientHello([`${NAME}:443`])],
    ['an empty record', Buffer.from([0x16, 3, 1, 0, 0])],
    ['a handshake that exceeds its record', clientHello([NAME]).subarray(0, -1)],
  ])('is refused if the tunnel carries %s', async (what, bytes) => {
    const { proxy, port, requests, decisions } = await open()
    const { socket, send } = await openClient(proxy)
    await send(`CONNECT ${NAME}:${port} HTTP/1.1\r\n\r\n`.replace('1.1', '1.0'), '\r\n\r\n')
    socket.end(bytes)
    await expect.poll(() => socket.closed, { timeout: 10_000 }).toBe(true)
    expect(requests).toEqual([])
    // A truncated handshake requests nothing.
    const isCut = what.startsWith('a handshake that exceeds')
    expect(decisions.filter(({ allowed }) => !allowed)).toHaveLength(isCut ? 0 : 1)
  })

  it.each([
    ['evil.test:443', 403],
    [`${NAME}:22`, 403],
    [NAME, 400],
    [`${NAME}:`, 400],
    [`${NAME}:PORT/path`, 400],
    [`user@${NAME}:PORT`, 400],
    [`${NAME}.:PORT`, 400],
    [`https://${NAME}:PORT`, 400],
    ['127.1:PORT', 400],
    ['[::1]:PORT', 403],
    ['[::ffff:127.0.0.1]:PORT', 403],
    [`${NAME}%00:PORT`, 400],
    [`.${NAME}:PORT`, 400],
    [':PORT', 400],
  ])('is refused for %s', async (authority, status) => {
    const { proxy, port } = await open()
    const target = authority.replace('PORT', String(port))
    const said = await sendAndReadAll(
      proxy,
      `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`,
    )
    expect(said.slice(0, 13)).toBe(`HTTP/1.1 ${status} `)
  })

  it('is refused if the Host header differs', async () => {
    const { proxy, port } = await open()
    const other = await sendAndReadAll(
      proxy,
      `CONNECT ${NAME}:${port} HTTP/1.1\r\nHost: evil.test:${port}\r\n\r\n`,
    )
    expect(other).toMatch(/^HTTP\/1.1 400 .*name-mismatch/)
  })

  it('is refused for destinations that are listed with http', async () => {
    const { proxy, port, requests, decisions } = await open([`http://${NAME}:PORT`])
    expect(await getByTunnel(proxy, `${NAME}:${port}`, NAME)).toMatch(/access denied/i)
    expect(requests).toEqual([])
    expect(decisions).toMatchObject([{ allowed: false, reason: 'scheme-not-listed' }])
  })
})

describe('TLS from code without proxy support', () => {
  it('reaches the host that its handshake names', async () => {
    const { openPort, port, decisions } = await open()
    const { socket } = await openClient(await openPort('direct', port))
    expect(await overTls(socket, NAME)).toContain('hello from upstream')
    expect(decisions).toMatchObject([{ allowed: true, host: NAME, port, via: 'direct' }])
  })

  it('is refused with an alert for any other name', async () => {
    const { openPort, port, decisions } = await open()
    const { socket } = await openClient(await openPort('direct', port))
    expect(await overTls(socket, 'evil.test')).toMatch(/access denied/i)
    expect(decisions).toMatchObject([
      { allowed: false, reason: 'host-not-listed', host: 'evil.test' },
    ])
  })
})

describe('the first message of a TLS client', () => {
  const whole = clientHello([NAME])

  it('is read regardless of how it is split into pieces', () => {
    expect(readClientHello(whole)).toEqual({ kind: 'tls', serverName: NAME })
    for (let size = 1; size < whole.length; size++) {
      expect(readClientHello(whole.subarray(0, size)).kind).toBe('more')
    }
  })

  it('is read from several records', () => {
    const body = whole.subarray(5)
    const record = (part: Buffer) =>
      Buffer.concat([Buffer.from([0x16, 3, 1, 0, part.length]), part])
    const cut = Buffer.concat([record(body.subarray(0, 3)), record(body.subarray(3))])
    expect(readClientHello(cut)).toEqual({ kind: 'tls', serverName: NAME })
  })

  it('is abandoned if it arrives in thousands of records or pieces', async () => {
    const body = whole.subarray(5)
    const record = (at: number) => Buffer.from([0x16, 3, 1, 0, 1, body[at] ?? 0])
    const records = (count: number) =>
      Buffer.concat(Array.from({ length: count }, (_, at) => record(at)))
    expect(readClientHello(records(64)).kind).toBe('more')
    expect(readClientHello(records(65)).kind).toBe('other')
    const readPieces = async (count: number) => {
      const client = new PassThrough()
      const reading = readFirstMessage(client, Buffer.alloc(0), 60_000)
      const long = Buffer.from([0x16, 3, 1, 0x20, 0, 1, 0, 0x1f, 0xfc])
      const bytes = Buffer.concat([long, Buffer.alloc(count)])
      for (let at = 0; at < count; at++) {
        client.write(bytes.subarray(at, at + 1))
        await new Promise(setImmediate)
      }
      client.end()
      return await reading
    }
    // Undecided when the client closed, until the limit was reached.
    expect(await readPieces(200)).toBeUndefined()
    expect(await readPieces(300)).toMatchObject({ isTls: false })
  })

  it('never throws for any single changed byte', () => {
    for (let at = 0; at < whole.length; at++) {
      for (const value of [0, 1, 0x7f, 0xff]) {
        const changed = Buffer.from(whole)
        changed[at] = value
        expect(['tls', 'other', 'more']).toContain(readClientHello(changed).kind)
      }
    }
  })
})
