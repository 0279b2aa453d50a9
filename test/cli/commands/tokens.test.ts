import { describe, expect, it } from 'vitest'
import { TEST_SKILLS } from '../../helpers/agent.ts'
import { createFolder, writeTree, runSkills, type CliInvocation } from '../../helpers/skills.ts'

const tokens = async (argv: readonly string[] = [], at: CliInvocation = {}) =>
  await runSkills(['tokens', ...argv], { cwd: createFolder(TEST_SKILLS), ...at })

interface Report {
  skills: {
    name: string
    overview: number
    body: number
    docs: number
    total: number
    documents: object[]
  }[]
  totals: { total: number }
  ways: { start: number; one_skill: number; everything: number; saved: { everything: number } }
  skipped: object[]
  tokenizer: object
}

describe('skills tokens', () => {
  it('counts each layer of each skill', async () => {
    const report = (await tokens(['--json', 'skills'])).json() as unknown as Report
    expect(report.tokenizer).toEqual({
      encoding: 'o200k_base',
      approximate_for_other_vendors: true,
    })
    const demo = report.skills.find((each) => each.name === 'demo')
    // "- demo: Shows how it is done.\n" and "# Demo\nDEMO BODY" in the vocabulary o200k.
    expect(demo).toMatchObject({ overview: 9, body: 6 })
    expect(demo?.documents).toHaveLength(3)
    expect(demo?.total).toBe((demo?.overview ?? 0) + (demo?.body ?? 0) + (demo?.docs ?? 0))
    expect(report.skills.map((each) => each.name).sort()).toEqual(['demo', 'other', 'third'])
    expect(report.totals.total).toBe(report.skills.reduce((sum, each) => sum + each.total, 0))
    expect(report.ways.everything).toBe(report.totals.total)
    expect(report.ways.saved.everything).toBeCloseTo(
      1 - report.ways.one_skill / report.ways.everything,
    )
  })

  it('shows a table, with bars on a terminal', async () => {
    const piped = await tokens(['skills'])
    expect(piped.code).toBe(0)
    expect(piped.stdout).toMatch(/^Total {2}Overview {2}Body {2}Docs {2}Skill\n/)
    expect(piped.stdout).not.toContain('█')
    expect(piped.stderr).toContain('an approximation for models of other vendors')
    const terminal = await tokens(['skills'], {
      tty: true,
      env: { NO_COLOR: '1', HOME: createFolder() },
    })
    expect(terminal.stdout).toContain('█ overview  ▓ body  ░ docs')
    expect(terminal.stdout).not.toContain('\u001B[')
    expect((await tokens(['skills', '--chart', 'never'], { tty: true })).stdout).not.toContain('█')
  })

  it('fits into a terminal of any width', async () => {
    const cwd = createFolder(TEST_SKILLS)
    const name = 'a-name-that-is-longer-than-many-terminals-are-wide'
    writeTree(cwd, { [`skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: d\n---\nB` })
    for (const columns of [20, 40, 80, 200]) {
      const at = { cwd, columns, tty: true, env: { NO_COLOR: '1', HOME: createFolder() } }
      const { stdout } = await tokens(['skills'], at)
      const bars = stdout
        .split('\n')
        .filter((line) => /[█▓░]/.test(line) && !line.includes('overview'))
      expect(bars.length).toBeGreaterThan(3)
      for (const line of bars) expect(line.length).toBeLessThanOrEqual(columns)
    }
  })

  it('counts very long words, and reports uncountable files', async () => {
    const cwd = createFolder({
      'skills/odd/SKILL.md': `---\nname: odd\ndescription: d\n---\n${'a'.repeat(200_000)}<|endoftext|>`,
      'skills/odd/bytes.txt': new Uint8Array([0, 255]),
    })
    const report = (await tokens(['--json', 'skills'], { cwd })).json() as unknown as Report
    expect(report.skills[0]?.body).toBeGreaterThan(20_000)
    expect(report.skipped).toEqual([{ skill: 'odd', path: 'bytes.txt', reason: 'not a text file' }])
  })

  it('reports unreadable skills, in a given folder and in the current one', async () => {
    const cwd = createFolder({ ...TEST_SKILLS, 'skills/bad/SKILL.md': '---\nname: [x\n---\nhi' })
    for (const argv of [[], ['skills']]) {
      const { code, stdout, stderr } = await tokens(argv, { cwd })
      expect(code).toBe(0)
      expect(stdout).toContain('demo')
      expect(stderr).toContain('invalid ')
      expect(stderr).toContain('skills/bad/SKILL.md: ')
      const { problems } = (await tokens([...argv, '--json'], { cwd })).json() as {
        problems: object[]
      }
      expect(problems).not.toEqual([])
    }
    const only = await tokens(['skills/bad'], { cwd })
    expect(only).toMatchObject({ code: 0, stdout: '' })
    expect(only.stderr).toContain('No skill here is readable; type "skills lint"')
  })

  it('reports usage errors', async () => {
    expect(await tokens(['nope'])).toMatchObject({ code: 3, stdout: '' })
    expect((await tokens(['--encoding', 'x'])).code).toBe(2)
    expect((await tokens([createFolder()])).stderr).toContain('No skills found here')
  })
})
