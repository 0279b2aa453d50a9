// @module-tag slow
// @module-tag nightly
import { expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { createCallers, startTestServer } from '../helpers/server.ts'
import { openConsole } from './open-console.ts'
import { createTokens, READER, runGreet, SKILL } from './operate-fixture.ts'

const SLOW = prefixPaths('skills/slow', {
  ...createActionSkill('demo.slow'),
  'code/main.py': 'import time\n\ndef main(args):\n    time.sleep(60)\n',
})

it('the load of the server changes as runs come and go', async (test) => {
  const settings = { 'run.max_concurrent': 3, 'run.max_waiting': 5 }
  const opened = await openConsole(test, {
    tree: { ...SKILL, ...SLOW },
    settings,
    path: '/server',
  })
  const { page, url, checkAccessibility, screenshot } = opened
  const gauge = (title: string) => page.locator('.gauges > div', { hasText: title })
  await gauge('Places for runs in use').getByText('of 3').waitFor()
  expect(await gauge('Waiting runs').innerText()).toContain('of 5')
  await page.getByText('Nothing runs now.').waitFor()
  await runGreet(url, ['Ada'])
  await page.getByRole('table', { name: 'Runs by skill' }).getByText('demo.greet').waitFor()
  const { call } = createCallers(url)
  const slow = call('execute_skill', { name: 'demo.slow', args: { name: 'Ada' } })
  const row = page.locator('tr', { hasText: 'demo.slow' })
  await row.getByText('running').waitFor()
  await gauge('Places for runs in use').getByText('1 of 3').waitFor()
  await checkAccessibility()
  await screenshot('server')
  const { runs } = await createCallers(url).result('list_run_history', { status: 'running' })
  const [{ run_id } = { run_id: '' }] = runs as { run_id: string }[]
  await call('runs', { action: 'cancel', run_id })
  await slow
  await page.getByText('Nothing runs now.').waitFor()
})

it('settings are found by words and by their origin', async (test) => {
  const settings = { 'run.timeout': '7s' }
  const opened = await openConsole(test, { settings, path: '/server?tab=configuration' })
  const { page, checkAccessibility, screenshot } = opened
  await page.getByRole('row', { name: /run\.timeout/ }).waitFor()
  await checkAccessibility()
  await screenshot('server-configuration')
  await page.getByLabel('Search').fill('run.timeout')
  await page.getByText('1 of ').waitFor()
  expect(await page.getByRole('row', { name: /run\.timeout/ }).innerText()).toContain('7 s')
  expect(new URL(page.url()).search).toBe('?tab=configuration&q=run.timeout')
  await page.getByLabel('Search').fill('no such setting')
  await page.getByText('No setting matches.').waitFor()
})

it('a check of the machine shows each requirement, and stays while other tabs are open', async (test) => {
  const { page, checkAccessibility, screenshot } = await openConsole(test, {
    path: '/server?tab=machine',
  })
  await page.getByText('A check starts small programs').waitFor()
  await page.getByRole('button', { name: 'Check the machine' }).click()
  await page.getByText('Checking: every backend').waitFor()
  await page.getByRole('heading', { name: 'Requirements' }).waitFor({ timeout: 600_000 })
  const checks = page.locator('.checks').first()
  expect(await checks.innerText()).toContain('Python')
  await page.keyboard.press(']')
  await page.getByRole('row', { name: /run\.timeout/ }).waitFor()
  await page.keyboard.press('[')
  await checks.waitFor()
  await checkAccessibility()
  await screenshot('server-machine')
}, 900_000)

it('a token without the scope "operate" sees the load, but not the configuration', async (test) => {
  const opened = await openConsole(test, { tokens: createTokens(), allowedProblems: /401|403/ })
  const { page, checkAccessibility } = opened
  await page.getByLabel(/token/i).fill(READER)
  await page.getByRole('button', { name: 'Open the console' }).click()
  await page.getByRole('link', { name: 'Server' }).click()
  await page.getByText('Nothing runs now.').waitFor()
  await page.getByRole('tab', { name: 'Configuration' }).click()
  await page.getByText('it lacks the scope "operate"').waitFor()
  await checkAccessibility()
  await page.getByRole('tab', { name: 'Machine' }).click()
  await page.getByRole('button', { name: 'Check the machine' }).click()
  await page.getByText('it lacks the scope "operate"').waitFor()
})

it('the last load stays in view while the server is gone', async (test) => {
  const server = await startTestServer({ settings: { 'run.warm': false } })
  const { page, screenshot } = await openConsole(test, {
    server,
    path: '/server',
    allowedProblems: /ERR_|failed request/,
  })
  await page.getByText('Nothing runs now.').waitFor()
  await server.stop()
  await page.getByText('The server does not answer').first().waitFor()
  expect(await page.locator('.gauges').innerText()).toContain('Memory of the server')
  await screenshot('server-gone')
})
