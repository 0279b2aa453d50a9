// @module-tag slow
// @module-tag nightly
import { expect, it } from 'vitest'
import { openConsole } from './open-console.ts'
import { createTokens, READER, runGreet, SKILL, writePolicy } from './operate-fixture.ts'

it('the policy page decides a request, and its address has the request', async (test) => {
  const setup = { tree: SKILL, settings: writePolicy(), path: '/policy' }
  const { page, open, checkAccessibility, screenshot } = await openConsole(test, setup)
  await page.getByText('Nothing is run').waitFor()
  await screenshot('policy-empty')
  await page.getByLabel('Token or user').fill('guest-7')
  await page.getByLabel('Skills', { exact: true }).fill('demo.greet')
  await page.keyboard.press('Control+Enter')
  await page.getByText('denied by the layer "policy": denied-by-rule').waitFor()
  const ladder = page.locator('.ladder > li')
  expect(await ladder.count()).toBe(10)
  expect(await ladder.nth(1).innerText()).toContain('Guests may look only')
  expect(await ladder.nth(1).innerText()).toContain('guests')
  expect(new URL(page.url()).search).toBe('?caller=guest-7&skills=demo.greet')
  await checkAccessibility()
  await screenshot('policy-denied')
  await open(`/policy${new URL(page.url()).search}`)
  await page.getByText('denied by the layer "policy"').waitFor()
  await page.getByLabel('Token or user').fill('ada')
  await page.getByRole('button', { name: 'Try', exact: true }).click()
  await page.locator('.verdict').getByText('allowed').waitFor()
})

it('a timeout that is no number is named at its field, and nothing is asked', async (test) => {
  const { page, checkAccessibility } = await openConsole(test, { path: '/policy?timeout=soon' })
  await page.getByText('Write a number of seconds above 0').waitFor()
  expect(await page.getByLabel('Timeout in seconds').getAttribute('aria-invalid')).toBe('true')
  expect(await page.locator('.ladder').count()).toBe(0)
  await checkAccessibility()
})

it('a request that the server refuses is explained, with its hint', async (test) => {
  const { page } = await openConsole(test, { path: '/policy?language=pyton' })
  const alert = page.getByRole('alert')
  await alert.getByText('Unknown language "pyton"').waitFor()
  expect(await alert.innerText()).toContain('python')
})

it('the last decisions appear as runs end, and each can be tried again', async (test) => {
  const { page, url } = await openConsole(test, { tree: SKILL, path: '/policy' })
  await page.getByText('The audit log has no decision yet.').waitFor()
  await runGreet(url, ['Ada'])
  await page.getByRole('link', { name: 'Try the request of record 2' }).click()
  await page.locator('.verdict').getByText('allowed').waitFor()
  expect(await page.getByLabel('Skills', { exact: true }).inputValue()).toBe('demo.greet@0.1.0')
})

it('rules and settings in force have their places', async (test) => {
  const { page } = await openConsole(test, { settings: writePolicy(), path: '/policy' })
  const rule = page.getByRole('table', { name: /Rule "guests"/ })
  await rule.waitFor()
  expect(await rule.innerText()).toMatch(/policy\.toml:5/)
  expect(
    await page.getByRole('table', { name: 'Settings of the configuration' }).innerText(),
  ).toContain('run.timeout')
})

it('a token without the scope "operate" is refused, and the page says which scope', async (test) => {
  const tokens = createTokens()
  const opened = await openConsole(test, { tokens, allowedProblems: /401|403/ })
  const { page, checkAccessibility, screenshot } = opened
  await page.getByLabel(/token/i).fill(READER)
  await page.getByRole('button', { name: 'Open the console' }).click()
  await page.getByRole('link', { name: 'Policy' }).click()
  await page.getByText('it lacks the scope "operate"').first().waitFor()
  await checkAccessibility()
  await screenshot('policy-refused')
})
