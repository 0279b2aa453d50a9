import { describe, expect, it } from 'vitest'
import { openEgress, sendAndReadAll, openClient, startUpstream } from './egress-fixture.ts'

const get = (url: string, host: string, more = '') =>
  `GET ${url} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${more}\r\n`

async function open() {
  const { port, requests } = await startUpstream()
  const list = [`http://api.example.test:${port}`]
  const opened = await openEgress(list, [`api.example.test:${port}`])
  return { ...opened, port, requests, host: `api.example.test:${port}` }
}

describe('a plain HTTP request through the proxy', () => {
  it('reaches a listed destination and is reported', async () => {
    const { proxy, host, requests, decisions, port } = await open()
    const said = await sendAndReadAll(
      proxy,
      get(`http://${host}/a?b=c`, host, 'X-Mine: 1\r\nProxy-Foo: 2\r\n'),
    )
    expect(said).toMatch(/^HTTP\/1.1 200 OK\r\n/)
    expect(said).toContain('hello from upstream')
    expect(requests).toMatchObject([{ method: 'GET', url: '/a?b=c' }])
    expect(requests[0]?.headers).toMatchObject({ host: [host], 'x-mine': ['1'] })
    expect(requests[0]?.headers).not.toHaveProperty('proxy-foo')
    expect(decisions).toEqual([
      {
        allowed: true,
        reason: 'listed',
        message: `http://${host} is in permissions.network`,
        scheme: 'http',
        host: 'api.example.test',
        port,
        via: 'proxy',
        address: '127.0.0.1',
      },
    ])
  })

  it('forwards bodies of known and unknown length', async () => {
    const { proxy, host, requests } = await open()
    const start = `POST http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`
    expect(await sendAndReadAll(proxy, `${start}Content-Length: 3\r\n\r\nabc`)).toContain(' 200 ')
    const chunks = 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n'
    expect(await sendAndReadAll(proxy, start + chunks)).toContain(' 200 ')
    expect(requests.map(({ body }) => body)).toEqual(['abc', 'abcde'])
  })

  it('keeps the connection for the next request, which is checked separately', async () => {
    const { proxy, host, decisions } = await open()
    const client = await openClient(proxy)
    await client.send(`GET http://${host}/away HTTP/1.1\r\nHost: ${host}\r\n\r\n`, 'upstream')
    const said = await client.send(get('http://other.example.test/', 'other.example.test'), '}}')
    expect(said).toMatch(/^HTTP\/1.1 302 /)
    expect(said).toContain(
      'HTTP/1.1 403 http://other.example.test:80 is not in permissions.network',
    )
    expect(decisions.map(({ reason }) => reason)).toEqual(['listed', 'host-not-listed'])
  })

  it.each(['CONNECT HOST HTTP/1.1', 'GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket'])(
    'closes the connection if another message arrives before its response: %s',
    async (line) => {
      const { proxy, host, decisions } = await open()
      const one = `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`
      const said = await sendAndReadAll(
        proxy,
        `${one}${line.replace('HOST', host)}\r\nHost: ${host}\r\n\r\n`,
      )
      expect(said).not.toContain('established')
      expect(decisions.map(({ reason }) => reason)).toContain('request-refused')
    },
  )

  it('waits for its turn', async () => {
    const { proxy, host, decisions } = await open()
    const one = `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`
    await sendAndReadAll(proxy, one.repeat(50))
    expect(decisions.map(({ reason }) => reason)).toContain('request-refused')
    expect(decisions.filter(({ allowed }) => allowed).length).toBeLessThan(50)
  })

  it('is refused with a code and a message', async () => {
    const { proxy } = await open()
    const said = await sendAndReadAll(proxy, get('http://evil.test/', 'evil.test'))
    const [head = '', body = ''] = said.split('\r\n\r\n')
    expect(head).toMatch(
      /^HTTP\/1.1 403 http:\/\/evil.test:80 is not in permissions.network \(host-not-listed\)\r\n/,
    )
    expect(JSON.parse(body)).toEqual({
      error: {
        code: 'host-not-listed',
        message: 'http://evil.test:80 is not in permissions.network',
      },
    })
  })

  it('is answered with an error if a listed destination does not respond', async () => {
    const { server, port } = await startUpstream()
    await new Promise((resolve) => server.close(resolve))
    const { proxy, decisions } = await openEgress(
      [`http://api.example.test:${port}`],
      [`127.0.0.1:${port}`],
    )
    const host = `api.example.test:${port}`
    expect(await sendAndReadAll(proxy, get(`http://${host}/`, host))).toMatch(
      /^HTTP\/1.1 502 .*ECONNREFUSED/,
    )
    expect(decisions).toMatchObject([{ allowed: true, reason: 'unreachable' }])
  })
})

