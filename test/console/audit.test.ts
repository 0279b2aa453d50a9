// @module-tag slow
// @module-tag nightly
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openAuditLog } from '../../src/core/audit/audit-log.ts'
import { createEntry } from '../core/audit/entries.ts'
import { startTestServer } from '../helpers/server.ts'
import { openConsole } from './open-console.ts'
import { createTokens, READER, runGreet, SKILL } from './operate-fixture.ts'

/** A server whose log has these records besides those of its runs. */
async function startWithLog(count: number, change: (at: number) => object = () => ({})) {
  const server = await startTestServer({ tree: SKILL, settings: { 'run.warm': false } })
  const dir = join(server.runtime.config.directories.data, 'audit')
  const log = openAuditLog(dir, { maxFileBytes: 1024 ** 2 })
  for (let at = 0; at < count; at++) await log.append(createEntry(change(at)), { durable: false })
  return { server, dir }
}

it('the audit page verifies the chain and shows records with their details', async (test) => {
  const { server } = await startWithLog(0)
  await runGreet(server.url, ['Ada', 'Bob'])
  const { page, checkAccessibility, screenshot } = await openConsole(test, {
    server,
    path: '/audit',
  })
  await page.getByText('intact, 4 records').waitFor()
  const rows = page.locator('.audit-row')
  expect(await rows.count()).toBe(2)
  await rows.first().click()
  await page.getByRole('heading', { name: /Record 4/ }).waitFor()
  expect(new URL(page.url()).search).toBe('?seq=4')
  expect(
    await page.getByRole('link', { name: 'The run', exact: true }).getAttribute('href'),
  ).toMatch(/runs\/run_/)
  await checkAccessibility()
  await screenshot('audit')
  await page.keyboard.press('j')
  await page.getByRole('heading', { name: /Record 2/ }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Choose a record').waitFor()
})

it('a changed record is named, with the place in its file', async (test) => {
  const { server, dir } = await startWithLog(3)
  const [name = ''] = readdirSync(dir).filter((each) => each.endsWith('.jsonl'))
  const text = readFileSync(join(dir, name), 'utf8')
  writeFileSync(join(dir, name), text.replace('"alice"', '"alisa"'))
  const { page, checkAccessibility, screenshot } = await openConsole(test, {
    server,
    path: '/audit',
  })
  await page.getByText('not intact, 3 records').waitFor()
  const problems = page.getByRole('list', { name: 'Problems of the chain' })
  expect(await problems.innerText()).toContain(`${name}:1`)
  await checkAccessibility()
  await screenshot('audit-broken')
})

it('filters are part of the address, and a filter without matches can be removed', async (test) => {
  const { server } = await startWithLog(4, (at) => ({
    who: { door: 'http', caller: at === 1 ? 'guest' : 'ada' },
  }))
  const opened = await openConsole(test, { server, path: '/audit?caller=guest' })
  const { page, open, screenshot } = opened
  await page.getByText('1 record', { exact: true }).waitFor()
  await page.getByLabel('Caller').fill('nobody')
  await page.keyboard.press('Enter')
  await page.getByText('No record matches these filters.').waitFor()
  expect(new URL(page.url()).search).toBe('?caller=nobody')
  await screenshot('audit-no-match')
  await page.getByRole('button', { name: 'Remove the filters' }).click()
  await page.getByText('4 records', { exact: true }).waitFor()
  await open('/audit?since=soon')
  await page.getByText('Write 2h, 2026-11-27').waitFor()
  expect(await page.getByLabel('Since').getAttribute('aria-invalid')).toBe('true')
})

it('a log of 10,000 records scrolls to its oldest, with few rows in the page', async (test) => {
  const { server } = await startWithLog(10_000, (at) => ({
    run_id: `run_${String(at).padStart(24, '0')}`,
  }))
  const { page } = await openConsole(test, { server, path: '/audit' })
  await page.getByText('200 records so far').waitFor()
  const list = page.getByRole('region', { name: 'Records' })
  for (let loaded = 200; loaded < 1000; loaded += 200) {
    await list.evaluate((element: { scrollTop: number; scrollHeight: number }) => {
      element.scrollTop = element.scrollHeight
    })
    await page.getByText(`${(loaded + 200).toLocaleString('en')} records so far`).waitFor()
  }
  expect(await page.locator('.audit-row').count()).toBeLessThan(100)
  expect(await page.locator('.audit-row').last().innerText()).toContain('execute python')
})

it('an export has the unchanged lines of the log, and a table for spreadsheets', async (test) => {
  const { server, dir } = await startWithLog(3, (at) => ({
    who: { door: 'http', caller: at === 0 ? '=cmd()' : 'ada' },
  }))
  const { page } = await openConsole(test, { server, path: '/audit' })
  const save = async (name: string) => {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name }).click()
    return readFileSync(await (await download).path(), 'utf8')
  }
  const [name = ''] = readdirSync(dir).filter((each) => each.endsWith('.jsonl'))
  expect(await save('Export JSONL')).toBe(readFileSync(join(dir, name), 'utf8'))
  const table = (await save('Export CSV')).trim().split('\r\n')
  expect(table).toHaveLength(4)
  expect(table[0]).toMatch(/^seq,time,event,outcome,/)
  expect(table[1]).toContain(",'=cmd(),")
})

it('new records appear, also an end in the place of its beginning', async (test) => {
  const { server } = await startWithLog(0)
  const { page } = await openConsole(test, { server, path: '/audit' })
  await page.getByText('The log is empty').waitFor()
  await runGreet(server.url, ['Ada'])
  await page.locator('.audit-row').getByText('completed').waitFor()
  expect(await page.locator('.audit-row').count()).toBe(1)
})

it('a token without the scope "operate" sees no record, and learns which scope it lacks', async (test) => {
  const opened = await openConsole(test, { tokens: createTokens(), allowedProblems: /401|403/ })
  const { page, checkAccessibility, screenshot } = opened
  await page.getByLabel(/token/i).fill(READER)
  await page.getByRole('button', { name: 'Open the console' }).click()
  await page.getByRole('link', { name: 'Audit' }).click()
  await page
    .getByText('This token may not see the audit log: it lacks the scope "operate".')
    .waitFor()
  expect(await page.getByRole('button', { name: /Export/ }).count()).toBe(0)
  await checkAccessibility()
  await screenshot('audit-refused')
})

it('the last records stay in view while the server is gone', async (test) => {
  const { server } = await startWithLog(2)
  const { page, screenshot } = await openConsole(test, {
    server,
    path: '/audit',
    allowedProblems: /ERR_|failed request/,
  })
  await page.locator('.audit-row').first().waitFor()
  await server.stop()
  await page.getByText('The server does not answer').first().waitFor()
  expect(await page.locator('.audit-row').count()).toBe(2)
  await screenshot('audit-gone')
})
