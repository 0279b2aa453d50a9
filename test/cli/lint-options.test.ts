import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EXAMPLE_SKILL, createExampleToml } from '../../src/core/lint/example-skill.ts'
import { RULES } from '../../src/core/lint/rules/index.ts'
import { createFolder, runSkills, type Tree } from '../helpers/skills.ts'

const BAD = { 'skill.toml': createExampleToml({ version: '"1.0"', tgas: '["demo"]' }) }
const NO_PYTHON = { SKILLS_RUN_PYTHON: '/nonexistent/python' }

function project(changes: Tree = {}, other: Tree = {}): string {
  const files = Object.entries({ ...EXAMPLE_SKILL, ...changes })
  return createFolder({
    ...other,
    ...Object.fromEntries(files.map(([path, text]) => [`skills/greet/${path}`, text])),
  })
}

describe('skills lint --quiet', () => {
  it('shows errors only, while warnings still set the exit code', async () => {
    const done = await runSkills(['lint', '--quiet', '--format', 'concise'], { cwd: project(BAD) })
    expect(done.stdout).toContain('schema/invalid-version')
    expect(done.stdout).not.toContain('schema/unknown-key')
    const warned = project({ 'skill.toml': createExampleToml({ tgas: '["demo"]' }) })
    const only = await runSkills(['lint', '--quiet', '--json'], { cwd: warned })
    expect(only.code).toBe(1)
    expect(only.json()).toMatchObject({ findings: [], summary: { warnings: 1 } })
  })
})

describe('skills lint --skip-outside', () => {
  it('skips files outside skills and checks the rest', async () => {
    const cwd = project(BAD, { 'scripts/build.sh': 'true\n' })
    const paths = ['scripts/build.sh', 'skills/greet/code/main.py']
    expect((await runSkills(['lint', ...paths], { cwd })).code).toBe(2)
    const done = await runSkills(['lint', '--skip-outside', '--json', ...paths], { cwd })
    expect(done.json()).toMatchObject({ summary: { skills: 1, errors: 1 } })
    expect((await runSkills(['lint', '--skip-outside', paths[0] as string], { cwd })).code).toBe(0)
    expect((await runSkills(['lint', '--skip-outside', 'nope'], { cwd })).code).toBe(2)
  })
})

describe('skills lint --json', () => {
  it('contains the changes of --diff as one document', async () => {
    const cwd = project(BAD)
    const done = await runSkills(['lint', '--fix-unsafe', '--diff', '--json'], { cwd })
    expect(done.code).toBe(1)
    const { changes } = done.json() as { changes: { path: string; diff: string }[] }
    expect(changes).toHaveLength(1)
    expect(changes[0]).toMatchObject({ path: 'skills/greet/skill.toml' })
    expect(changes[0]?.diff).toContain('+version = "1.0.0"')
  })

  it('contains the fixed text of stdin', async () => {
    const args = ['lint', '--stdin', '--stdin-filename', 'skills/greet/skill.toml']
    const done = await runSkills([...args, '--fix-unsafe', '--json'], {
      cwd: project(),
      stdin: BAD['skill.toml'],
    })
    const { changes } = done.json() as { changes: { after: string }[] }
    expect(changes[0]?.after).toContain('version = "1.0.0"')
  })
})

describe('skills lint --diff', () => {
  it('reports findings without a fix, and the command that shows them', async () => {
    const cwd = project({ 'code/main.py': 'LIMIT = 1\n' })
    const done = await runSkills(['lint', '--diff', 'skills/greet'], { cwd })
    expect(done.code).toBe(1)
    expect(done.stdout).toBe('')
    expect(done.stderr).toMatch(
      /^\d+ findings? ha(s|ve) no fix; to see (it|them), type: skills lint skills\/greet$/m,
    )
  })

  it('reports the fixes that it withheld', async () => {
    const done = await runSkills(['lint', '--diff'], { cwd: project(BAD) })
    expect(done.stderr).toContain(
      '2 findings could change the meaning when fixed; type: skills lint --diff --fix-unsafe',
    )
    const all = await runSkills(['lint', '--diff', '--fix-unsafe'], { cwd: project(BAD) })
    expect(all.code).toBe(1)
    expect(all.stderr).toBe('')
  })
})

