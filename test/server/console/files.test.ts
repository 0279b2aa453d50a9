import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readConsoleFiles } from '../../../src/server/console/console-files.ts'
import { parseTokens } from '../../../src/server/auth/tokens.ts'
import { createTestApp } from '../../helpers/app.ts'
import { sendRawRequest } from '../../helpers/raw-request.ts'
import { startColdServer } from './start-cold-server.ts'

const TOKEN = 'alice-token-0123456789'
const tokens = () => parseTokens(`${TOKEN} alice\n`, 'tokens.txt')
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const PAGE = Buffer.from(readConsoleFiles().get('index.html')?.plain ?? []).toString()
const SCRIPT = [...readConsoleFiles().keys()].find((path) => /assets\/main-.*js$/.test(path)) ?? ''

const SECURITY = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; frame-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

describe('the console', () => {
  it('is sent without a token, while calls are refused without one', async () => {
    const server = await startColdServer({ tokens: tokens() })
    for (const path of ['/console/', '/console/skills/demo.greet', `/console/${SCRIPT}`])
      expect((await server.fetch(path)).status, path).toBe(200)
    const call = { jsonrpc: '2.0', id: 1, method: 'list_skills' }
    expect((await server.post(call)).status).toBe(401)
    expect((await server.post(call, { authorization: `Bearer ${TOKEN}` })).status).toBe(200)
    for (const path of ['/metrics', '/openrpc.json', '/consoles', '/console.html', '/'])
      expect((await server.fetch(path)).status, path).toBe(401)
  })

  it('is not served if it is off, or to other machines without a token', async () => {
    const statuses = async (setup: object) => {
      const server = await startColdServer(setup)
      const url = server.url.replace('0.0.0.0', '127.0.0.1')
      return await Promise.all(
        ['/console/', `/console/${SCRIPT}`, '/'].map(
          async (path) => (await fetch(url + path, { headers: HTML, redirect: 'manual' })).status,
        ),
      )
    }
    expect(await statuses({})).toEqual([200, 200, 302])
    expect(await statuses({ console: false })).toEqual([404, 404, 404])
    const other = { host: '0.0.0.0' }
    expect(await statuses({ ...other, noAuth: true })).toEqual([404, 404, 404])
    expect(await statuses({ ...other, tokens: tokens() })).toEqual([200, 200, 302])
    expect(await statuses({ ...other, tokens: tokens(), console: false })).toEqual([401, 401, 401])
  })

  it('is found by browsers at the root; programs get an error there', async () => {
    const server = await startColdServer()
    const found = await server.fetch('/', { headers: HTML, redirect: 'manual' })
    expect([found.status, found.headers.get('location')]).toEqual([302, '/console/'])
    for (const accept of ['application/json', '*/*', 'text/htmlx']) {
      const refused = await server.fetch('/', { headers: { accept } })
      expect(refused.status).toBe(404)
      expect(await refused.json()).toHaveProperty('error.code', 'http/not-found')
    }
    const folder = await server.fetch('/console', { redirect: 'manual' })
    expect([folder.status, folder.headers.get('location')]).toEqual([302, '/console/'])
  })

  it('sends its policy with every answer, errors as well', async () => {
    const server = await startColdServer({ allowedOrigins: ['https://app.example.com'] })
    for (const path of ['/console/', '/console', `/console/${SCRIPT}`, '/console/assets/none.js']) {
      const { headers } = await server.fetch(path, { redirect: 'manual' })
      for (const [name, value] of Object.entries(SECURITY))
        expect(headers.get(name), `${name} of ${path}`).toBe(value)
      expect(headers.get('set-cookie')).toBeNull()
    }
    const page = await server.fetch('/console/')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const script = await server.fetch(`/console/${SCRIPT}`)
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    const origin = 'https://app.example.com'
    const allowed = await server.fetch(`/console/${SCRIPT}`, { headers: { origin } })
    expect(allowed.headers.get('vary')?.toLowerCase()).toBe('origin, accept-encoding')
  })

  it('has no other methods than GET and HEAD', async () => {
    const server = await startColdServer()
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const { status, headers } = await server.fetch('/console/', { method })
      expect([status, headers.get('allow')], method).toEqual([405, 'GET, HEAD'])
    }
    for (const path of ['/console/', `/console/${SCRIPT}`]) {
      const full = await sendRawRequest(server.url, `GET ${path}`)
      const head = await sendRawRequest(server.url, `HEAD ${path}`)
      expect(head.status).toBe(200)
      expect(head.body).toBe('')
      expect({ ...head.headers, date: '' }).toEqual({ ...full.headers, date: '' })
      expect(Number(full.headers['content-length'])).toBe(full.body.length)
    }
  })

  it('is compressed as the client accepts', async () => {
    const { app } = await createTestApp({}, {}, { hasConsole: true })
    const encodings: [accepted: string | undefined, encoding: string | null][] = [
      [undefined, null],
      ['', null],
      ['br', 'br'],
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip', 'gzip'],
      ['GZIP', 'gzip'],
      ['deflate', null],
      ['*', 'br'],
      ['br;q=0', null],
      ['br; q=0', null],
      ['br ; q=0.000, gzip', 'gzip'],
      ['br;q=0, *', 'gzip'],
      ['*;q=0', null],
      ['identity;q=0, gzip;q=0.5', 'gzip'],
      ['br;q=2', null],
      ['br;q=x', null],
      ['xbr, br2, gzipped', null],
    ]
    for (const [accepted, encoding] of encodings) {
      const headers = {
        host: 'localhost',
        ...(accepted !== undefined && { 'accept-encoding': accepted }),
      }
      const answer = await app.request('http://localhost/console/', { headers })
      expect(answer.headers.get('content-encoding'), accepted).toBe(encoding)
      expect(answer.headers.get('vary')).toBe('accept-encoding')
      const bytes = Buffer.from(await answer.arrayBuffer())
      const decode = { br: brotliDecompressSync, gzip: gunzipSync }[encoding ?? '']
      expect((decode?.(bytes) ?? bytes).toString()).toBe(PAGE)
    }
  })
})