describe('an ambiguous request', () => {
  const HOST = 'api.example.test:PORT'
  const URL = `http://${HOST}/`
  const cases: Record<string, string> = {
    'a length and chunks': `POST ${URL} HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n`,
    'chunks and a length': `POST ${URL} HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n`,
    'two lengths': `POST ${URL} HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`,
    'the same length twice': `POST ${URL} HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc`,
    'a signed length': `POST ${URL} HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: +3\r\n\r\nabc`,
    'an unknown coding': `POST ${URL} HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    'a coding behind a coding': `POST ${URL} HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    'a coding with HTTP/1.0': `POST ${URL} HTTP/1.0\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'a blank before the colon': `POST ${URL} HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
    'a folded header': `GET ${URL} HTTP/1.1\r\nHost: ${HOST}\r\nX-A: b\r\n Host: evil.test\r\n\r\n`,
    'two Host headers': `GET ${URL} HTTP/1.1\r\nHost: ${HOST}\r\nHost: evil.test\r\n\r\n`,
    'the same Host twice': `GET ${URL} HTTP/1.1\r\nHost: ${HOST}\r\nHost: ${HOST}\r\n\r\n`,
    'no Host': `GET ${URL} HTTP/1.1\r\n\r\n`,
    'lines that end in LF only': `GET ${URL} HTTP/1.1\nHost: ${HOST}\n\n`,
    'one line that ends in LF only': `GET ${URL} HTTP/1.1\r\nHost: ${HOST}\nX-A: b\r\n\r\n`,
    'a lone CR in a value': `GET ${URL} HTTP/1.1\r\nHost: ${HOST}\r\nX-A: b\rX-B: c\r\n\r\n`,
    'a NUL in a value': `GET ${URL} HTTP/1.1\r\nHost: ${HOST}\r\nX-A: b\0c\r\n\r\n`,
    'an upgrade': `GET ${URL} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    'an upgrade to HTTP/2': `GET ${URL} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n`,
    TRACE: `TRACE ${URL} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`,
    'HTTP/2 at once': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'an unknown method': `FROB ${URL} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`,
    'a head of 100 kB': `GET ${URL} HTTP/1.1\r\nHost: ${HOST}\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`,
    'no HTTP': 'EHLO api.example.test\r\n\r\n',
  }

  it.each(Object.keys(cases))('is refused: %s', async (name) => {
    const { proxy, requests, port, decisions } = await open()
    const said = await sendAndReadAll(proxy, (cases[name] ?? '').replaceAll('PORT', String(port)))
    expect(said).toMatch(/^HTTP\/1.1 4\d\d /)
    expect(said.match(/^HTTP\/1.1 /gm)).toHaveLength(1)
    expect(requests).toEqual([])
    expect(decisions).toMatchObject([{ allowed: false }])
  })
})

describe('a misleading destination', () => {
  /** Request URI, and the Host header if it differs. */
  const cases: [url: string, host?: string][] = [
    ['http://evil.test:PORT/', 'api.example.test:PORT'],
    ['http://api.example.test:PORT/', 'evil.test:PORT'],
    ['http://api.example.test:PORT/', 'api.example.test'],
    ['http://api.example.test@evil.test:PORT/'],
    ['http://evil.test@api.example.test:PORT/'],
    ['http://api.example.test.evil.test:PORT/'],
    ['http://evilapi.example.test:PORT/'],
    ['http://api.example.test.:PORT/'],
    ['http://api.example.test%00.evil.test:PORT/'],
    ['http://api.example.test%2eevil.test:PORT/'],
    ['http://api.example.test\\@evil.test:PORT/'],
    ['http://evil.test:PORT#@api.example.test:PORT/'],
    ['http://аpi.example.test:PORT/'],
    ['http://xn--pi-7kc.example.test:PORT/'],
    ['http://[::ffff:127.0.0.1]:PORT/'],
    ['http://[fe80::1%25eth0]:PORT/'],
    ['http://2130706433:PORT/'],
    ['http://0x7f000001:PORT/'],
    ['http://0177.0.0.1:PORT/'],
    ['http://127.1:PORT/'],
    ['http://127.0.0.1:PORT/'],
    ['http://api.example.test:22/'],
    ['http://api.example.test:0/'],
    ['http://api.example.test:99999/'],
    ['http://api.example.test/'],
    ['http://:PORT/'],
    ['http:///x'],
    ['http://*.example.test:PORT/'],
    ['//api.example.test:PORT/'],
    ['/'],
    ['*'],
    ['https://api.example.test:PORT/'],
    ['ftp://api.example.test:PORT/'],
    [`http://${'a'.repeat(64)}.example.test:PORT/`],
    [`http://${'a.'.repeat(130)}example.test:PORT/`],
  ]

  it.each(cases)('is refused: %s %s', async (url: string, host?: string) => {
    const { proxy, requests, port } = await open()
    const written = (text: string) =>
      Buffer.from(text.replaceAll('PORT', String(port))).toString('latin1')
    const authority = host ?? /^\w*:?\/\/([^/]*)/.exec(url)?.[1] ?? 'api.example.test:PORT'
    const said = await sendAndReadAll(proxy, get(written(url), written(authority)))
    expect(said).toMatch(/^HTTP\/1.1 40[03] /)
    expect(requests).toEqual([])
  })

  it('matches a wildcard for subdomains, not for the domain itself and not for look-alikes', async () => {
    const { port } = await startUpstream()
    const { proxy } = await openEgress([`http://*.example.test:${port}`], [`127.0.0.1:${port}`])
    const status = async (host: string) =>
      (await sendAndReadAll(proxy, get(`http://${host}:${port}/`, `${host}:${port}`))).slice(9, 12)
    expect(await status('api.example.test')).toBe('200')
    expect(await status('API.Example.TEST')).toBe('200')
    expect(await status('*.api.example.test')).toBe('400')
    expect(await status('example.test')).toBe('403')
    expect(await status('evilexample.test')).toBe('403')
    expect(await status('api.example.test.evil.test')).toBe('403')
  })
})

