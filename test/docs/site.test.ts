import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type BrowserPage, findChromium, openBrowser } from '../helpers/chromium.ts'
import { createFolder } from '../helpers/skills.ts'

const VITEPRESS = fileURLToPath(
  new URL('../../node_modules/vitepress/bin/vitepress.js', import.meta.url),
)
const MIME_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
}
const PATIENCE = { timeout: 30_000, interval: 100 }

/** Builds the site into a folder of its own, which is returned. */
function buildSite(): string {
  const folder = join(createFolder(), 'site')
  const argv = [VITEPRESS, 'build', 'docs', '--outDir', folder]
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' })
  expect(status, stdout + stderr).toBe(0)
  return folder
}

/** Serves a folder on loopback; returns its origin. */
async function serve(folder: string): Promise<string> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path)
    const isFound = file.startsWith(folder) && existsSync(file)
    if (!isFound) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': MIME_TYPES[extname(file)] ?? 'text/plain' })
    return response.end(readFileSync(file))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Addresses that the HTML and CSS of a page load from elsewhere; links are not loaded. */
function listForeignAddresses(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => /\.(?:html|css)$/.test(file))
    .flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(LOADED)].map(
        ([address]) => `${file}: ${address}`,
      ),
    )
}

const LOADED =
  /<(?:script|link|img|iframe|source|video|audio)\b[^>]*(?:src|href)="(?:https?:)?\/\/[^"]*|url\(["']?(?:https?:)?\/\/[^)]*|@import[^;]*/g

/** Opens the search, which answers to clicks once the page is hydrated, and types words. */
async function search(page: BrowserPage, words: string): Promise<void> {
  await expect.poll(() => page.evaluate(OPEN_SEARCH), PATIENCE).toBe(true)
  await page.evaluate(`(() => {
    const input = document.querySelector('#localsearch-input')
    input.value = ${JSON.stringify(words)}
    input.dispatchEvent(new Event('input', { bubbles: true }))
  })()`)
}

const OPEN_SEARCH = `(() => {
  const isOpen = document.querySelector('#localsearch-input') !== null
  if (!isOpen) document.querySelector('.VPNavBarSearch button')?.click()
  return isOpen
})()`

/** Icons are data URLs within the style sheet. */
function isOwn(url: string, origin: string): boolean {
  return url.startsWith(`${origin}/`) || url.startsWith('data:')
}

it('finds fonts and scripts of other hosts, the control of the next test', () => {
  const folder = createFolder({
    'a.html': '<a href="https://a.example"></a><script src="https://b.example/x.js"></script>',
    'b.css': '@font-face { src: url(//c.example/font.woff2) }',
  })
  expect(listForeignAddresses(folder)).toEqual([
    'a.html: <script src="https://b.example/x.js',
    'b.css: url(//c.example/font.woff2',
  ])
})

describe('the site of docs/', { tags: ['slow', 'nightly'] }, () => {
  it(
    'finds a page by a word, and requests nothing but its own files',
    { timeout: 300_000 },
    async (context) => {
      const chromium = findChromium()
      if (!chromium) return context.skip('needs a browser: apt-get install chromium-headless-shell')
      const folder = buildSite()
      expect(listForeignAddresses(folder)).toEqual([])
      const origin = await serve(folder)
      const page = await openBrowser(chromium)
      await page.send('Page.navigate', { url: `${origin}/reference/errors.html` })
      await expect
        .poll(() => page.evaluate(`document.querySelector('h1')?.innerText`), PATIENCE)
        .toContain('Error codes')
      await search(page, 'invalid-network')
      const results = `[...document.querySelectorAll('#localsearch-list a')].map((link) => link.pathname)`
      await expect
        .poll(() => page.evaluate(results), PATIENCE)
        .toContain('/reference/rules/permissions/invalid-network.html')
      expect(page.requests.length).toBeGreaterThan(5)
      const foreign = page.requests.filter((url) => !isOwn(url, origin))
      expect(foreign).toEqual([])
    },
  )
})
