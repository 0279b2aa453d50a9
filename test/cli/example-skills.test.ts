import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFolder, runSkills } from '../helpers/skills.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const EXAMPLES = ['greet', 'csv-summary', 'bar-chart', 'sales-report', 'github-issues']

/** argv of the first shell example in a skill's SKILL.md. */
function exampleOf(name: string): string[] {
  const text = readFileSync(join(ROOT, 'skills', name, 'SKILL.md'), 'utf8')
  const line = /```sh\nskills (.+)\n```/.exec(text)?.[1] ?? ''
  return (line.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''))
}

describe('the example skills', () => {
  it('are all the skills next to the guide', () => {
    const folders = readdirSync(join(ROOT, 'skills'))
    expect(folders.sort()).toEqual([...EXAMPLES, 'skills-protocol-guide'].sort())
  })

  it('have no findings, notices included', async () => {
    const ran = await runSkills(['lint', ...EXAMPLES.map((name) => `skills/${name}`), '--json'], {
      cwd: ROOT,
    })
    expect(ran.json()).toMatchObject({ findings: [] })
    expect(ran.code).toBe(0)
  })

  it('are found in the folder of this project, and offered nowhere else', async () => {
    const names = async (cwd: string) =>
      ((await runSkills(['list', '--json'], { cwd })).json()['skills'] as { name: string }[])
        .map(({ name }) => name)
        .filter((name) => name.startsWith('examples.'))
    expect(await names(ROOT)).toHaveLength(EXAMPLES.length)
    expect(await names(createFolder())).toEqual([])
  })
})

describe('the documented call of', () => {
  const call = async (name: string, more: readonly string[] = []) => {
    const ran = await runSkills([...exampleOf(name), ...more, '--json'], { cwd: ROOT })
    return ran.json()
  }

  it('greet works', async () => {
    expect(await call('greet')).toMatchObject({
      status: 'completed',
      output: { greeting: 'Hallo, World!' },
      logs_preview: '[info] Greeting in de\n',
    })
  })

  it('bar-chart works', async () => {
    const { output } = (await call('bar-chart')) as { output: { chart: string } }
    expect(output.chart).toMatch(/^Revenue\nnorth {2}█+ 243\nsouth {2}█+ 434\.5$/)
  })

  it('csv-summary works and reports the content of each column', async () => {
    const out = createFolder()
    const ran = (await call('csv-summary', ['--out', out])) as {
      output: { rows: number; report: string }
      saved: string[]
    }
    expect(ran.output.rows).toBe(8)
    const report = JSON.parse(readFileSync(ran.saved[0] ?? '', 'utf8')) as { columns: object[] }
    expect(report.columns[3]).toEqual({
      name: 'units',
      filled: 7,
      empty: 1,
      type: 'number',
      minimum: 5,
      maximum: 30,
      sum: 107,
      mean: 15.285714,
    })
    expect(report.columns[1]).toMatchObject({
      distinct: 3,
      common: { north: 3, south: 3, west: 2 },
    })
  })

  it('sales-report composes two skills', async () => {
    const argv = exampleOf('sales-report')
    argv[argv.indexOf('reports')] = createFolder()
    const { output, saved } = (await runSkills([...argv, '--json'], { cwd: ROOT })).json() as {
      output: Record<string, unknown>
      saved: string[]
    }
    expect(output).toMatchObject({
      summary: 'south leads with 434.5 of revenue, 53 % of all',
      leader: 'south',
    })
    const [report = '', image = ''] = saved
    expect(readFileSync(report, 'utf8')).toContain(String(output['chart']))
    expect(readFileSync(image, 'utf8')).toMatch(/^<svg [\s\S]+<\/svg>\n$/)
  })

  it('github-issues fails without --allow-network and explains why', async () => {
    const argv = exampleOf('github-issues').filter((word) => word !== '--allow-network')
    const ran = await runSkills(argv, { cwd: ROOT, env: { GITHUB_TOKEN: 'ghp_unused' } })
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain('This run has no network')
    expect(ran.stderr).toContain('failed: GitHubError: Cannot reach GitHub')
  })
})