describe('a name that resolves to a special address', () => {
  it.each([
    ['inside.example.test', 'private-address'],
    ['mapped.example.test', 'private-address'],
    ['translated.example.test', 'special-address'],
    ['metadata.example.test', 'metadata-address'],
    ['carrier.example.test', 'private-address'],
    ['unique.example.test', 'private-address'],
    ['other.example.test', 'loopback-address'],
    ['nowhere.example.test', 'unresolved'],
  ])('%s is refused with the reason %s', async (host, reason) => {
    const { port } = await startUpstream()
    const { proxy, decisions } = await openEgress(
      [`http://*.example.test:${port}`],
      ['127.0.0.1:1'],
    )
    const said = await sendAndReadAll(proxy, get(`http://${host}:${port}/`, `${host}:${port}`))
    expect(said).toMatch(/^HTTP\/1.1 (?:403|502) /)
    expect(said).toContain(`"code":"${reason}"`)
    expect(decisions).toMatchObject([{ allowed: false, reason, host, port }])
  })

  it('is refused for metadata services even if the operator allows it', async () => {
    const list = ['http://metadata.example.test', 'http://169.254.169.254']
    const { proxy } = await openEgress(list, ['169.254.0.0/16', 'metadata.example.test'])
    for (const host of ['metadata.example.test', '169.254.169.254']) {
      expect(await sendAndReadAll(proxy, get(`http://${host}/`, host))).toContain(
        'metadata-address',
      )
    }
  })

  it('is resolved once per run', async () => {
    const { proxy, host, lookups } = await open()
    await sendAndReadAll(proxy, get(`http://${host}/`, host))
    await sendAndReadAll(proxy, get(`http://${host}/`, host))
    expect(lookups).toEqual(['api.example.test'])
  })
})

describe('HTTP from code without proxy support', () => {
  it('reaches the host of its Host header, if that is listed', async () => {
    const { openPort, port, host, requests } = await open()
    const direct = await openPort('direct', port)
    expect(await sendAndReadAll(direct, get('/x', host))).toContain('hello from upstream')
    expect(await sendAndReadAll(direct, get('/y', 'api.example.test'))).toContain(
      'hello from upstream',
    )
    expect(requests.map(({ url }) => url)).toEqual(['/x', '/y'])
  })

  it.each([
    ['/', 'evil.test:PORT', 403],
    ['/', 'api.example.test:1', 400],
    ['http://api.example.test:PORT/', 'api.example.test:PORT', 400],
    ['/', 'api.example.test@evil.test', 400],
  ])('is refused: %s with Host %s', async (url, host, status) => {
    const { openPort, port, requests } = await open()
    const direct = await openPort('direct', port)
    const said = await sendAndReadAll(direct, get(url, host).replaceAll('PORT', String(port)))
    expect(said).toMatch(`HTTP/1.1 ${status} `)
    expect(requests).toEqual([])
  })

  it('cannot use the port as a proxy', async () => {
    const { openPort, port, host } = await open()
    const said = await sendAndReadAll(
      await openPort('direct', port),
      `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    )
    expect(said).toMatch(/^HTTP\/1.1 400 /)
  })
})
