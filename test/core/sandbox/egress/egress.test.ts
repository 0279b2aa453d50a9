import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parsePrivateExceptions } from '../../../../src/core/sandbox/egress/private-exceptions.ts'
import { classifyAddress } from '../../../../src/core/sandbox/egress/special-address.ts'
import {
  clientHello,
  openEgress,
  sendAndReadAll,
  openClient,
  startUpstream,
} from './egress-fixture.ts'

/** Builds a question as a resolver sends it. */
function question(name: string, type = 1): Buffer {
  const labels = name
    .split('.')
    .flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')])
  const head = Buffer.from([0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
  return Buffer.concat([head, ...labels, Buffer.from([0, 0, type, 0, 1])])
}

async function openNames(
  list: readonly string[],
  allowPrivate?: readonly string[],
  more?: Parameters<typeof openEgress>[2],
) {
  const opened = await openEgress(list, allowPrivate, more)
  const server = createSocket('udp4')
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  opened.egress.serve({ kind: 'names', port: 53 }, server)
  const client = createSocket('udp4')
  onTestFinished(() => void client.close())
  const ask = async (message: Buffer) => {
    client.send(message, server.address().port, '127.0.0.1')
    const [answer] = (await once(client, 'message')) as [Buffer]
    const found = answer.length > message.length ? [...answer.subarray(-4)].join('.') : undefined
    return { id: answer.readUInt16BE(0), code: (answer[3] ?? 0) & 15, found }
  }
  return { ...opened, ask, client, server }
}

describe('the DNS server of a sandbox', () => {
  it('resolves listed names only, to addresses of the sandbox itself', async () => {
    const { ask, decisions } = await openNames(['http://*.example.test:81'], ['127.0.0.1'])
    const first = await ask(question('api.example.test'))
    expect(first).toEqual({ id: 0xabcd, code: 0, found: '127.64.0.1' })
    expect(await ask(question('API.EXAMPLE.test'))).toEqual(first)
    expect(await ask(question('other.example.test'))).toMatchObject({ found: '127.64.0.2' })
    expect(await ask(question('api.example.test', 28))).toMatchObject({ code: 0, found: undefined })
    expect(decisions).toEqual([])
  })

  it.each([
    ['evil.test', 'host-not-listed'],
    ['example.test', 'host-not-listed'],
    ['nowhere.example.test', 'unresolved'],
    ['inside.example.test', 'private-address'],
    ['metadata.example.test', 'metadata-address'],
    ['a b.example.test', 'malformed'],
    ['api.example.test\0', 'malformed'],
    ['api.example.test:82', 'malformed'],
  ])('does not resolve %s', async (name, reason) => {
    const { ask, decisions } = await openNames(['http://*.example.test:81'])
    expect(await ask(question(name))).toMatchObject({ code: 3, found: undefined })
    expect(await ask(question(name, 28))).toMatchObject({ code: 3, found: undefined })
    expect(decisions).toMatchObject([{ allowed: false, reason, via: 'dns' }])
  })

  it('still resolves after malformed messages', async () => {
    const { ask, client, server } = await openNames(['http://api.example.test'], ['127.0.0.1'])
    const good = question('api.example.test')
    const { port } = server.address()
    for (let size = 0; size < good.length; size++)
      client.send(good.subarray(0, size), port, '127.0.0.1')
    for (const other of [
      Buffer.alloc(512, 0xff),
      Buffer.alloc(600),
      Buffer.from([...good, 1, 2]),
    ]) {
      if (other.length !== good.length + 2) client.send(other, port, '127.0.0.1')
    }
    const pointer = Buffer.from([0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xc0, 12, 0, 1, 0, 1])
    client.send(pointer, port, '127.0.0.1')
    expect(await ask(good)).toMatchObject({ found: '127.64.0.1' })
  })

  it('assigns one address per name: a request to another name there is refused', async () => {
    const { port, requests } = await startUpstream()
    const list = [`http://*.example.test:${port}`]
    const { ask, openPort } = await openNames(list, [`127.0.0.1:${port}`])
    await ask(question('api.example.test'))
    const at = await openPort('direct', port, '127.64.0.1')
    const get = (host: string) =>
      `GET / HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: close\r\n\r\n`
    expect(await sendAndReadAll(at, get('api.example.test'), '127.64.0.1')).toContain(
      'hello from upstream',
    )
    expect(await sendAndReadAll(at, get('other.example.test'), '127.64.0.1')).toContain(
      'name-mismatch',
    )
    expect(requests).toHaveLength(1)
  })
})

describe('the egress of a run', () => {
  it('limits open connections and accepts more after some have closed', async () => {
    const { port } = await startUpstream()
    const host = `api.example.test:${port}`
    const { proxy, decisions } = await openEgress([`http://${host}`], [`127.0.0.1:${port}`])
    const get = `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    const idle = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const socket = connect(proxy, '127.0.0.1')
        socket.on('error', () => {})
        await once(socket, 'connect')
        return socket
      }),
    )
    await expect.poll(() => decisions.length, { timeout: 10_000 }).toBe(72)
    expect(decisions.every(({ reason }) => reason === 'too-many')).toBe(true)
    for (const socket of idle) socket.destroy()
    await expect
      .poll(async () => await sendAndReadAll(proxy, get), { timeout: 10_000 })
      .toContain('hello')
  })

  it.each([
    ['says nothing', 'proxy', ''],
    ['says nothing there', 'direct', ''],
    ['begins an HTTP request', 'proxy', 'GET http://'],
    ['begins an HTTP request there', 'direct', 'GET / HTTP/1.1\r\n'],
    ['begins a handshake', 'direct', '\x16\x03\x01'],
    [
      'begins a handshake in a tunnel',
      'proxy',
      'CONNECT api.example.test:PORT HTTP/1.0\r\n\r\n\x16\x03',
    ],
  ] as const)('times out a client that %s', async (_what, kind, bytes) => {
    const { port } = await startUpstream()
    const list = [`https://api.example.test:${port}`]
    const { openPort } = await openEgress(list, ['127.0.0.1'], { patience: { headMs: 200 } })
    const { socket } = await openClient(await openPort(kind, port))
    // A byte now and then does not extend the timeout.
    const drip = setInterval(() => void socket.write(kind === 'proxy' ? 'a' : '\x03'), 20)
    onTestFinished(() => clearInterval(drip))
    if (bytes !== '') socket.write(Buffer.from(bytes.replace('PORT', String(port)), 'latin1'))
    else clearInterval(drip)
    await expect.poll(() => socket.closed, { timeout: 10_000 }).toBe(true)
  })

  it('closes idle connections, in the first request and in later ones', async () => {
    const { port, server } = await startUpstream()
    const host = `api.example.test:${port}`
    const { proxy } = await openEgress([`http://${host}`], [`127.0.0.1:${port}`], {
      patience: { idleMs: 300 },
    })
    const get = `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`
    const { socket, send } = await openClient(proxy)
    await send(get, 'upstream')
    server.removeAllListeners('request')
    socket.write(get)
    await expect.poll(() => socket.closed, { timeout: 10_000 }).toBe(true)
  })

  it('limits connections that were abandoned by their clients', async () => {
    const { port } = await startUpstream()
    const host = `api.example.test:${port}`
    let answer = (_addresses: readonly string[]) => {}
    const slow = new Promise<readonly string[]>((resolve) => (answer = resolve))
    const { proxy, decisions } = await openEgress([`http://${host}`], [`127.0.0.1:${port}`], {
      lookup: async () => await slow,
    })
    const get = `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    const leave = async () => {
      const socket = connect(proxy, '127.0.0.1')
      socket.on('error', () => {})
      socket.write(get)
      setTimeout(() => socket.resetAndDestroy(), 200)
      await once(socket, 'close')
    }
    // Fewer per batch than may be open at once: earlier ones have closed before the next ones open.
    for (let share = 0; share < 20 && decisions.length === 0; share++) {
      await Promise.all(Array.from({ length: 50 }, leave))
    }
    expect(await sendAndReadAll(proxy, get)).toContain('(too-many)')
    answer(['127.0.0.1'])
    await expect
      .poll(async () => await sendAndReadAll(proxy, get), { timeout: 10_000 })
      .toContain('hello')
  })

  it('limits the number of names', async () => {
    const { ask } = await openNames(['http://*.example.test:81'], ['127.0.0.1'], {
      lookup: async () => ['127.0.0.1'],
    })
    for (let at = 0; at < 256; at++) {
      expect(await ask(question(`n${at}.example.test`))).toMatchObject({ code: 0 })
    }
    expect(await ask(question('n256.example.test'))).toMatchObject({ code: 3, found: undefined })
    expect(await ask(question('n255.example.test'))).toMatchObject({ found: '127.64.1.0' })
  })

  it('looks up one name at a time, and none after the end of the run', async () => {
    const waiting: { name: string; answer: (addresses: readonly string[]) => void }[] = []
    const list = ['http://*.example.test:81']
    const { ask, client, server, egress } = await openNames(list, ['127.0.0.1'], {
      lookup: async (name) => await new Promise((answer) => void waiting.push({ name, answer })),
    })
    for (let at = 0; at < 50; at++) {
      client.send(question(`n${at}.example.test`), server.address().port, '127.0.0.1')
    }
    // Refused without a lookup: once this is answered, all earlier questions have been read.
    expect(await ask(question('evil.test'))).toMatchObject({ code: 3 })
    expect(waiting).toHaveLength(1)
    waiting[0]?.answer(['127.0.0.1'])
    await expect.poll(() => waiting.length).toBe(2)
    expect(waiting[0]?.name).not.toBe(waiting[1]?.name)
    egress.close()
    waiting[1]?.answer([])
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(waiting).toHaveLength(2)
  })

  it('closes for good after too many refusals', async () => {
    const { port } = await startUpstream()
    const { egress, decisions } = await openEgress([`http://api.example.test:${port}`])
    const server = createSocket('udp4')
    server.bind(0, '127.0.0.1')
    await once(server, 'listening')
    egress.serve({ kind: 'names', port: 53 }, server)
    const client = createSocket('udp4')
    onTestFinished(() => void client.close())
    const at = server.address().port
    const flood = setInterval(() => {
      for (let i = 0; i < 100; i++) client.send(question('evil.test'), at, '127.0.0.1', () => {})
    }, 1)
    onTestFinished(() => clearInterval(flood))
    await expect
      .poll(() => decisions.at(-1)?.reason, { timeout: 20_000, interval: 20 })
      .toBe('too-many')
    expect(decisions).toHaveLength(4097)
  })

  it('closes every connection with the run', async () => {
    const { port, server } = await startUpstream()
    server.removeAllListeners('request')
    const host = `api.example.test:${port}`
    const { egress, proxy } = await openEgress([`http://${host}`], [`127.0.0.1:${port}`])
    const { socket } = await openClient(proxy)
    const reached = once(server, 'request') as Promise<[{ socket: { closed: boolean } }]>
    socket.write(`GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    const [request] = await reached
    egress.close()
    await expect.poll(() => socket.closed && request.socket.closed, { timeout: 10_000 }).toBe(true)
    await expect(once(connect(proxy, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED')
  })

  it('survives arbitrary input', async () => {
    const { port } = await startUpstream()
    const host = `api.example.test:${port}`
    const list = [`http://${host}`, `https://*.example.test:${port + 1}`]
    const opened = await openNames(list, [`127.0.0.1:${port}`])
    const direct = await opened.openPort('direct', port)
    const seeds = [
      Buffer.from(`GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
      Buffer.from(
        `POST / HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`,
      ),
      Buffer.from(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
      clientHello(['api.example.test']),
    ]
    let state = 1
    const random = (below: number) => {
      state = (state * 48_271) % 2_147_483_647
      return state % below
    }
    const spoil = (seed: Buffer) => {
      const bytes = Buffer.from(seed)
      for (let times = random(6); times > 0; times--) bytes[random(bytes.length)] = random(256)
      return bytes.subarray(0, bytes.length - (random(4) === 0 ? random(bytes.length) : 0))
    }
    for (let round = 0; round < 300; round++) {
      const socket = connect(round % 2 === 0 ? opened.proxy : direct, '127.0.0.1')
      socket.on('error', () => {})
      socket.end(spoil(seeds[random(seeds.length)] as Buffer))
      socket.resume()
      opened.client.send(spoil(question('api.example.test')), opened.server.address().port)
      await once(socket, 'close')
    }
    const get = `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    expect(await sendAndReadAll(opened.proxy, get)).toContain('hello from upstream')
  })

  it('closes if attempts cannot be reported', async () => {
    const { egress, proxy } = await openEgress(['http://a.test'], [], {
      onDecision: () => {
        throw new Error('a listener of the caller')
      },
    })
    expect(egress.listeners).toHaveLength(3)
    await sendAndReadAll(proxy, 'GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n')
    await expect(once(connect(proxy, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED')
  })

  it('chooses a proxy port that is not listed', async () => {
    const { egress } = await openEgress([
      'http://a.test:3128',
      'https://b.test:3129',
      'http://c.test:80',
      'http://d.test',
    ])
    expect(egress.proxy).toBe('http://127.0.0.1:3130')
    expect(
      egress.listeners.filter(({ kind }) => kind === 'direct').map(({ port }) => port),
    ).toEqual([3128, 3129, 80])
  })
})

describe('the special use of an address', () => {
  it.each([
    ['1.1.1.1', undefined],
    ['172.32.0.1', undefined],
    ['2606:4700::1111', undefined],
    ['127.8.9.10', 'loopback-address'],
    ['::1', 'loopback-address'],
    ['0.0.0.0', 'special-address'],
    ['::', 'special-address'],
    ['10.0.0.1', 'private-address'],
    ['172.31.255.255', 'private-address'],
    ['192.168.1.1', 'private-address'],
    ['100.64.0.1', 'private-address'],
    ['fd00::1', 'private-address'],
    ['169.254.1.1', 'link-local-address'],
    ['fe80::1', 'link-local-address'],
    ['169.254.169.254', 'metadata-address'],
    ['::ffff:169.254.169.254', 'metadata-address'],
    ['fd00:ec2::254', 'metadata-address'],
    ['168.63.129.16', 'metadata-address'],
    ['::ffff:127.0.0.1', 'loopback-address'],
    ['::ffff:1.1.1.1', 'special-address'],
    ['::127.0.0.1', 'special-address'],
    ['64:ff9b::7f00:1', 'special-address'],
    ['64:ff9b:1::1', 'special-address'],
    ['2002:7f00:1::1', 'special-address'],
    ['2001:0:1::1', 'special-address'],
    ['2001:db8::1', 'special-address'],
    ['ff02::1', 'special-address'],
    ['224.0.0.1', 'special-address'],
    ['255.255.255.255', 'special-address'],
    ['198.18.0.1', 'special-address'],
    ['192.0.2.1', 'special-address'],
    ['no address', 'special-address'],
  ])('%s is classified as %s', (address, use) => {
    expect(classifyAddress(address)).toBe(use)
  })
})

describe('exceptions for private addresses', () => {
  it.each([
    ['10.0.0.0/8', 'x.test', '10.1.2.3', 80, true],
    ['10.0.0.0/8', 'x.test', '11.1.2.3', 80, false],
    ['10.1.2.3', 'x.test', '10.1.2.3', 80, true],
    ['10.1.2.3:81', 'x.test', '10.1.2.3', 80, false],
    ['10.1.2.3:81', 'x.test', '10.1.2.3', 81, true],
    ['x.test', 'x.test', '10.1.2.3', 80, true],
    ['x.test:80', 'x.test', '10.1.2.3', 80, true],
    ['x.test:81', 'x.test', '10.1.2.3', 80, false],
    ['x.test', 'y.test', '10.1.2.3', 80, false],
    ['::1', 'x.test', '::1', 80, true],
    ['[::1]:81', 'x.test', '::1', 80, false],
    ['[::1]:81', 'x.test', '::1', 81, true],
    ['fd00::/8', 'x.test', 'fd12::1', 80, true],
  ])('with %s, %s at %s port %i is allowed: %s', (...[text, host, address, port, allowed]) => {
    const exceptions = parsePrivateExceptions([text])
    if ('wrong' in exceptions) throw new Error(text)
    expect(exceptions.allows(host, address, port)).toBe(allowed)
  })

  it.each([
    '',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0/8',
    '*',
    '*.test',
    'x.test/y',
    'http://x.test',
    'x.test:0',
  ])('refuse the text: %s', (text) => {
    expect(parsePrivateExceptions(['10.0.0.0/8', text])).toEqual({ wrong: text })
  })
})
