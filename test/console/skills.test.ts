// @module-tag slow
// @module-tag nightly
import { expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { loadBuiltModulesInRunners } from '../helpers/runners.ts'
import { openConsole } from './open-console.ts'

loadBuiltModulesInRunners()

const GREET = prefixPaths('skills/greet', {
  ...createActionSkill('demo.greet'),
  'tests/greet.test.toml':
    'suite = "greet"\n\n[[cases]]\nname = "greets Ada"\nargs = { name = "Ada" }\nexpect = [{ status = "completed" }]\n',
  'docs/USAGE.md': '# Usage\n\nWave at a penguin.\n\n## One\n\n## Two\n\n[back](../SKILL.md)\n',
})

const TWO_SKILLS = {
  ...prefixPaths('skills/first', createActionSkill('demo.first')),
  ...prefixPaths('skills/second', createActionSkill('demo.second')),
}

it('skills are found by words of their documents, and the address has the words', async (test) => {
  const { page } = await openConsole(test, { tree: GREET })
  await page.getByLabel('Search').fill('penguin')
  await page.getByRole('link', { name: 'demo.greet' }).waitFor()
  await page.waitForURL(/\?q=penguin$/)
  await expect.poll(async () => await page.locator('.skill-row').count()).toBe(1)
})

it('a skill is opened by keys alone', async (test) => {
  const { page } = await openConsole(test, { tree: GREET })
  await page.getByRole('link', { name: 'demo.greet' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('demo.greet')
  await page.waitForURL(/q=demo.greet/)
  await expect.poll(async () => await page.locator('.skill-row').count()).toBe(1)
  await page.getByLabel('Kind').focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'demo.greet 0.1.0' }).waitFor()
  await page.keyboard.press(']')
  await page.getByRole('tab', { name: 'Run', selected: true }).waitFor()
})

const VIEWS: [tab: string, text: string | RegExp][] = [
  ['docs', 'demo.greet'],
  ['run', 'Arguments'],
  ['code', 'entry point'],
  ['rights', 'It runs code of the language python.'],
  ['findings', /Lint finds nothing|[a-z]+\/[a-z-]+/],
  ['tokens', 'Tokens by layer'],
  ['tools', 'Available skills:'],
  ['tests', 'greets Ada'],
  ['runs', 'This version was not run yet.'],
]

for (const [tab, text] of VIEWS) {
  it(`the view "${tab}" of a skill is accessible and shows its content`, async (test) => {
    const path = `/skills/demo.greet%400.1.0?tab=${tab}`
    const opened = await openConsole(test, { tree: GREET, path })
    await opened.page.getByRole('tabpanel').getByText(text).first().waitFor()
    await opened.checkAccessibility()
    await opened.screenshot(`skill-${tab}`)
  })
}

it('a run that a form starts shows its result, also after the page was loaded again', async (test) => {
  const { page } = await openConsole(test, {
    tree: GREET,
    path: '/skills/demo.greet%400.1.0?tab=run',
  })
  await page.getByLabel(/^name/).fill('Ada')
  await page.getByText('JSON', { exact: true }).click()
  expect(JSON.parse(await page.getByLabel('All arguments as JSON').inputValue())).toEqual({
    name: 'Ada',
  })
  await page.getByLabel('All arguments as JSON').fill('{"name": "Grace"}')
  await page.getByText('Fields', { exact: true }).click()
  expect(await page.getByLabel(/^name/).inputValue()).toBe('Grace')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Hello, Grace').waitFor()
  await page.waitForURL(/[?&]run=run_/)
  await page.reload()
  await page.getByText('Hello, Grace').waitFor()
})

it('a form with an empty required field starts no run and states the problem', async (test) => {
  const toml = '\n[inputs.name]\ntype = "string"\nrequired = true\n'
  const { page } = await openConsole(test, {
    tree: prefixPaths('skills/greet', createActionSkill('demo.greet', { toml })),
    path: '/skills/demo.greet%400.1.0?tab=run',
  })
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('A value is required').waitFor()
  expect(page.url()).not.toContain('run=run_')
})

it('code runs in the sandbox from its page', async (test) => {
  const opened = await openConsole(test, { path: '/code' })
  const { page } = opened
  await page
    .getByLabel('Code with a function "main"')
    .fill('def main(args):\n    return {"sum": 40 + 2}\n')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('sum:').waitFor()
  await opened.checkAccessibility()
  await opened.screenshot('code')
})

it('a program runs with arguments and input from its page', async (test) => {
  const opened = await openConsole(test, { path: '/code' })
  const { page } = opened
  await page.getByLabel('Run as').selectOption('program')
  await page.getByLabel('Language').selectOption('python')
  await page
    .getByLabel('Program')
    .fill('import sys\nprint(sys.argv[1:], sys.stdin.read().upper())\n')
  await page.getByLabel('Arguments, one in each line').fill('one\ntwo words\n')
  await page.getByLabel('Standard input').fill('ada')
  await page.getByLabel('Time limit in milliseconds').fill('20000')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page
    .getByText(/one.*two words.*ADA/)
    .first()
    .waitFor()
  await opened.checkAccessibility()
  await opened.screenshot('code-program')
})

const HOSTILE = `---
name: demo.hostile
description: "<img src=x onerror=alert(1)> \\u202Etxt.exe"
---
<script>alert(document.domain)</script>

<img src=x onerror="alert(1)">

[click](javascript:alert(1)) [frame](data:text/html,<script>alert(1)</script>)

![pixel](https://tracker.example/pixel.png)

| <b>bold</b> | x |
|---|---|
| <svg onload=alert(1)> | \`<script>\` |
`

it('nothing of a hostile skill is executed, loaded or followed', async (test) => {
  const opened = await openConsole(test, {
    tree: {
      'skills/hostile/SKILL.md': HOSTILE,
      'skills/hostile/page.html': '<script>alert(1)</script>',
      'skills/hostile/long.txt': 'x'.repeat(900_000),
    },
    path: '/skills/demo.hostile',
  })
  const { page, open } = opened
  await page.getByRole('tabpanel').getByText('<script>alert(document.domain)</script>').waitFor()
  expect(await page.locator('#main script, #main img, #main svg, #main iframe').count()).toBe(0)
  const links = page.getByRole('tabpanel').locator('a')
  const addresses = await links.evaluateAll((all) => all.map((each) => each.getAttribute('href')))
  expect(addresses.filter((each) => each !== null && !/^[?#]/.test(each))).toEqual([])
  for (const file of ['page.html', 'long.txt']) {
    await open(`/skills/demo.hostile?tab=code&file=${file}`)
    await page.getByRole('heading', { name: file }).waitFor()
  }
  await open('/')
  // The mark that reverses text is shown as its code.
  await page.getByText('<img src=x onerror=alert(1)> \\u202etxt.exe').first().waitFor()
  expect(await page.locator('#main').textContent()).not.toContain('\u202E')
  await opened.checkAccessibility()
})

it('a page is named in the history, has a way back, and Enter opens what a search found', async (test) => {
  const { page } = await openConsole(test, { tree: TWO_SKILLS })
  await expect.poll(async () => await page.title()).toBe('Skills · skills')
  await page.getByLabel('Search').fill('second')
  await page.keyboard.press('Enter')
  await page.waitForURL(/q=second/)
  await page.getByText('demo.first').waitFor({ state: 'detached' })
  await page.getByLabel('Search').press('Enter')
  await page.getByRole('heading', { name: 'demo.second 0.1.0' }).waitFor()
  await expect.poll(async () => await page.title()).toBe('demo.second 0.1.0 · skills')
  await page.getByRole('link', { name: '← Skills' }).click()
  await page.getByRole('link', { name: 'demo.first' }).waitFor()
})
