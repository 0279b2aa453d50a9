import { describe, expect, it } from 'vitest'
import { sendRawRequest } from '../../helpers/raw-request.ts'
import { startColdServer } from './start-cold-server.ts'

const CROSS = { 'sec-fetch-site': 'cross-site' }
const LINK = { ...CROSS, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
const LIST = '{"jsonrpc":"2.0","id":1,"method":"list_skills"}'
const JSON_BODY = { 'content-type': 'application/json', 'content-length': String(LIST.length) }

describe('a page of another site', () => {
  it('may link to the console', async () => {
    const { url } = await startColdServer()
    const open = async (path: string, headers: object = LINK) =>
      (await sendRawRequest(url, `GET ${path}`, { headers: { accept: 'text/html', ...headers } }))
        .status
    for (const path of ['/console/', '/console/runs/run_1?tab=logs', '/console/skills/a%20b'])
      expect(await open(path), path).toBe(200)
    expect(await open('/')).toBe(302)
    // The address bar, a bookmark, and a link of the console itself.
    for (const site of ['none', 'same-origin'])
      expect(await open('/console/', { ...LINK, 'sec-fetch-site': site })).toBe(200)
  })

  it.each([
    ['in a frame', { 'sec-fetch-dest': 'iframe' }],
    ['as an object', { 'sec-fetch-dest': 'object' }],
    ['as a script', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }],
    ['as an image', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
    ['by fetch', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
    ['by fetch without CORS', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' }],
    ['with an origin', { origin: 'https://evil.example' }],
    ['from a file', { origin: 'null' }],
    ['as a worker', { 'sec-fetch-mode': 'same-origin', 'sec-fetch-dest': 'worker' }],
  ])('may not load the console %s', async (_, headers) => {
    const { url } = await startColdServer()
    for (const path of ['/console/', '/console/assets/icon.svg', '/']) {
      const sent = { accept: 'text/html', ...LINK, ...headers }
      expect((await sendRawRequest(url, `GET ${path}`, { headers: sent })).status, path).toBe(403)
    }
  })

  it('may not link to anything else, nor send a form', async () => {
    const { url } = await startColdServer()
    for (const path of ['/metrics', '/openrpc.json', '/healthz', '/consoles/', '/console/events'])
      expect((await sendRawRequest(url, `GET ${path}`, { headers: LINK })).status, path).toBe(403)
    for (const method of ['POST', 'HEAD', 'OPTIONS', 'PUT'])
      for (const path of ['/console/', '/console/session', '/rpc'])
        expect(
          (await sendRawRequest(url, `${method} ${path}`, { headers: LINK })).status,
          path,
        ).toBe(403)
  })

  it('may not link to the console under another name of the server', async () => {
    const { url } = await startColdServer()
    for (const host of ['evil.example', '127.0.0.1.evil.example', ''])
      expect(
        (await sendRawRequest(url, 'GET /console/', { headers: { ...LINK, host } })).status,
      ).not.toBe(200)
  })

  it('may link to nothing if there is no console', async () => {
    const { url } = await startColdServer({ console: false })
    expect((await sendRawRequest(url, 'GET /console/', { headers: LINK })).status).toBe(403)
  })
})

describe('a page behind a proxy that adds TLS', () => {
  const NAME = 'skills.example.com'

  it('may call its own server', async () => {
    const { url } = await startColdServer({ allowedHosts: [NAME] })
    const call = async (headers: Record<string, string>) =>
      (
        await sendRawRequest(url, 'POST /rpc', {
          headers: { ...JSON_BODY, host: NAME, ...headers },
          body: LIST,
        })
      ).status
    const own = { origin: `https://${NAME}`, 'sec-fetch-site': 'same-origin' }
    expect(await call(own)).toBe(200)
    expect(await call({ ...own, host: NAME.toUpperCase() })).toBe(200)
    expect(await call({ ...own, host: `${NAME}:8443`, origin: `https://${NAME}:8443` })).toBe(200)
  })

  it('is no other page: of another name, port, scheme or site', async () => {
    const { url } = await startColdServer({ allowedHosts: [NAME, 'localhost'] })
    const call = async (headers: Record<string, string>) =>
      (
        await sendRawRequest(url, 'POST /rpc', {
          headers: { ...JSON_BODY, host: NAME, ...headers },
          body: LIST,
        })
      ).status
    const same = { 'sec-fetch-site': 'same-origin' }
    for (const origin of [
      'https://evil.example',
      `https://${NAME}.evil.example`,
      `https://evil.${NAME}`,
      `https://${NAME}:8443`,
      `ftp://${NAME}`,
      `https://evil@${NAME}`,
      `https://${NAME}/`,
      'null',
    ])
      expect(await call({ ...same, origin }), origin).toBe(403)
    // A server on port 443 of this name, for whose pages this one is another site.
    for (const site of ['cross-site', 'same-site', 'none'])
      expect(await call({ origin: `https://${NAME}`, 'sec-fetch-site': site })).toBe(403)
    expect(await call({ origin: `https://${NAME}` })).toBe(403)
    // The Host of a rebound name is refused before.
    const evil = { host: 'evil.example', origin: 'https://evil.example' }
    expect(await call({ ...same, ...evil })).toBe(403)
  })
})
