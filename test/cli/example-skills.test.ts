import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { folder, skills } from '../helpers/skills.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const EXAMPLES = ['greet', 'csv-summary', 'bar-chart', 'sales-report', 'github-issues']

/** The words of the first shell example in a skill's SKILL.md. */
function exampleOf(name: string): string[] {
  const text = readFileSync(join(ROOT, 'skills', name, 'SKILL.md'), 'utf8')
  const line = /```sh\nskills (.+)\n```/.exec(text)?.[1] ?? ''
  return (line.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''))
}

describe('the example skills', () => {
  it('are all the skills that lie beside the guide', () => {
    const folders = readdirSync(join(ROOT, 'skills'))
    expect(folders.sort()).toEqual([...EXAMPLES, 'skills-protocol-guide'].sort())
  })

  it('have no finding, not even a remark', async () => {
    const ran = await skills(['lint', ...EXAMPLES.map((name) => `skills/${name}`), '--json'], {
      cwd: ROOT,
    })
    expect(ran.json()).toMatchObject({ findings: [] })
    expect(ran.code).toBe(0)
  })

  it('are found in the folder of this project, and offered nowhere else', async () => {
    const names = async (cwd: string) =>
      ((await skills(['list', '--json'], { cwd })).json()['skills'] as { name: string }[])
        .map(({ name }) => name)
        .filter((name) => name.startsWith('examples.'))
    expect(await names(ROOT)).toHaveLength(EXAMPLES.length)
    expect(await names(folder())).toEqual([])
  })
})

describe('the call in the documentation of', () => {
  const call = async (name: string, more: readonly string[] = []) => {
    const ran = await skills([...exampleOf(name), ...more, '--json'], { cwd: ROOT })
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

  it('csv-summary works, and its report says what is in each column', async () => {
    const out = folder()
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
    const words = exampleOf('sales-report')
    words[words.indexOf('reports')] = folder()
    const { output, saved } = (await skills([...words, '--json'], { cwd: ROOT })).json() as {
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

  it('github-issues reaches nothing without --allow-network, and says why', async () => {
    const words = exampleOf('github-issues').filter((word) => word !== '--allow-network')
    const ran = await skills(words, { cwd: ROOT, env: { GITHUB_TOKEN: 'ghp_unused' } })
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain('This run has no network')
    expect(ran.stderr).toContain('failed: GitHubError: Cannot reach GitHub')
  })
})

describe('an example skill says what is wrong with', () => {
  it.each([
    ['csv-summary', '', 'The table is empty: expected a header line'],
    ['csv-summary', 'a,a\n1,2\n', 'Two columns have the same name'],
  ])('the table of %s %j', async (name, table, message) => {
    const words = ['exec', `./skills/${name}`, '--blob', 'table=-', '--json']
    const ran = await skills(words, { cwd: ROOT, stdin: table })
    expect(ran.json()).toMatchObject({ error: { type: 'ValueError', message } })
  })

  it.each([
    ['bar-chart', { values: {} }, 'Expected 1 to 100 values, got 0'],
    ['bar-chart', { values: { a: -1 } }, 'not below zero'],
    ['github-issues', { repository: 'a/b', limit: 0 }, 'Expected 1 to 100 for limit'],
    ['github-issues', { repository: 'x' }, 'Expected owner/name'],
    ['github-issues', { repository: 'a/..' }, 'Expected owner/name'],
    ['github-issues', { repository: '../a' }, 'Expected owner/name'],
  ])('the arguments of %s %j', async (name, args, message) => {
    const words = ['exec', `./skills/${name}`, '--args', JSON.stringify(args), '--json']
    const { error } = (await skills(words, { cwd: ROOT })).json() as { error: { message: string } }
    expect(error.message).toContain(message)
  })
})
