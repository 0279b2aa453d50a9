// @module-tag slow
// @module-tag nightly
import { expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { startTestServer } from '../helpers/server.ts'
import { loadBuiltModulesInRunners } from '../helpers/runners.ts'
import { openConsole } from './open-console.ts'

loadBuiltModulesInRunners()

const GREET = prefixPaths('skills/greet', createActionSkill('demo.greet'))

it('a skill is found, run, read and run again with other arguments without a pointer', async (test) => {
  const opened = await openConsole(test, { tree: GREET })
  const { page } = opened
  await page.locator('.skill-row.current').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByLabel('Page, skill or action').waitFor()
  await page.keyboard.type('demo.gr')
  await page.getByRole('option', { name: 'demo.greet' }).waitFor()
  await opened.screenshot('palette')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /^demo\.greet/ }).waitFor()
  await page.keyboard.press(']')
  await page.getByRole('tab', { name: 'Run', selected: true }).waitFor()
  await tabTo(page, 'input-name')
  await page.keyboard.type('Ada')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Hello, Ada').waitFor()
  // Letters in a field are text, so the field is left first.
  await tabTo(page, undefined)
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await page.locator('.run-row.current').waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/runs\/run_/)
  await page.getByRole('tab').first().waitFor()
  await page.keyboard.press('e')
  await page.waitForURL(/tab=run&from=run_/)
  await expect.poll(async () => await page.locator('#input-name').inputValue()).toBe('Ada')
  await tabTo(page, 'input-name')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('Grace')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Hello, Grace').waitFor()
})

it('Enter follows the link that has the focus, whatever row is marked', async (test) => {
  const { page } = await openConsole(test, { tree: GREET })
  await page.locator('.skill-row.current').waitFor()
  await page.getByRole('link', { name: 'Sessions' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/sessions$/)
  // `r` alone is an action of this page.
  await page.getByRole('heading', { name: 'Sessions' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await page.waitForURL(/\/runs$/)
})

it('a span of the histogram is chosen and left by keys', async (test) => {
  const server = await startTestServer({ tree: GREET, settings: { 'run.warm': false } })
  await server.result('execute_skill', { name: 'demo.greet', args: { name: 'Ada' } })
  const opened = await openConsole(test, { server, path: '/runs' })
  const { page } = opened
  const bar = page.getByRole('button', { name: /^Show 1 run, from/ })
  await bar.focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/since=.*until=/)
  await page.getByText(/^From .* until /).waitFor()
  await opened.checkAccessibility()
  await page.getByRole('button', { name: 'Show all times' }).press('Enter')
  await expect.poll(() => page.url()).not.toContain('since=')
})

it('every page of the navigation is opened by keys, and a sheet lists them', async (test) => {
  const opened = await openConsole(test, { tree: GREET })
  const { page } = opened
  await page.locator('.skill-row.current').waitFor()
  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keys' })
  await sheet.waitFor()
  await opened.checkAccessibility()
  await opened.screenshot('keys')
  const keys = await sheet.locator('kbd').allTextContents()
  const letters = keys.flatMap((each) => /^g (\w)$/.exec(each)?.[1] ?? [])
  expect(letters.length).toBeGreaterThan(5)
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  const titles = new Set<string>()
  for (const letter of letters) {
    await page.keyboard.press('g')
    await page.keyboard.press(letter)
    await page.locator('main h1').waitFor()
    await expect.poll(async () => titles.has(await page.title())).toBe(false)
    titles.add(await page.title())
  }
  expect(titles.size).toBe(letters.length)
})

it('single letters are switched off for people who speak to their machine', async (test) => {
  const { page } = await openConsole(test, { tree: GREET })
  await page.locator('.skill-row.current').waitFor()
  await page.keyboard.press('?')
  await page.getByLabel('Single letters are keys').press('Space')
  await page.keyboard.press('Escape')
  await page.reload()
  await page.locator('.skill-row.current').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await page.keyboard.press('?')
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(page.url()).not.toContain('/runs')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Go to' }).waitFor()
})

const READ_FOCUS = `({
  id: document.activeElement.id,
  isField: /INPUT|TEXTAREA|SELECT/.test(document.activeElement.tagName),
})`

type ConsolePage = Awaited<ReturnType<typeof openConsole>>['page']

/** Presses Tab until the element with an id has the focus; without an id, until none that is typed into has it. */
async function tabTo(page: ConsolePage, id: string | undefined): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    const focused = await page.evaluate<{ id: string; isField: boolean }>(READ_FOCUS)
    if (id === undefined ? !focused.isField : focused.id === id) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${id ?? 'an element without text'}`)
}
