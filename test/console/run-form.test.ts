// @module-tag slow
// @module-tag nightly
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { loadBuiltModulesInRunners } from '../helpers/runners.ts'
import { startTestServer } from '../helpers/server.ts'
import { createFolder } from '../helpers/skills.ts'
import { openConsole } from './open-console.ts'

loadBuiltModulesInRunners()

const GREET = prefixPaths('skills/greet', createActionSkill('demo.greet'))
const FORM = '/skills/demo.greet%400.1.0?tab=run'

it('a form says what the policy would decide, and its link leads to the layers', async (test) => {
  const opened = await openConsole(test, { tree: GREET, path: FORM })
  const { page } = opened
  await page.getByText('allowed by all 10 layers').waitFor()
  await opened.checkAccessibility()
  await opened.screenshot('skill-run-policy')
  await page.getByRole('link', { name: 'Why?' }).click()
  await page.locator('.ladder').waitFor()
  expect(await page.getByLabel('Skills', { exact: true }).inputValue()).toBe('demo.greet@0.1.0')
})

it('a form says that the policy would deny the run, and with which sentence', async (test) => {
  const rules =
    '[[rules]]\nname = "closed"\nwhen = { skills = ["demo.*"] }\nrefuse = "Demos are closed today"\n'
  const file = join(createFolder({ 'policy.toml': rules }), 'policy.toml')
  const { page } = await openConsole(test, {
    tree: GREET,
    path: FORM,
    settings: { 'policy.file': file },
  })
  await page.getByText('would be denied. Demos are closed today').waitFor()
})

it('a time limit that is no number starts no run, and is named at its field', async (test) => {
  const { page } = await openConsole(test, { tree: GREET, path: FORM })
  await page.getByText('Limits', { exact: true }).click()
  await page.getByLabel('Time limit in milliseconds').fill('soon')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('Write a whole number above 0').waitFor()
  expect(page.url()).not.toContain('run=run_')
})

it('the JSON of a form has the arguments of an example, of a link and of an earlier run', async (test) => {
  const example =
    '\n[inputs.name]\ntype = "string"\n\n[[examples]]\ndescription = "Grace"\nargs = { name = "Grace" }\n'
  const opened = await openConsole(test, {
    tree: prefixPaths('skills/greet', createActionSkill('demo.greet', { toml: example })),
    path: `${FORM}&args=${encodeURIComponent('{"name":"Linus"}')}`,
  })
  const { page } = opened
  expect(await page.getByLabel(/^name/).inputValue()).toBe('Linus')
  await page.getByText('JSON', { exact: true }).click()
  const json = page.getByLabel('All arguments as JSON')
  expect(JSON.parse(await json.inputValue())).toEqual({ name: 'Linus' })
  await page.getByRole('button', { name: 'Grace' }).click()
  await expect
    .poll(async () => JSON.parse(await json.inputValue()) as object)
    .toEqual({ name: 'Grace' })
  // A text that is being typed is not replaced.
  await json.fill('{"name":   "Ada"}')
  expect(await json.inputValue()).toBe('{"name":   "Ada"}')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('Hello, Ada').waitFor()
  const run = new URL(page.url()).searchParams.get('run') ?? ''
  expect(new URL(page.url()).searchParams.has('args')).toBe(false)
  await opened.open(`${FORM}&from=${run}`)
  await expect.poll(async () => await page.getByLabel(/^name/).inputValue()).toBe('Ada')
})

const BLOB_TOML = '\n[inputs.table]\ntype = "blob"\nrequired = true\n'

it('a file that is dropped is stored with its digest, and the run reads it', async (test) => {
  const code = 'def main(args):\n    return {"table": args["table"]}\n'
  const { page } = await openConsole(test, {
    tree: {
      ...prefixPaths('skills/greet', createActionSkill('demo.greet', { toml: BLOB_TOML })),
      'skills/greet/code/main.py': code,
    },
    path: FORM,
  })
  await page.getByPlaceholder('Drop a file here').waitFor()
  const content = 'day,count\n1,2\n'.repeat(100_000)
  await page.evaluate(`
    const transfer = new DataTransfer()
    transfer.items.add(new File([${JSON.stringify(content)}], 'days.csv', { type: 'text/csv' }))
    const drop = new DragEvent('drop', { dataTransfer: transfer, bubbles: true })
    document.querySelector('.blob-field').dispatchEvent(drop)
  `)
  const digest = createHash('sha256').update(content).digest('hex')
  await page.getByText(`sha256:${digest}`).waitFor()
  await page.getByText('Stored days.csv').waitFor()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.locator('.run-panel').getByText('completed').waitFor()
})

