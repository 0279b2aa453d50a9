// @module-tag slow
import { expect, it, vi } from 'vitest'
import { openConsole } from './open-console.ts'
import { listFindings } from './accessibility.ts'

const ELSEWHERE = 'http://127.0.0.1:1'

/** Faults by script, with the problem that each has to be. */
const FAULTS: [script: string, problem: RegExp][] = [
  [`console.error('planted')`, /^console error: planted/],
  [`setTimeout(() => { throw Error('uncaught') })`, /^page error.*uncaught/],
  [`void Promise.reject(Error('unhandled'))`, /^page error.*unhandled/],
  [`try { document.body.innerHTML = '<b>' } catch {}`, /policy violation: require-trusted-types/],
  [`document.body.setAttribute('style', 'color: red')`, /policy violation: style-src/],
  [`fetch('${ELSEWHERE}').catch(() => {})`, /policy violation: connect-src/],
  [`void (new Image().src = '${ELSEWHERE}')`, /policy violation: img-src/],
  [`fetch('/nothing').catch(() => {})`, /^console error.*404/],
  [`setTimeout(() => alert('planted'))`, /^dialog: planted/],
  [`void (location = '${ELSEWHERE}')`, /^foreign request: http/],
  [`void (location = '${ELSEWHERE}')`, /^failed request: http/],
]

it('a page of the console in a test reports every kind of problem', async (test) => {
  const { page, takeProblems } = await openConsole(test, { allowedProblems: /./ })
  await page.getByRole('heading', { name: 'Skills' }).waitFor()
  expect(await takeProblems()).toEqual([])
  const found: string[] = []
  for (const [script, problem] of FAULTS) {
    await page.evaluate(script)
    await vi.waitFor(async () => {
      found.push(...(await takeProblems()))
      expect(found).toContainEqual(expect.stringMatching(problem))
    })
  }
})

it('axe finds each planted fault in the scheme that has it, and nothing before', async (test) => {
  const { page } = await openConsole(test)
  await page.getByRole('heading', { name: 'Skills' }).waitFor()
  expect(await listFindings(page)).toEqual([])
  await page.evaluate(`
      const image = new Image()
      image.src = '/console/assets/icon.svg'
      const text = document.createElement('p')
      text.textContent = 'Dark in the dark'
      text.style.setProperty('color', 'light-dark(black, #333)')
      const wide = document.createElement('div')
      wide.style.setProperty('width', '400px')
      wide.style.setProperty('height', '10px')
      const over = document.createElement('b')
      over.textContent = 'Text above another one'
      over.style.setProperty('margin-left', '-5em')
      text.append(over)
      document.querySelector('main').append(image, text, wide)
    `)
  const found = (await listFindings(page)).join('\n')
  expect(found).toMatch(/^light: image-alt/m)
  expect(found).toMatch(/^dark: image-alt/m)
  expect(found).toMatch(/^dark: color-contrast/m)
  expect(found).not.toMatch(/^light: color-contrast/m)
  expect(found).toMatch(/^overlapping texts at 1280 px: .*"Text above another one"/m)
  expect(found).toMatch(/^the page is \d+ px wide at 320 px/m)
})
