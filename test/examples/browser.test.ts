// @module-tag slow
// @module-tag nightly
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'
import { startChild } from '../helpers/child.ts'
import { findChromium, openBrowser } from '../helpers/chromium.ts'
import { createFolder } from '../helpers/skills.ts'

vi.setConfig({ testTimeout: 300_000 })

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** An expression for the text of an element, as soon as the text matches a pattern. */
const waitForText = (selector: string, pattern: RegExp) => `new Promise((resolve) => {
  const check = () => {
    const text = document.querySelector('${selector}')?.textContent ?? ''
    if (${pattern}.test(text)) resolve(text)
  }
  new MutationObserver(check).observe(document, { subtree: true, childList: true, characterData: true })
  check()
})`

it('the page lists skills and runs one with a form built from its inputs', async ({ skip }) => {
  const chromium = findChromium()
  if (!chromium) return skip('needs a browser: apt-get install chromium-headless-shell')
  const argv = ['examples/browser/server.js', '0']
  const env = { HOME: createFolder() }
  const { firstLine } = startChild(process.execPath, argv, { cwd: ROOT, env })
  const page = await openBrowser(chromium)
  await page.send('Page.navigate', { url: await firstLine })

  await page.evaluate(waitForText('#inputs', /Run/))
  const listed = await page.evaluate(
    `[...document.querySelectorAll('#skill option')].map((each) => each.value)`,
  )
  expect(listed).toContain('examples.csv.summary')

  await page.evaluate(`{
    const select = document.querySelector('#skill')
    select.value = 'examples.greet'
    select.dispatchEvent(new Event('change'))
  }`)
  await page.evaluate(waitForText('#inputs', /Name of the person to greet/))
  await page.evaluate(`document.querySelector('[name=name]').focus()`)
  await page.send('Input.insertText', { text: 'Ada' })
  await page.evaluate(`document.querySelector('[name=language]').value = 'de'`)
  await page.evaluate(`document.querySelector('#inputs button').click()`)

  const result = await page.evaluate(waitForText('#result', /[}]|Error/))
  expect(JSON.parse(String(result))).toMatchObject({ greeting: 'Hallo, Ada!' })
  expect(await page.evaluate(`document.querySelector('#logs').textContent`)).toContain(
    'Greeting in de',
  )
})