it('only the last file of a field counts, and what was typed meanwhile stays', async (test) => {
  const toml = `\n[inputs.note]\ntype = "string"\n${BLOB_TOML}`
  const { page } = await openConsole(test, {
    tree: prefixPaths('skills/greet', createActionSkill('demo.greet', { toml })),
    path: FORM,
  })
  // The first upload waits until the second has ended.
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  let uploads = 0
  await page.route('**/blobs', async (route) => {
    uploads += 1
    if (uploads === 1) await held
    await route.continue()
  })
  const choose = async (name: string) => {
    const file = join(createFolder({ [name]: name }), name)
    await page.getByLabel('File for table').setInputFiles(file)
  }
  await choose('first.txt')
  await page.getByLabel(/^note/).fill('typed meanwhile')
  await choose('second.txt')
  await page.getByText('Stored second.txt').waitFor()
  const id = await page.getByPlaceholder('Drop a file here').inputValue()
  const answered = page.waitForResponse('**/blobs')
  release()
  await answered
  expect(await page.getByPlaceholder('Drop a file here').inputValue()).toBe(id)
  expect(await page.getByLabel(/^note/).inputValue()).toBe('typed meanwhile')
  await page.getByText('Stored second.txt').waitFor()
})

it('the upload of a file shows how much of it was sent', async (test) => {
  const server = await startTestServer({
    tree: prefixPaths('skills/greet', createActionSkill('demo.greet', { toml: BLOB_TOML })),
  })
  const { page } = await openConsole(test, { server, path: FORM })
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  const rate = 2_000_000
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: rate,
    uploadThroughput: rate,
  })
  const file = join(createFolder({}), 'large.bin')
  writeFileSync(file, Buffer.alloc(3_000_000))
  await page.getByLabel('File for table').setInputFiles(file)
  const progress = page.getByRole('progressbar', { name: 'Sending large.bin' })
  await progress.waitFor()
  await expect
    .poll(async () => Number(await progress.getAttribute('value').catch(() => '0')), {
      interval: 20,
    })
    .toBeGreaterThan(0)
  await page.getByText('Stored large.bin').waitFor()
})

it('the list shows findings and the last runs of each skill', async (test) => {
  const server = await startTestServer({
    tree: {
      ...GREET,
      'skills/greet/SKILL.md': '---\nname: demo.greet\ndescription: x\n---\n[gone](missing.md)\n',
    },
    settings: { 'run.warm': false },
  })
  const opened = await openConsole(test, { server })
  const { page } = opened
  const row = page.locator('.skill-row')
  await row.getByText(/\d errors?/).waitFor()
  expect(await row.getByText('completed').count()).toBe(0)
  const ran = await server.result('execute_skill', { name: 'demo.greet', args: { name: 'Ada' } })
  expect(ran['status']).toBe('completed')
  await row.getByText('completed').waitFor()
  await opened.checkAccessibility()
  await opened.screenshot('skills-findings')
  await row.getByText(/\d errors?/).click()
  await page.getByRole('tab', { name: 'Findings', selected: true }).waitFor()
})

it('a finding shows what its fix changes', async (test) => {
  const body =
    '---\nname: demo.greet\ndescription: Greets a person by name.\n---\n# demo.greet\n\nText\u200B\n'
  const opened = await openConsole(test, {
    tree: { ...GREET, 'skills/greet/SKILL.md': body },
    path: '/skills/demo.greet%400.1.0?tab=findings',
  })
  const { page } = opened
  await page.getByText('skills lint --fix', { exact: false }).first().click()
  await page.locator('.diff .added').first().waitFor()
  await opened.checkAccessibility()
  await opened.screenshot('skill-findings-fix')
})
