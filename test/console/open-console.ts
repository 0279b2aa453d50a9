import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { expect, onTestFinished, type TestContext } from 'vitest'
// The built console is that of these sources.
import '../helpers/built.ts'
import { CHROMIUM_FLAGS, findChromium } from '../helpers/chromium.ts'
import { startTestServer, type ServerSetup } from '../helpers/server.ts'
import { checkAccessibility } from './accessibility.ts'
import { takeScreenshots } from './screenshots.ts'

interface ConsoleSetup extends ServerSetup {
  /** A running server, such as a real `skills serve`; by default one is started from the setup. */
  server?: { url: string }
  /** Path below /console, with query and fragment: `/runs?status=failed`. */
  path?: string
  /** Address that is opened instead, such as one that leads to the console. */
  address?: string
  /** Problems that the test causes on purpose. */
  allowedProblems?: RegExp
}

/** The console in a browser. Its test fails on every problem that the page has until the end. */
export interface OpenedConsole {
  page: Page
  /** Address of the server, without a path. */
  url: string
  /** Opens another path below /console, with a new load of the page. */
  open(path: string): Promise<void>
  /** Returns the problems so far, allowed ones as well, and forgets them. */
  takeProblems(): Promise<string[]>
  /** Fails on findings of axe in both colour schemes, and if the page is wider than 320 px. */
  checkAccessibility(): Promise<void>
  /** Checks the page as above, and writes pictures of it into $SKILLS_SCREENSHOTS: both schemes, wide and narrow. */
  screenshot(name: string): Promise<void>
}

/** Size of a page unless a test changes it. */
const VIEWPORT = { width: 1280, height: 800 }

/** Ends with the process of the worker, as Playwright sees to. */
let browser: Promise<Browser> | undefined

/** Opens the console of a real server, in a browser that all files of a worker share. */
export async function openConsole(
  test: Pick<TestContext, 'skip'>,
  { server, path = '/', address, allowedProblems, ...setup }: ConsoleSetup = {},
): Promise<OpenedConsole> {
  const executablePath = findChromium()
  if (executablePath === undefined) {
    return test.skip('needs a browser: apt-get install chromium-headless-shell')
  }
  // Forks that are prepared at the start delay the first test of a file by seconds.
  const settings = { 'run.warm': false, ...setup.settings }
  const { url } = server ?? (await startTestServer({ ...setup, settings }))
  browser ??= chromium.launch({ executablePath, args: CHROMIUM_FLAGS })
  const context = await (await browser).newContext({ viewport: VIEWPORT, reducedMotion: 'reduce' })
  const problems = await collectProblems(context, url)
  const page = await context.newPage()
  const takeProblems = async () => {
    // Events of the page that precede the answer arrive before it.
    await page.evaluate('0').catch(() => {})
    return problems.splice(0)
  }
  onTestFinished(async () => {
    const found = await takeProblems()
    await context.close()
    expect(found.filter((each) => allowedProblems?.test(each) !== true)).toEqual([])
  })
  const open = async (to: string) => void (await page.goto(`${url}/console${to}`))
  if (address === undefined) await open(path)
  else await page.goto(address)
  return {
    page,
    url,
    open,
    takeProblems,
    checkAccessibility: async () => await checkAccessibility(page),
    screenshot: async (name) => {
      await checkAccessibility(page)
      await takeScreenshots(page, name)
    },
  }
}

/** Collects the problems of all pages of a context. */
async function collectProblems(context: BrowserContext, url: string): Promise<string[]> {
  const problems: string[] = []
  const add = (problem: string) => void problems.push(problem)
  context.on('console', (message) => {
    if (message.type() === 'error') add(`console error: ${message.text()}`)
  })
  // Includes rejections that no code handles.
  context.on('weberror', (event) => add(`page error: ${String(event.error())}`))
  context.on('dialog', (dialog) => {
    add(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  context.on('request', (request) => {
    if (!isOwnAddress(request.url(), url)) add(`foreign request: ${request.url()}`)
  })
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? ''
    // The page itself ends requests whose answers it no longer needs.
    if (reason !== 'net::ERR_ABORTED') add(`failed request: ${request.url()} ${reason}`)
  })
  context.on('page', (page) => page.on('crash', () => add('the page crashed')))
  await context.addInitScript(REPORT_VIOLATIONS)
  return problems
}

const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy violation:', event.violatedDirective, event.blockedURI, event.sample))`

function isOwnAddress(address: string, url: string): boolean {
  return address.startsWith(`${url}/`) || address.startsWith(`blob:${url}/`)
}
