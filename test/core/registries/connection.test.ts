import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { openResponse } from '../../../src/core/registries/http/open-response.ts'
import {
  RegistryConnection,
  type RegistryRequest,
} from '../../../src/core/registries/http/registry-connection.ts'
import { listen } from './oci-registry.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

interface TestServer {
  url: URL
  /** Path and authorization of all requests. */
  requests: { path: string | undefined; authorization: string | undefined }[]
}

async function startServer(answer: Answer = (_, response) => void response.end('ok')) {
  const server: TestServer = { url: new URL('http://localhost/'), requests: [] }
  const host = await listen(async (request, response) => {
    server.requests.push({ path: request.url, authorization: request.headers.authorization })
    await Promise.resolve(answer(request, response))
  })
  server.url = new URL(`http://${host}/`)
  return server
}

/** A registry below `/npm/`, whose first answer is a redirect. */
const startRedirecting = async (location: string) =>
  await startServer(({ url }, response) => {
    if (url === '/npm/first') response.writeHead(302, { location }).end('moved')
    else response.end('ok')
  })

const TOKEN = 'Bearer secret'

async function ask({ url }: TestServer, request: Partial<RegistryRequest> = {}, path = 'first') {
  const base = new URL('npm/', url)
  const connection = new RegistryConnection(base, { timeoutMs: 10_000 })
  return await connection.send({
    url: new URL(path, base),
    authorization: TOKEN,
    maxBytes: 100,
    ...request,
  })
}

describe('credentials of a connection', () => {
  it('follow a redirect below the path of the registry, the control', async () => {
    const server = await startRedirecting('/npm/second')
    expect((await ask(server, { redirects: 'own' })).status).toBe(200)
    expect(server.requests).toEqual([
      { path: '/npm/first', authorization: TOKEN },
      { path: '/npm/second', authorization: TOKEN },
    ])
  })

  it.each([
    '/npm2/second',
    '/second',
    '/npm/../second',
    '/npm/%2e%2e%2fsecond',
    '/npm/..%5csecond',
  ])('are not sent to %s of the same server after a redirect', async (location) => {
    const server = await startRedirecting(location)
    expect((await ask(server, { redirects: 'own' })).status).toBe(200)
    expect(server.requests.map(({ authorization }) => authorization)).toEqual([TOKEN, undefined])
  })

  it('are not sent to an address at another server, which the registry may have named', async () => {
    const [server, other] = [await startServer(), await startServer()]
    const connection = new RegistryConnection(new URL('npm/', server.url), {})
    const request = { authorization: TOKEN, maxBytes: 100 }
    await connection.send({ ...request, url: new URL('npm/first', server.url) })
    await connection.send({ ...request, url: new URL('npm/first', other.url) })
    expect(server.requests.at(-1)?.authorization).toBe(TOKEN)
    expect(other.requests).toEqual([{ path: '/npm/first', authorization: undefined }])
  })

  it('are not sent to another server, nor to the registry after a redirect back', async () => {
    const back = { location: '' }
    const other = await startServer((_, response) => void response.writeHead(302, back).end())
    const server = await startRedirecting(new URL('/npm/second', other.url).href)
    back.location = new URL('/npm/third', server.url).href
    expect((await ask(server, { redirects: 'any' })).status).toBe(200)
    expect(other.requests).toEqual([{ path: '/npm/second', authorization: undefined }])
    expect(server.requests).toEqual([
      { path: '/npm/first', authorization: TOKEN },
      { path: '/npm/third', authorization: undefined },
    ])
  })
})

describe('a redirect', () => {
  it('to another server is refused before its request, if only the own one may answer', async () => {
    const other = await startServer()
    const server = await startRedirecting(other.url.href)
    await expect(ask(server, { redirects: 'own' })).rejects.toThrow(
      `it redirects to another one, ${other.url.origin}`,
    )
    expect(other.requests).toEqual([])
  })

  it('is not followed with a body, which stays at the first address', async () => {
    const server = await startRedirecting('/npm/second')
    for (const method of ['POST', 'PUT'] as const) {
      expect(await ask(server, { method, body: Buffer.from('{}') })).toMatchObject({ status: 302 })
    }
    expect(server.requests.map(({ path }) => path)).toEqual(['/npm/first', '/npm/first'])
  })

  it('with a body that does not end is followed without reading it', async () => {
    const server = await startServer(({ url }, response) => {
      if (url !== '/npm/first') return void response.end('ok')
      response.writeHead(302, { location: '/npm/second' })
      const write = () => void (response.destroyed || response.write(Buffer.alloc(65_536), write))
      write()
    })
    expect((await ask(server, { redirects: 'own' })).body.toString()).toBe('ok')
  })

  it.each([
    ['https://169.254.169.254/latest/meta-data', 'a metadata address'],
    ['https://2852039166/', 'a metadata address'],
    ['https://0xa9.0xfe.0xa9.0xfe/', 'a metadata address'],
    ['https://[::ffff:169.254.169.254]/', 'a metadata address'],
    ['https://[fd00:ec2::254]/', 'a metadata address'],
    ['https://10.0.0.1/', 'a private address'],
    ['https://192.168.1.1/', 'a private address'],
    ['https://100.64.0.1/', 'a private address'],
    ['https://[fd12::1]/', 'a private address'],
    ['https://0.0.0.0/', 'a special address'],
    ['http://169.254.169.254/', 'expected https'],
    ['http://127.evil.example/', 'expected https'],
    ['https://user:password@example.com/', 'a user name'],
    ['file:///etc/passwd', 'expected https'],
  ])('to %s is refused', async (location, problem) => {
    const server = await startRedirecting(location)
    await expect(ask(server, { redirects: 'any' })).rejects.toThrow(problem)
  })

  it('to a loopback address is refused, unless the registry has one itself', async () => {
    const target = await startServer()
    const connection = new RegistryConnection(new URL('https://registry.example/'), {})
    for (const url of [target.url, new URL(target.url.href.replace('127.0.0.1', 'localhost'))]) {
      const asked = connection.send({ url, maxBytes: 100 })
      await expect(asked).rejects.toThrow('127.0.0.1, a loopback address')
    }
    expect(target.requests).toEqual([])
    // The control: a registry of this machine names another one of this machine.
    const server = await startRedirecting(target.url.href)
    expect((await ask(server, { redirects: 'any' })).status).toBe(200)
  })
})

it('a pooled socket is not used for an address that must be checked', async () => {
  const server = await startServer()
  const url = new URL(server.url.href.replace('127.0.0.1', 'localhost'))
  const signal = AbortSignal.timeout(10_000)
  const open = async (checkIp?: (address: string) => void) => {
    const response = await openResponse({ url, signal, checkIp })
    for await (const _ of response);
    return response.statusCode
  }
  const refuse = (address: string) => {
    throw new Error(`refused ${address}`)
  }
  expect(await open()).toBe(200)
  await expect(open(refuse)).rejects.toThrow('refused')
  expect(server.requests).toHaveLength(1)
})
