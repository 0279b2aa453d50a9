// @module-tag slow
// @module-tag nightly
import { expect, it } from 'vitest'
import { createCallers } from '../helpers/server.ts'
import { openConsole } from './open-console.ts'
import { createTokens, READER, SKILL } from './operate-fixture.ts'

const DOCUMENT = { 'skills/greet/docs/USAGE.md': 'Say a word to a <b>penguin</b>.\n' }

it('a session shows what is loaded, and what its next request contains', async (test) => {
  const opened = await openConsole(test, { tree: { ...SKILL, ...DOCUMENT }, path: '/sessions' })
  const { page, url, checkAccessibility, screenshot } = opened
  await page.getByText('No agent has loaded a skill yet.').waitFor()
  await screenshot('sessions-empty')
  const { result, call } = createCallers(url)
  await call('skill_load', { session: 'trip', skill: 'demo.greet' })
  const select = { session: 'trip', skill: 'demo.greet', docs: ['docs/USAGE.md'], call: 'call_1' }
  await result('skill_select_docs', select)
  await page.reload()
  await page.getByRole('link', { name: 'trip' }).waitFor()
  await checkAccessibility()
  await screenshot('sessions')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'trip' }).waitFor()
  const parts = page.getByRole('table', { name: 'Tokens by part' })
  await parts.waitFor()
  expect(await parts.innerText()).toMatch(/Result of the tool call call_1\s+\d+ tokens/)
  const content = page.getByRole('region', { name: 'Result of the tool call call_1' })
  expect(await content.innerText()).toContain('<b>penguin</b>')
  await checkAccessibility()
  await screenshot('session')
  await page.getByLabel('Vendor').selectOption('anthropic')
  await page.getByText('Tools for Anthropic, Messages').first().waitFor()
  await page.locator('summary', { hasText: 'Tools for Anthropic' }).click()
  const tools = page.getByRole('region', { name: 'Tools for Anthropic, Messages' })
  expect(await tools.innerText()).toContain('"input_schema"')
  expect(new URL(page.url()).search).toBe('?vendor=anthropic')
  await page.getByLabel('Tools', { exact: true }).selectOption('knowledge')
  await page.getByText('No tool here runs commands').waitFor()
})

it('each agent of a session has its own loads', async (test) => {
  const { page, url, open } = await openConsole(test, { tree: SKILL, path: '/sessions' })
  const { call } = createCallers(url)
  await call('skill_load', { session: 'team', agent: 'planner', skill: 'demo.greet' })
  await call('skill_load', { session: 'team', agent: 'writer', skill: 'skills.protocol.guide' })
  await open('/sessions')
  await page.getByRole('link', { name: 'team' }).click()
  await page.getByRole('link', { name: 'skills.protocol.guide' }).waitFor()
  await page.getByLabel('Agent').selectOption('planner')
  await page.getByRole('link', { name: 'demo.greet' }).waitFor()
  expect(new URL(page.url()).search).toBe('?agent=planner')
})

it('a caller sees its own sessions, and none of others by their id', async (test) => {
  const opened = await openConsole(test, {
    tree: SKILL,
    tokens: createTokens(),
    allowedProblems: /401|404|400/,
  })
  const { page, open } = opened
  await page.getByLabel(/token/i).fill(READER)
  await page.getByRole('button', { name: 'Open the console' }).click()
  await page.getByRole('link', { name: 'Sessions' }).click()
  await page.getByText('No agent has loaded a skill yet.').waitFor()
  await open(`/sessions/${'f'.repeat(40)}`)
  await page.getByText('Unknown session').waitFor()
})
