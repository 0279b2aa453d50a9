import { expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { openConsole } from './open-console.ts'

it('the console lists the skills of the server', async (test) => {
  const tree = prefixPaths('skills/greet', createActionSkill('demo.greet'))
  const { page, checkAccessibility, screenshot } = await openConsole(test, { tree })
  await page.getByText('demo.greet').waitFor()
  expect(await page.title()).toBe('Skills · skills')
  await checkAccessibility()
  await screenshot('skills')
})

it('an address without a page is a sentence with a way back', async (test) => {
  const { page, screenshot } = await openConsole(test, { path: '/no-such-page' })
  await page.locator('main a').first().waitFor()
  await screenshot('not-found')
})