describe('a path below the console', () => {
  it('never leads to another file of the server, nor around its token', async () => {
    const server = await startColdServer({
      tokens: tokens(),
      tree: { 'index.html': 'of the server', 'secret.js': 'a secret' },
    })
    const dots = ['..', '%2e%2e', '.%2e', '%252e%252e', '..%2f..', '..%5c..', '..\\..', '%2e%2e%2f']
    const targets = ['rpc', 'metrics', 'secret.js', 'index.js', 'package.json', 'etc/passwd']
    for (const prefix of ['/console/', '/console/assets/', '/console//', '//console/'])
      for (const dot of dots)
        for (const target of targets) {
          const path = `${prefix}${dot}/${target}`
          const { status, body } = await sendRawRequest(server.url, `GET ${path}`)
          expect([200, 400, 401, 404], path).toContain(status)
          if (status === 200) expect(body, path).toBe(PAGE)
          expect(body, path).not.toMatch(/a secret|of the server|root:|skills_rpc_calls|"openrpc"/)
        }
    for (const path of [
      '/console/../rpc',
      '/console/%2e%2e/rpc',
      '/console/%2e%2e%2frpc',
      '/%72pc',
    ]) {
      const headers = { 'content-type': 'application/json', 'content-length': '2' }
      const { status } = await sendRawRequest(server.url, `POST ${path}`, { headers, body: '{}' })
      expect([401, 404, 405], path).toContain(status)
    }
  })

  it('is an error for a file that the console does not have', async () => {
    const server = await startColdServer()
    for (const name of [
      'none.js',
      'index.html',
      'main.js',
      '%00',
      'constructor',
      '__proto__',
      '.br',
    ]) {
      const answer = await server.fetch(`/console/assets/${name}`)
      expect(answer.status, name).toBe(404)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(await answer.json()).toHaveProperty('error.hint')
    }
    // Compressed forms are no files of their own.
    expect((await server.fetch(`/console/${SCRIPT}.br`)).status).toBe(404)
    expect((await server.fetch(`/console/${SCRIPT}`)).status).toBe(200)
  })
})
