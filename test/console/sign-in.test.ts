// @module-tag slow
// @module-tag nightly
import { expect, it, onTestFinished } from 'vitest'
import { writeLinkPage } from '../../src/cli/serve/console-link.ts'
import { parseTokens } from '../../src/server/auth/tokens.ts'
import { startTestServer } from '../helpers/server.ts'
import { openConsole } from './open-console.ts'

const FILE_TOKEN = 'alice-token-0123456789'
/** The page finds out by its first call that a token is required. */
const REFUSED = /status of 401/

async function startLinkedServer() {
  const links: string[] = []
  const server = await startTestServer({
    settings: { 'run.warm': false },
    tokens: parseTokens(`${FILE_TOKEN} alice\n`, 'tokens.txt'),
    showConsoleLink: (link) => void links.push(link),
  })
  return { server, lastPath: () => links.at(-1)?.split('/console').at(-1) ?? '' }
}

it('a link from the terminal opens the console, once, and for the tab that it opened', async (test) => {
  const { server, lastPath } = await startLinkedServer()
  const link = lastPath()
  const { page, open } = await openConsole(test, { server, path: '/', allowedProblems: REFUSED })
  await page.getByRole('heading', { name: 'This server needs a token' }).waitFor()
  const sent: string[] = []
  page
    .context()
    .on('request', (request) => sent.push(`${request.url()} ${request.headers()['referer'] ?? ''}`))
  // The address of the same page with another fragment is opened without a new load.
  await open(link)
  await page.getByText('There are no skills here.').waitFor()
  expect(page.url()).toBe(`${server.url}/console/`)
  expect(await page.evaluate('history.length')).toBeLessThanOrEqual(3)
  await page.reload()
  await page.getByText('There are no skills here.').waitFor()
  const secret = link.split('=')[1] ?? 'none'
  expect(sent.join('\n')).not.toContain(secret)
  expect(sent.join('\n')).not.toContain(
    String(await page.evaluate('sessionStorage["skills.token"]')),
  )
  expect(sent.join('\n')).toMatch(/\/console\/session $/m)
  expect(await page.context().cookies()).toEqual([])
  expect(await page.evaluate('Object.values(localStorage).join()')).not.toMatch(/[\w-]{43}/)

  // Another browser: the link was used.
  const other = await openConsole(test, { server, path: link, allowedProblems: REFUSED })
  await other.page.getByRole('alert').getByText('This link to the console was used').waitFor()
  expect(other.page.url()).toBe(`${server.url}/console/`)
  await other.checkAccessibility()
  await other.screenshot('sign-in')
  await other.open(lastPath())
  await other.page.getByText('There are no skills here.').waitFor()
})

it('a tab that a link of the console opens has the session of the other tab', async (test) => {
  const { server, lastPath } = await startLinkedServer()
  const { page } = await openConsole(test, { server, path: lastPath(), allowedProblems: REFUSED })
  await page.getByText('There are no skills here.').waitFor()
  const tab = await page.context().newPage()
  await tab.goto(`${server.url}/console/`)
  await tab.getByText('There are no skills here.').waitFor()
})

it('the file that "--open" passes to a browser leads to the console', async (test) => {
  const { server, lastPath } = await startLinkedServer()
  const { address, remove } = writeLinkPage(`${server.url}/console${lastPath()}`)
  onTestFinished(remove)
  const allowedProblems = /foreign request: file:/
  const { page } = await openConsole(test, { server, allowedProblems, address })
  await page.getByText('There are no skills here.').waitFor()
  expect(page.url()).toBe(`${server.url}/console/`)
})

it('a token of the token file opens the console, and a wrong one is explained', async (test) => {
  const { server } = await startLinkedServer()
  const { page } = await openConsole(test, { server, allowedProblems: REFUSED })
  const enter = async (token: string) => {
    await page.getByLabel('Token').fill(token)
    await page.keyboard.press('Enter')
  }
  await enter('not-a-token-of-this-server')
  await page.getByRole('alert').getByText('is not accepted').waitFor()
  await enter(FILE_TOKEN)
  await page.getByText('There are no skills here.').waitFor()
})

it('a link to a server that needs no token opens its console', async (test) => {
  const refused = /status of 405/
  const { page } = await openConsole(test, {
    path: '/#token=of-another-start',
    allowedProblems: refused,
  })
  await page.getByText('There are no skills here.').waitFor()
  expect(new URL(page.url()).hash).toBe('')
})
