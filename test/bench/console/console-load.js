// Measures the console in a headless browser against the real server: the first contentful paint, the
// time until a list of 1,000 skills can be used, and the longest task with 100,000 lines of logs. These
// are absolute times, because a person waits for them: measure on a quiet machine.
// Usage: node test/bench/console/console-load.js
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { generateSkills } from '../generate-skills.js'
import { startServe } from '../serve/start.js'
import { createTemporaryFolder } from '../temporary-folder.js'

const ROUNDS = 5
const LIMITS = { paint: 100, list: 200, task: 100 }
const FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-quic --disable-background-networking'.split(' ')

const LINES = `def main(args):
    for at in range(100_000):
        print("line", at)
    return {}
`
const TOML = `name = "demo.lines"
version = "1.0.0"
description = "Prints many lines."
kind = "action"

[runtime]
language = "python"
entrypoint = "code/main.py"
`

const executablePath = findBrowser()
if (executablePath === undefined) {
  console.log('No browser: apt-get install chromium-headless-shell')
  process.exit(1)
}
const folder = createTemporaryFolder('console')
generateSkills(join(folder, 'skills'), 1000)
writeLines(join(folder, 'skills/lines'))
const server = await startServe(folder, { argv: ['--no-auth'] })
const url = `http://127.0.0.1:${server.port}`
const browser = await chromium.launch({ executablePath, args: FLAGS })
try {
  const loads = []
  // The first load fills caches of the server.
  for (let round = -1; round < ROUNDS; round++) {
    const load = await measureLoad()
    if (round >= 0) loads.push(load)
  }
  report('first contentful paint', median(loads.map(({ paint }) => paint)), LIMITS.paint)
  report('a list of 1,000 skills', median(loads.map(({ list }) => list)), LIMITS.list)
  report('longest task with 100,000 lines', await measureLogs(), LIMITS.task)
} finally {
  await browser.close()
  await server.stop()
}

/**
 * Times since the start of the navigation, by the clock of the page. The tab has a process for the
 * server already, whose start takes longer than the page; nothing of the page is in a cache.
 */
async function measureLoad() {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${url}/console/no-such-page`)
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  await page.addInitScript(`new MutationObserver((_, observer) => {
    if (!document.querySelector('.skill-row')) return
    window.listed = performance.now()
    observer.disconnect()
  }).observe(document, { childList: true, subtree: true })`)
  await page.goto(`${url}/console/`)
  await page.locator('.skill-row').first().waitFor()
  const paint = await page.evaluate(
    `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0`,
  )
  const list = await page.evaluate('window.listed')
  await context.close()
  return { paint, list }
}

async function measureLogs() {
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'execute_skill',
    params: { name: 'demo.lines', args: {} },
  }
  const response = await fetch(`${url}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { result } = await response.json()
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.addInitScript(`window.longest = 0
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration)
    }).observe({ type: 'longtask', buffered: true })`)
  await page.goto(`${url}/console/runs/${result.run_id}`)
  await page.getByText(/^100000 lines$/).waitFor()
  await page.locator('#log-search').fill('line 99999')
  await page.getByText('1 of 100000 lines').waitFor()
  await page.locator('#log-search').fill('')
  await page.locator('.windowed').hover()
  for (let step = 0; step < 50; step++) await page.mouse.wheel(0, 20_000)
  const longest = await page.evaluate('window.longest')
  await context.close()
  return longest
}

function report(name, ms, limit) {
  console.log(`${name}: ${ms.toFixed(0)} ms, limit ${limit} ms`)
  if (ms > limit) process.exitCode = 1
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}

function writeLines(target) {
  mkdirSync(join(target, 'code'), { recursive: true })
  writeFileSync(join(target, 'skill.toml'), TOML)
  writeFileSync(join(target, 'SKILL.md'), '# Lines\n\nPrints many lines.\n')
  writeFileSync(join(target, 'code/main.py'), LINES)
}

function findBrowser() {
  const names = ['chromium-headless-shell', 'chromium', 'google-chrome']
  const folders = (process.env.PATH ?? '').split(':')
  return names
    .flatMap((name) => folders.map((dir) => join(dir, name)))
    .find((path) => existsSync(path))
}
