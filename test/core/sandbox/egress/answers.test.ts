import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createAnsweredNetwork } from '../../../../src/core/sandbox/egress/answers/answered-network.ts'
import { CertificateAuthority } from '../../../../src/core/sandbox/egress/answers/certificate-authority.ts'
import type {
  AnswerableRequest,
  AnsweredResponse,
  RequestAnswerer,
} from '../../../../src/core/sandbox/egress/answers/request-answerer.ts'
import { CERTIFICATE } from './certificate.ts'
import { openClient, openEgress, sendAndReadAll, startUpstream } from './egress-fixture.ts'

const NAME = 'api.example.test'

/** Opens an egress whose requests are answered with their own method and URL, or are recorded. */
async function openAnswered(
  list: readonly string[],
  mode: RequestAnswerer['mode'] = 'replay',
  allowPrivate: readonly string[] = [],
) {
  const requests: AnswerableRequest[] = []
  const problems: string[] = []
  const responses: (AnsweredResponse | string)[] = []
  const answerer: RequestAnswerer = {
    mode,
    async answer(asked, forward) {
      requests.push(asked)
      if (mode === 'replay') {
        const body = Buffer.from(`answered ${asked.method} ${asked.url} ${asked.body.toString()}`)
        return { status: 200, headers: [['X-Answer', 'yes']], body }
      }
      try {
        const response = await forward(asked)
        responses.push(response)
        return response
      } catch (error) {
        responses.push((error as Error).message)
        return { status: 502, headers: [], body: Buffer.alloc(0) }
      }
    },
    onUnanswerable: (problem) => problems.push(problem),
  }
  const answers = createAnsweredNetwork(answerer, CERTIFICATE)
  const opened = await openEgress(list, allowPrivate, { answers })
  return { ...opened, requests, responses, problems, authority: answers.authority }
}

/** Sends one request over TLS through a tunnel of the proxy. */
async function getByTunnel(
  proxy: number,
  { port = 443, head = '', ...options }: ConnectionOptions & { port?: number; head?: string },
): Promise<string> {
  const { socket, send } = await openClient(proxy)
  const authority = `${NAME}:${port}`
  const first = await send(
    `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`,
    '\r\n\r\n',
  )
  if (!first.startsWith('HTTP/1.1 200 ')) return first
  return await new Promise((resolve) => {
    let received = ''
    const secure = connectTls({ socket, servername: NAME, ...options })
    secure.on('data', (chunk) => (received += String(chunk)))
    secure.on('error', (error) => resolve(`error: ${error.message}`))
    secure.on('close', () => resolve(received))
    secure.write(head || `GET /x?a=1 HTTP/1.1\r\nHost: ${authority}\r\nConnection: close\r\n\r\n`)
  })
}

describe('a certificate authority of one run', () => {
  it.each([NAME, '192.0.2.7', '2001:db8::17'])(
    'issues a valid certificate for %s',
    async (host) => {
      const authority = new CertificateAuthority()
      const root = new X509Certificate(authority.certificate)
      expect(root.ca).toBe(true)
      expect(root.verify(root.publicKey)).toBe(true)
      expect(authority.certificate).not.toContain('PRIVATE KEY')
      expect(authority.createContext(host)).toBe(authority.createContext(host))
      const other = new X509Certificate(new CertificateAuthority().certificate)
      expect(root.checkIssued(other)).toBe(false)
    },
  )

  it('issues a limited number of certificates', () => {
    const authority = new CertificateAuthority()
    for (let at = 0; at < 256; at++) authority.createContext(`h${at}.example.test`)
    expect(() => authority.createContext('one-more.example.test')).toThrow('More than 256 hosts')
  })
})

