// @module-tag slow
// @module-tag nightly
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { loadBuiltModulesInRunners } from '../helpers/runners.ts'
import { startTestServer } from '../helpers/server.ts'
import { openConsole, type OpenedConsole } from './open-console.ts'

loadBuiltModulesInRunners()

const CODE = `import time
from runtime import blobs, log

HTML = "<h1>Report</h1><script>parent.document.title = 'taken'</script>"
SVG = "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><rect width='9' height='9'/></svg>"
PAGE = "# Title\\n\\n<script>alert(1)</script>\\n\\n[x](javascript:alert(1))\\n"

def main(args):
    log.info("Greeting " + args["name"])
    if args["name"] == "slow":
        time.sleep(60)
    if args["name"] == "broken":
        raise ValueError("no such name")
    if args["name"] == "lines":
        for at in range(100_000):
            print("line", at)
        print("x" * 1_000_000)
        log.warning("the last one")
    if args["name"] == "blobs":
        stored = [
            blobs.write_text("city,people\\nRome,2800000\\n\\"a,b\\",1\\n", kind="text/csv"),
            blobs.write_json({"rows": [1, 2]}),
            blobs.write_text(HTML, kind="text/html"),
            blobs.write_text(SVG, kind="image/svg+xml"),
            blobs.write_text(PAGE, kind="text/markdown"),
        ]
        return {"blobs": [str(each) for each in stored]}
    return {"greeting": "Hello, " + args["name"]}
`

const TREE = prefixPaths('skills/greet', {
  ...createActionSkill('demo.greet', {
    toml: '\n[inputs.name]\ntype = "string"\nrequired = true\n',
  }),
  'code/main.py': CODE,
})

interface RunsConsole extends OpenedConsole {
  /** Performs a run, and returns its id. */
  run(name: string): Promise<string>
}

async function openRuns(test: Parameters<typeof openConsole>[0]): Promise<RunsConsole> {
  const opened = await openConsole(test, {
    tree: TREE,
    path: '/runs',
    settings: { 'run.limits.output': '8MiB' },
  })
  const call = async (method: string, params: object) => {
    const response = await fetch(`${opened.url}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return (await response.json()) as { result: Record<string, unknown> }
  }
  return {
    ...opened,
    async run(name) {
      const params = { name: 'demo.greet', args: { name }, detach: true }
      const { result } = await call('execute_skill', params)
      const runId = result['run_id'] as string
      if (name !== 'slow') await call('runs', { action: 'get', run_id: runId, wait_ms: 60_000 })
      return runId
    },
  }
}

it('a list without runs has the command that makes the first one', async (test) => {
  const opened = await openRuns(test)
  await opened.page.getByText('No run was recorded yet.').waitFor()
  await opened.checkAccessibility()
  await opened.screenshot('runs-empty')
})

it('runs appear in the list with their arguments, and filters are part of the address', async (test) => {
  const opened = await openRuns(test)
  const { page, run } = opened
  await page.getByText('No run was recorded yet.').waitFor()
  await run('Ada')
  await run('broken')
  await page.getByText('"name":"Ada"').waitFor()
  await page.getByText('"name":"broken"').waitFor()
  await opened.checkAccessibility()
  await opened.screenshot('runs')
  await page.getByLabel('Status').selectOption('failed')
  await expect.poll(async () => await page.locator('.run-row').count()).toBe(1)
  expect(page.url()).toContain('status=failed')
  await page.reload()
  await page.getByText('"name":"broken"').waitFor()
  await page.getByLabel('Search').fill('nothing of it')
  await page.getByRole('button', { name: 'Show all runs' }).click()
  await expect.poll(async () => await page.locator('.run-row').count()).toBe(2)
})

it('a run is opened by keys, and shows phases, logs, result, policy, limits and record', async (test) => {
  const opened = await openRuns(test)
  const { page, run } = opened
  await run('Ada')
  await page.getByText('"name":"Ada"').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'demo.greet@0.1.0' }).waitFor()
  await page.getByText('[info] Greeting Ada').waitFor()
  await page.getByRole('row', { name: /^channel/ }).waitFor()
  const views: [string, string | RegExp][] = [
    ['result', '"Hello, Ada"'],
    ['policy', 'Namespaces'],
    ['network', 'This run had no network.'],
    ['limits', 'run.limits.memory'],
    ['record', 'request:'],
  ]
  for (const [tab, text] of views) {
    await page.getByRole('tab', { name: new RegExp(`^${tab}`, 'i') }).click()
    await page.getByRole('tabpanel').getByText(text).first().waitFor()
    await opened.checkAccessibility()
    await opened.screenshot(`run-${tab}`)
  }
})

it('a failed run shows its error, and is run again with other arguments', async (test) => {
  const opened = await openRuns(test)
  const { page, run, open } = opened
  const id = await run('broken')
  await open(`/runs/${id}`)
  await page.getByText('ValueError: no such name', { exact: true }).waitFor()
  await opened.screenshot('run-failed')
  await page.getByRole('link', { name: 'Edit and run again' }).click()
  await expect.poll(async () => await page.getByLabel(/^name/).inputValue()).toBe('broken')
  await page.getByLabel(/^name/).fill('Grace')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Hello, Grace').waitFor()
  await open(`/runs/${id}`)
  await page.getByRole('button', { name: 'Run again' }).click()
  await page.waitForURL((url) => !url.href.includes(id))
  await page.getByText('ValueError: no such name', { exact: true }).waitFor()
})

it('a run that goes on is cancelled from its page', async (test) => {
  const { page, run, open } = await openRuns(test)
  await open(`/runs/${await run('slow')}`)
  await page.getByText('[info] Greeting slow').waitFor()
  await page.keyboard.press('Control+.')
  await page.locator('.facts').getByText('cancelled').waitFor()
})

it('a comparison without runs says how to choose them', async (test) => {
  const { page, open, screenshot } = await openRuns(test)
  await open('/compare')
  await page.getByText('Choose two runs in the list of runs').waitFor()
  await screenshot('compare-empty')
})

it('two runs are compared', async (test) => {
  const opened = await openRuns(test)
  const { page, run } = opened
  await run('Ada')
  await run('Grace')
  await page.getByText('"name":"Grace"').waitFor()
  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByText('2 chosen').waitFor()
  await page.getByRole('button', { name: 'Compare two chosen runs' }).click()
  await page.getByRole('cell', { name: '"Ada"', exact: true }).waitFor()
  await page.getByRole('cell', { name: '"Hello, Grace"', exact: true }).waitFor()
  await page.getByLabel('Show what is the same').check()
  await opened.checkAccessibility()
  await opened.screenshot('compare')
})

it('blobs are previewed, and nothing of them is executed', async (test) => {
  const opened = await openConsole(test, {
    tree: TREE,
    path: '/runs',
    // Chromium reports that the frame refuses scripts.
    allowedProblems:
      /Blocked script execution in 'blob:|policy violation: |Content Security Policy/,
  })
  const { page } = opened
  const response = await fetch(`${opened.url}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'execute_skill',
      params: { name: 'demo.greet', args: { name: 'blobs' } },
    }),
  })
  const { result } = (await response.json()) as { result: { run_id: string } }
  await opened.open(`/runs/${result.run_id}?tab=blobs`)
  const preview = async (kind: string) => {
    const row = page.getByRole('listitem').filter({ hasText: kind })
    await row.getByRole('button', { name: 'Preview' }).click()
  }
  await preview('text/csv')
  await page.getByRole('cell', { name: 'a,b', exact: true }).waitFor()
  await preview('application/json')
  await page.getByText('rows:').waitFor()
  await preview('image/svg+xml')
  await expect
    .poll(
      async () =>
        await page
          .locator('img.preview')
          .evaluate((image) => 'complete' in image && image.complete),
    )
    .toBe(true)
  await preview('text/markdown')
  await page.getByText('<script>alert(1)</script>').waitFor()
  expect(await page.getByRole('tabpanel').locator('a').count()).toBe(0)
  await opened.checkAccessibility()
  await preview('text/html')
  await page.frameLocator('iframe').getByRole('heading', { name: 'Report' }).waitFor()
  expect(await page.title()).not.toBe('taken')
  await opened.screenshot('run-blobs')
})

