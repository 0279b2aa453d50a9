// @module-tag slow
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createExampleToml, EXAMPLE_SKILL } from '../../src/core/lint/example-skill.ts'
import { createFolder, runSkills, type Tree } from '../helpers/skills.ts'

const BAD_TOML = createExampleToml({ version: '"1.0"', tgas: '["demo"]' })
const FILE = 'lint-baseline.json'

interface BaselineFile {
  findings: { path: string; rule: string; fingerprint: string; count: number }[]
}

/** A project with two skills, the first with findings. */
function createProject(changes: Tree = { 'skill.toml': BAD_TOML }) {
  const other = createExampleToml({ name: '"demo.other"', surplus: '1' })
  const greet = Object.entries({ ...EXAMPLE_SKILL, ...changes })
  const cwd = createFolder({
    ...Object.fromEntries(greet.map(([path, text]) => [`skills/greet/${path}`, text])),
    'skills/other/skill.toml': other,
    'skills/other/SKILL.md': (EXAMPLE_SKILL['SKILL.md'] as string)
      .replace('name: greet', 'name: other')
      .replace('demo.greet', 'demo.other'),
    'skills/other/code/main.py': EXAMPLE_SKILL['code/main.py'] as string,
    'skills/other/tests/greet.test.toml': EXAMPLE_SKILL['tests/greet.test.toml'] as string,
  })
  const lint = (...args: string[]) => runSkills(['lint', '--baseline', FILE, ...args], { cwd })
  const read = () => readFileSync(join(cwd, FILE), 'utf8')
  const readEntries = () => (JSON.parse(read()) as BaselineFile).findings
  const save = (path: string, text: string) => writeFileSync(join(cwd, 'skills/greet', path), text)
  return { cwd, lint, read, readEntries, save }
}

describe('skills lint --baseline', () => {
  it('omits the findings that --write-baseline accepted, also when lines move', async () => {
    const { lint, readEntries, save } = createProject()
    const written = await lint('--write-baseline')
    expect(written).toMatchObject({ code: 0, stdout: 'No problems, 2 skills checked\n' })
    expect(written.stderr).toContain(`Wrote 3 findings to ${FILE}`)
    expect(readEntries().map(({ rule, path }) => [rule, path])).toEqual([
      ['schema/invalid-version', 'skills/greet/skill.toml'],
      ['schema/unknown-key', 'skills/greet/skill.toml'],
      ['schema/unknown-key', 'skills/other/skill.toml'],
    ])
    save('skill.toml', `# moved\n\n${BAD_TOML}`)
    const moved = await lint()
    expect(moved).toMatchObject({ code: 0, stdout: 'No problems, 2 skills checked\n', stderr: '' })
  })

  it('reports new findings, also a second equal one', async () => {
    const link = '\n[x](gone.md)\n'
    const text = `${EXAMPLE_SKILL['SKILL.md']}${link}`
    const { lint, save } = createProject({ 'SKILL.md': text })
    await lint('--write-baseline')
    save('SKILL.md', `${text}${link}`)
    const second = await lint('--json')
    expect(second.code).toBe(1)
    expect(second.json()).toMatchObject({ findings: [{ rule: 'docs/broken-link' }] })
    save('SKILL.md', text.replace('[x](gone.md)', '[x](lost.md)'))
    const changed = await lint('--format', 'concise')
    expect(changed.code).toBe(1)
    expect(changed.stderr).toContain('1 finding of the baseline no longer exists')
  })

  it('reports fixed findings, which --update-baseline removes without adding others', async () => {
    const { lint, readEntries, save } = createProject()
    await lint('--write-baseline')
    save('skill.toml', createExampleToml({ version: '"1.0"', surplus: '2' }))
    const done = await lint()
    expect(done.code).toBe(1)
    expect(done.stderr).toContain(
      `1 finding of the baseline no longer exists; to update it, type: skills lint --baseline ${FILE} --update-baseline`,
    )
    const updated = await lint('--update-baseline')
    expect(updated.code).toBe(1)
    expect(updated.stderr).toContain(`Removed 1 finding from ${FILE}`)
    expect(readEntries()).toHaveLength(2)
    expect((await lint()).stderr).not.toContain('no longer')
  })

  it('keeps entries of skills and rules that a run does not check', async () => {
    const { cwd, lint, readEntries } = createProject()
    await lint('--write-baseline')
    expect((await lint('skills/other')).stderr).toBe('')
    expect((await lint('--select', 'hygiene')).stderr).toBe('')
    await lint('--write-baseline', '--ignore', 'schema', 'skills/greet')
    expect(readEntries()).toHaveLength(3)
    rmSync(join(cwd, 'skills/other'), { recursive: true })
    expect((await lint()).stderr).toContain('1 finding of the baseline no longer exists')
  })

  it('works from other folders, and as a setting', async () => {
    const { cwd, lint } = createProject()
    await lint('--write-baseline')
    writeFileSync(join(cwd, 'skills.config.toml'), `[lint]\nbaseline = "${FILE}"\n`)
    for (const at of ['.', 'skills', 'skills/greet']) {
      const done = await runSkills(['lint', '--json'], { cwd: join(cwd, at) })
      expect(done, at).toMatchObject({ code: 0, stderr: '' })
    }
  })

  it('contains neither secrets nor digests that identify them', async () => {
    const project = (secret: string) =>
      createProject({
        'code/main.py': `TOKEN = "${secret}"  \n\n\ndef main(args):\n    return {"who": args.get("who"), "n": len(TOKEN)}\n`,
      })
    const [first, second] = [project('q8Zr2Lw9Xk4Tn7Vb1Ym6'), project('q8Zr7Pd3Hs5Gf2Jc9Ke4')]
    await first.lint('--write-baseline')
    await second.lint('--write-baseline')
    expect(first.readEntries().map(({ rule }) => rule)).toEqual(
      expect.arrayContaining(['permissions/secret-literal', 'hygiene/trailing-whitespace']),
    )
    expect(first.read()).not.toContain('q8Zr')
    expect(first.read()).toBe(second.read())
  })

  it.each([
    [['--baseline', 'gone.json'], 'The baseline "gone.json" does not exist'],
    [['--baseline', 'skills/greet/skill.toml'], 'is not a baseline of skills lint'],
    [['--write-baseline'], '--write-baseline needs the name of the baseline'],
    [['--update-baseline'], '--update-baseline needs the name of the baseline'],
    [
      ['--baseline', 'a/b.json', '--write-baseline'],
      'Cannot write the baseline "a/b.json" (ENOENT)',
    ],
    [['--baseline', 'x', '--write-baseline', '--update-baseline'], 'got both'],
  ])('%j is an error with advice', async (args, message) => {
    const { cwd } = createProject()
    const done = await runSkills(['lint', ...args], { cwd })
    expect([2, 3]).toContain(done.code)
    expect(done.stderr).toContain(message)
    expect(done.stderr).toContain('→')
  })
})