describe('skills lint --stdin', () => {
  it.each(['skill.toml', 'SKILL.md'])(
    'checks the %s of a folder that does not exist yet',
    async (name) => {
      const args = ['lint', '--stdin', '--stdin-filename', `skills/new/deep/${name}`]
      const stdin =
        name === 'SKILL.md' ? '---\nname: deep\n---\n' : 'name = "demo.deep"\nname = 1\n'
      const cwd = createFolder()
      const done = await runSkills([...args, '--json'], { cwd, stdin })
      expect(done.code).toBe(1)
      const { findings } = done.json() as { findings: { path: string }[] }
      expect(findings.map((each) => each.path)).toContain(`skills/new/deep/${name}`)
      expect(readdirSync(cwd)).toEqual([])
    },
  )

  it('rejects input larger than any checked file', async () => {
    const args = ['lint', '--stdin', '--stdin-filename', 'x/SKILL.md']
    const limit = 4 * 1024 ** 2
    const done = await runSkills(args, { stdin: Buffer.alloc(limit + 1, 'x') })
    expect(done).toMatchObject({ code: 2, stderr: expect.stringContaining(`${limit} bytes`) })
    expect((await runSkills(args, { stdin: Buffer.alloc(limit, 'x') })).stderr).not.toContain(
      'bytes',
    )
  })

  it('rejects input that is not text', async () => {
    const args = ['lint', '--stdin', '--stdin-filename', 'x/SKILL.md']
    const done = await runSkills(args, { stdin: Buffer.from([0xff, 0xfe, 0x00]) })
    expect(done.code).toBe(3)
    expect(done.stderr).toContain('Standard input is not UTF-8 text')
  })
})

describe('an incomplete lint run', () => {
  it.each(['pretty', 'concise', 'agent', 'junit'])(
    'is not reported as clean: %s',
    async (format) => {
      const done = await runSkills(['lint', '--format', format], { cwd: project(), env: NO_PYTHON })
      expect(done.code).toBe(3)
      expect(done.stdout).not.toMatch(/No problems|^ok |no findings/m)
      expect(done.stdout).toMatch(/could not check|not checked|Not everything was checked/)
      expect(done.stderr).toContain('rules that need it did not run')
    },
  )

  it('needs no Python if the rules that use it are off', async () => {
    const { stdout } = await runSkills(['rules', '--json'])
    const { rules } = JSON.parse(stdout) as { rules: { id: string; needs_python: boolean }[] }
    const off = rules
      .filter((rule) => rule.needs_python)
      .flatMap(({ id }) => ['--rule', `${id}=off`])
    const cwd = project()
    expect(existsSync(join(cwd, 'skills/greet/code/main.py'))).toBe(true)
    expect(await runSkills(['lint', ...off], { cwd, env: NO_PYTHON })).toMatchObject({ code: 0 })
  })
})

describe('inline suppressions', () => {
  it('are not found in prose that mentions the word', async () => {
    const text = `${EXAMPLE_SKILL['SKILL.md']}\n[x](gone.md)\n\nWrite skills-lint-disable in a comment, or # skills-lint-disable\n`
    const done = await runSkills(['lint', '--json'], { cwd: project({ 'SKILL.md': text }) })
    expect(done.stdout).toContain('docs/broken-link')
    const silenced = project({
      'SKILL.md': `${text}<!-- skills-lint-disable docs/broken-link -->\n`,
    })
    expect((await runSkills(['lint', '--json'], { cwd: silenced })).stdout).not.toContain(
      'docs/broken-link',
    )
  })
})

describe('skills lint --explain', () => {
  it('explains every rule in a page of readable size, as text and as JSON', async () => {
    const cwd = createFolder()
    for (const { id } of RULES) {
      const text = await runSkills(['lint', '--explain', id], { cwd })
      expect({ id, code: text.code, stderr: text.stderr }).toEqual({ id, code: 0, stderr: '' })
      expect(text.stdout.length, id).toBeLessThan(10_000)
      const document = await runSkills(['lint', '--explain', id, '--json'], { cwd })
      expect(document.json(), id).toMatchObject({ rule: { id } })
      expect(document.stdout.length, id).toBeLessThan(60_000)
    }
  }, 60_000)
})