describe('a replay', () => {
  it('answers https with a certificate that only the authority of the run makes valid', async () => {
    const { proxy, authority, requests, decisions } = await openAnswered([`https://${NAME}`])
    expect(await getByTunnel(proxy, { ca: authority })).toContain(
      `answered GET https://${NAME}/x?a=1`,
    )
    expect(await getByTunnel(proxy, { ca: CERTIFICATE })).toContain('error: ')
    expect(requests).toHaveLength(1)
    expect(decisions.map(({ allowed, host }) => [allowed, host])).toEqual([
      [true, NAME],
      [true, NAME],
    ])
  })

  it('answers plain requests at the proxy and at a direct port', async () => {
    const { proxy, openPort, requests } = await openAnswered([`http://${NAME}:8080`])
    const direct = await openPort('direct', 8080)
    const post = (first: string) =>
      `POST ${first} HTTP/1.1\r\nHost: ${NAME}:8080\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi`
    const answer = `answered POST http://${NAME}:8080/p hi`
    expect(await sendAndReadAll(proxy, post(`http://${NAME}:8080/p`))).toContain(answer)
    expect(await sendAndReadAll(direct, post('/p'))).toContain(answer)
    expect(requests).toHaveLength(2)
  })

  it('reaches no server and resolves no name, which a run without it does', async () => {
    const { port, requests: reached } = await startUpstream()
    const list = [`http://${NAME}:${port}`]
    const ask = async (proxy: number) =>
      await sendAndReadAll(
        proxy,
        `GET http://${NAME}:${port}/ HTTP/1.1\r\nHost: ${NAME}:${port}\r\nConnection: close\r\n\r\n`,
      )
    const control = await openEgress(list, ['127.0.0.1'])
    expect(await ask(control.proxy)).toContain('hello from upstream')
    expect([reached.length, control.lookups]).toEqual([1, [NAME]])
    const { proxy, lookups } = await openAnswered(list, 'replay', ['127.0.0.1'])
    expect(await ask(proxy)).toContain('answered GET')
    expect([reached.length, lookups]).toEqual([1, []])
  })

  it.each([
    [
      'another host',
      `GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n`,
      'host-not-listed',
    ],
    [
      'another port',
      `GET http://${NAME}:81/ HTTP/1.1\r\nHost: ${NAME}:81\r\n\r\n`,
      'port-not-listed',
    ],
    ['an address', 'GET http://192.0.2.1/ HTTP/1.1\r\nHost: 192.0.2.1\r\n\r\n', 'host-not-listed'],
    ['an IPv6 address', 'GET http://[::1]/ HTTP/1.1\r\nHost: [::1]\r\n\r\n', 'host-not-listed'],
    ['two hosts', `GET http://${NAME}/ HTTP/1.1\r\nHost: evil.test\r\n\r\n`, 'name-mismatch'],
  ])('refuses %s like any run', async (_name, text, reason) => {
    const { proxy, requests, decisions } = await openAnswered([`http://${NAME}`])
    expect(await sendAndReadAll(proxy, text)).toContain(`(${reason})`)
    expect(decisions).toMatchObject([{ allowed: false, reason }])
    expect(requests).toEqual([])
  })

  it('refuses a handshake, and a request in it, that name another host than the tunnel', async () => {
    const { proxy, authority, requests, problems } = await openAnswered([`https://${NAME}`])
    const other = { ca: authority, servername: 'evil.example.test' }
    expect(await getByTunnel(proxy, other)).toContain('error: ')
    const head = 'GET / HTTP/1.1\r\nHost: evil.example.test\r\n\r\n'
    expect(await getByTunnel(proxy, { ca: authority, head })).toContain(' 501 ')
    expect(problems).toEqual(['the Host header names another host than the connection'])
    expect(requests).toEqual([])
  })

  it.each([
    [
      'a WebSocket',
      `GET / HTTP/1.1\r\nHost: ${NAME}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
      'a switch to websocket cannot be recorded or replayed',
    ],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'is not plain HTTP/1.1'],
    ['a tunnel', `CONNECT ${NAME}:443 HTTP/1.1\r\nHost: ${NAME}\r\n\r\n`, 'a CONNECT request'],
    [
      'two lengths',
      `POST / HTTP/1.1\r\nHost: ${NAME}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
      'HTTP/1.1',
    ],
  ])('refuses %s with a sentence', async (_name, head, problem) => {
    const { proxy, authority, requests, problems } = await openAnswered([`https://${NAME}`])
    expect(await getByTunnel(proxy, { ca: authority, head })).toMatch(/ (?:501|400) /)
    expect(problems.join()).toContain(problem)
    expect(requests).toEqual([])
  })

  it('refuses a client that offers only HTTP/2', async () => {
    const { proxy, authority, problems } = await openAnswered([`https://${NAME}`])
    const received = await getByTunnel(proxy, { ca: authority, ALPNProtocols: ['h2'] })
    expect(received).toContain('error: ')
    expect(problems.join()).toContain('expected HTTP/1.1')
  })

  it('refuses a body of more than 16 MiB', async () => {
    const { proxy, authority, problems } = await openAnswered([`https://${NAME}`])
    const length = 17 * 1024 * 1024
    const head = `POST / HTTP/1.1\r\nHost: ${NAME}\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`
    await getByTunnel(proxy, { ca: authority, head })
    expect(problems.join()).toContain('is longer than 16 MiB')
  })
})