describe('github-issues with access to a test server', () => {
  const token = 'ghp_0123456789abcdef'
  const ISSUES = [
    { number: 7, title: 'Crash at start', comments: 12, labels: [{ name: 'bug' }] },
    { number: 8, title: 'A change', comments: 3, labels: [], pull_request: {} },
  ]

  /** A copy of the skill that lists one of two servers, and the requests that both received. */
  async function place() {
    const seen: { url: string; authorization: string | undefined }[] = []
    const serve = async () =>
      await listen((request, response) => {
        seen.push({ url: request.url ?? '', authorization: request.headers.authorization })
        response.setHeader('content-type', 'application/json').end(JSON.stringify(ISSUES))
      })
    const [listed, other] = [await serve(), await serve()]
    const cwd = createFolder()
    cpSync(join(ROOT, 'skills/github-issues'), join(cwd, 'issues'), { recursive: true })
    const toml = join(cwd, 'issues/skill.toml')
    const text = readFileSync(toml, 'utf8')
      .replace(/^network = .*$/m, `network = ["${listed}"]`)
      // The value of a secret with hosts is put into https requests only.
      .replace(/^GITHUB_TOKEN = .*$/m, 'GITHUB_TOKEN = {}')
    writeFileSync(toml, text)
    const run = async (argv: readonly string[], allowed = '127.0.0.1') =>
      await runSkills(['exec', './issues', '--arg', 'repository=octocat/hello-world', ...argv], {
        cwd,
        env: { GITHUB_TOKEN: token, SKILLS_RUN_NETWORK_ALLOW_PRIVATE: allowed },
      })
    return { seen, listed, other, run }
  }

  it('sends the secret there and shows it nowhere', async () => {
    const { seen, listed, run } = await place()
    const argv = ['--arg', `api=${listed}`, '--secret', 'GITHUB_TOKEN', '--allow-network']
    const ran = await run(argv)
    expect({ code: ran.code, stderr: ran.code === 0 ? '' : ran.stderr }).toEqual({
      code: 0,
      stderr: '',
    })
    expect(ran.json()).toEqual({
      summary: '1 open issue in octocat/hello-world',
      issues: [{ number: 7, title: 'Crash at start', comments: 12, labels: ['bug'] }],
    })
    expect(seen).toEqual([
      {
        url: '/repos/octocat/hello-world/issues?state=open&sort=comments&per_page=20',
        authorization: `Bearer ${token}`,
      },
    ])
    expect(ran.stdout + ran.stderr).not.toContain(token)
    expect(ran.stderr).toContain('Network allowed')
  })

  it('works without the secret and reports that', async () => {
    const { seen, listed, run } = await place()
    const ran = await run(['--arg', `api=${listed}`, '--allow-network'])
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('GITHUB_TOKEN is not configured')
    expect(seen[0]?.authorization).toBeUndefined()
  })

  it('reaches no server outside its list', async () => {
    const { seen, other, run } = await place()
    const ran = await run(['--arg', `api=${other}`, '--allow-network'])
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain('Network refused')
    expect(seen).toEqual([])
  })

  it('reaches no local address without permission of the operator', async () => {
    const { seen, listed, run } = await place()
    const ran = await run(['--arg', `api=${listed}`, '--allow-network'], '10.1.2.3')
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain('Network refused (loopback-address)')
    expect(seen).toEqual([])
  })

  it('has no network without permission', async () => {
    const { seen, listed, run } = await place()
    const ran = await run(['--arg', `api=${listed}`])
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain('This run has no network')
    expect(seen).toEqual([])
  })
})

/** Starts a server on a free local port; returns the start of its URL. */
async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('an example skill reports an error in', () => {
  it.each([
    ['csv-summary', '', 'The table is empty: expected a header line'],
    ['csv-summary', 'a,a\n1,2\n', 'Two columns have the same name'],
  ])('the table of %s %j', async (name, table, message) => {
    const argv = ['exec', `./skills/${name}`, '--blob', 'table=-', '--json']
    const ran = await runSkills(argv, { cwd: ROOT, stdin: table })
    expect(ran.json()).toMatchObject({ error: { type: 'ValueError', message } })
  })

  it.each([
    ['bar-chart', { values: {} }, 'Expected 1 to 100 values, got 0'],
    ['bar-chart', { values: { a: -1 } }, 'a number of at least 0'],
    ['github-issues', { repository: 'a/b', limit: 0 }, 'Expected 1 to 100 for limit'],
    ['github-issues', { repository: 'x' }, 'Expected owner/name'],
    ['github-issues', { repository: 'a/..' }, 'Expected owner/name'],
    ['github-issues', { repository: '../a' }, 'Expected owner/name'],
  ])('the arguments of %s %j', async (name, args, message) => {
    const argv = ['exec', `./skills/${name}`, '--args', JSON.stringify(args), '--json']
    const { error } = (await runSkills(argv, { cwd: ROOT })).json() as {
      error: { message: string }
    }
    expect(error.message).toContain(message)
  })
})
