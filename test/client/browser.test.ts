import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { expect, it, onTestFinished } from 'vitest'
import { parseTokens } from '../../src/server/auth/tokens.ts'
import { CHROMIUM_FLAGS, findChromium } from '../helpers/chromium.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { startTestServer } from '../helpers/server.ts'
import { createFolder } from '../helpers/skills.ts'

const ENTRY = fileURLToPath(new URL('../../src/client/index.ts', import.meta.url))
const PAGE = fileURLToPath(new URL('./browser-page.js', import.meta.url))
const TOKEN = '0123456789abcdef'
const browser = findChromium()

async function bundle(input: string, globals: Record<string, string> = {}) {
  const built = await rolldown({
    input,
    platform: 'browser',
    resolve: { alias: { 'skills-protocol/client': ENTRY } },
    transform: { define: globals },
    logLevel: 'silent',
  })
  const { output } = await built.generate({ format: 'esm' })
  return output[0]
}

it('the browser build contains only the client and the error table, and no Node.js modules', async () => {
  const { code, imports, moduleIds } = await bundle(ENTRY)
  const root = fileURLToPath(new URL('../../src/', import.meta.url))
  const files = moduleIds.map((id) => id.replace(root, ''))
  expect(imports).toEqual([])
  expect(files.filter((file) => !file.startsWith('client/'))).toEqual(['errors.ts'])
  expect(code).not.toMatch(/\brequire\(|node:|\bprocess\.|\bBuffer\b/)
})

/** Serves a page of another origin that reports its results. */
async function pageServer(script: () => string) {
  let report: (text: string) => void = () => {}
  const reported = new Promise<string>((resolve) => (report = resolve))
  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      let text = ''
      request.on('data', (chunk) => (text += String(chunk)))
      request.on('end', () => {
        response.end()
        report(text)
      })
      return
    }
    if (request.url === '/page.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(script())
    } else {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end('<!doctype html><script type="module" src="/page.js"></script>')
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, reported }
}

function openPage(url: string): void {
  const child = spawn(
    browser as string,
    [...CHROMIUM_FLAGS, '--remote-debugging-port=0', `--user-data-dir=${createFolder()}`, url],
    {
      stdio: 'ignore',
      detached: true,
    },
  )
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    await ended
  })
}

it(
  'the client works in a browser, on a page of another origin',
  { timeout: 120_000 },
  async (context) => {
    if (!browser) return context.skip('needs a browser: apt-get install chromium-headless-shell')
    let script = ''
    const { origin, reported } = await pageServer(() => script)
    const { url } = await startTestServer({
      tree: prefixPaths('skills/greet', createActionSkill('demo.greet')),
      tokens: parseTokens(`${TOKEN} page\n`, 'tokens.txt'),
      allowedOrigins: [origin],
    })
    const stranger = await startTestServer()
    const globals = { URL_OF_RUNTIME: url, TOKEN, URL_OF_STRANGER: stranger.url }
    const defined = Object.entries(globals).map(([name, value]) => [name, JSON.stringify(value)])
    script = (await bundle(PAGE, Object.fromEntries(defined) as Record<string, string>)).code
    openPage(origin)
    expect(JSON.parse(await reported)).toEqual({
      names: ['demo.greet', 'skills.protocol.guide'],
      greeting: { greeting: 'Hello, browser' },
      logs: '[info] from the sandbox\n',
      refused: { name: 'ProtocolError', code: -32602 },
      wrongToken: { name: 'ProtocolError', code: -32001, status: 401 },
      failed: { name: 'RunFailedError', type: 'ValueError' },
      stored: { kind: 'text/plain', size: 300_000 },
      streamed: 300_000,
      part: 'xyx',
      facts: 300_000,
      aborted: 'enough',
      stranger: { name: 'ConnectionError', problem: 'broken' },
    })
  },
)