describe('a recording', () => {
  it('forwards requests over verified TLS, and decodes the response', async () => {
    const { port, requests: reached, server } = await startUpstream('https')
    server.removeAllListeners('request').on('request', (_request, response) => {
      response.setHeader('Content-Encoding', 'gzip')
      response.end(gzipSync('compressed'))
    })
    const list = [`https://${NAME}:${port}`]
    const { proxy, authority, responses, decisions } = await openAnswered(list, 'record', [
      '127.0.0.1',
    ])
    const received = await getByTunnel(proxy, { ca: authority, port })
    expect(received).toContain('compressed')
    expect(received).not.toMatch(/content-encoding/i)
    expect(responses).toMatchObject([{ status: 200, body: Buffer.from('compressed') }])
    expect(decisions).toMatchObject([{ allowed: true, reason: 'listed' }])
    expect(reached).toEqual([])
  })

  it('does not accept a certificate of another host', async () => {
    const { port } = await startUpstream('https')
    const list = [`https://127.0.0.2.nip.test:${port}`]
    const problems: string[] = []
    const answers = createAnsweredNetwork(
      {
        mode: 'record',
        onUnanswerable: () => {},
        answer: async (asked, forward) => {
          await forward(asked).catch((error: Error) => problems.push(error.message))
          return { status: 502, headers: [], body: Buffer.alloc(0) }
        },
      },
      CERTIFICATE,
    )
    const { proxy } = await openEgress(list, ['127.0.0.1'], {
      answers,
      lookup: async () => await Promise.resolve(['127.0.0.1']),
    })
    const { socket, send } = await openClient(proxy)
    const authority = `127.0.0.2.nip.test:${port}`
    await send(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`, '\r\n\r\n')
    const servername = '127.0.0.2.nip.test'
    const secure = connectTls({ socket, servername, ca: answers.authority })
    secure.write(`GET / HTTP/1.1\r\nHost: ${authority}\r\nConnection: close\r\n\r\n`)
    secure.resume()
    await once(secure, 'close')
    expect(problems.join()).toContain('altnames')
  })

  it.each(['inside', 'metadata'])('refuses a name with the address of %s', async (name) => {
    const host = `${name}.example.test`
    const { proxy, decisions, requests } = await openAnswered([`http://${host}`], 'record')
    const text = `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    expect(await sendAndReadAll(proxy, text)).toContain(' 403 ')
    expect(decisions).toMatchObject([{ allowed: false }])
    expect(requests).toEqual([])
  })

  it('reaches only listed hosts', async () => {
    const { port, requests: reached } = await startUpstream()
    const { proxy } = await openAnswered([`http://${NAME}:${port}`], 'record', ['127.0.0.1'])
    const get = async (host: string) =>
      await sendAndReadAll(
        proxy,
        `GET http://${host}:${port}/ HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: close\r\n\r\n`,
      )
    expect(await get('other.example.test')).toContain('(host-not-listed)')
    expect(await get(NAME)).toContain('hello from upstream')
    expect(reached).toHaveLength(1)
  })
})

it('a client can send several requests over one connection of a replay', async () => {
  const { openPort, requests } = await openAnswered([`http://${NAME}:8080`])
  const port = await openPort('direct', 8080)
  for (const path of ['/1', '/2']) {
    const asked = request({ port, path, headers: { Host: `${NAME}:8080` } })
    asked.end()
    const [response] = (await once(asked, 'response')) as [NodeJS.ReadableStream]
    response.resume()
    await once(response, 'end')
  }
  expect(requests.map(({ url }) => url)).toEqual([`http://${NAME}:8080/1`, `http://${NAME}:8080/2`])
})