it('100,000 lines of logs are shown, searched and followed', async (test) => {
  const opened = await openRuns(test)
  const { page, run } = opened
  const id = await run('lines')
  await opened.open(`/runs/${id}`)
  await page.getByText(/^100\d{3} lines$/).waitFor()
  expect(await page.locator('.log-row').count()).toBeLessThan(100)
  await page.getByLabel('Search', { exact: true }).fill('line 99999')
  await page.getByText('1 of 10').waitFor()
  await page.getByLabel('Search', { exact: true }).fill('xxxx')
  await page.getByRole('button', { name: /more characters$/ }).click()
  await page.getByText('800000 further characters').waitFor()
  await page.getByLabel('Search', { exact: true }).fill('')
  await page.getByLabel('From level').selectOption('warning')
  await page.getByLabel('Follow').check()
  await page.getByText('[warning] the last one').waitFor()
  await opened.checkAccessibility()
  await opened.screenshot('run-logs')
})

it('attempts to reach the network are listed, with the reason of a refusal', async (test) => {
  const code = `import urllib.request

def main(args):
    for url in ("https://other.example.com/x", "http://169.254.169.254/latest"):
        try:
            urllib.request.urlopen(url, timeout=5)
        except Exception as error:
            print(error)
    return {"tried": 2}
`
  const server = await startTestServer({
    tree: prefixPaths('skills/greet', {
      ...createActionSkill('demo.greet', {
        toml: '\n[permissions]\nnetwork = ["https://api.example.com"]\n',
      }),
      'code/main.py': code,
    }),
    settings: { 'run.warm': false },
    allowNetwork: true,
  })
  const ran = await server.result('execute_skill', { name: 'demo.greet', args: {} })
  const opened = await openConsole(test, {
    server,
    path: `/runs/${String(ran['run_id'])}?tab=network`,
  })
  await opened.page
    .getByRole('cell', { name: /other\.example\.com/ })
    .first()
    .waitFor()
  await opened.checkAccessibility()
  await opened.screenshot('run-network-attempts')
})

it('a run is saved as one file that needs no server', async (test) => {
  const { page, run, open } = await openRuns(test)
  await open(`/runs/${await run('<b>Ada</b>')}`)
  await page.getByText('[info] Greeting').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as one file' }).click(),
  ])
  const text = readFileSync(await download.path(), 'utf8')
  expect(text).toContain('demo.greet@0.1.0')
  expect(text).toContain('&#60;b&#62;Ada')
  expect(text).not.toContain('<b>Ada')
})

it('a run that does not exist is a sentence', async (test) => {
  const { page, open, checkAccessibility, screenshot } = await openRuns(test)
  await open('/runs/run_00000000000000000000000000000000')
  await page.getByRole('alert').waitFor()
  await checkAccessibility()
  await screenshot('run-unknown')
})
