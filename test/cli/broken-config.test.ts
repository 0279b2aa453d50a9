import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSearchPath } from '../helpers/machine.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

interface DoctorReport {
  ok: boolean
  checks: { id: string; ok: boolean; detail: string; fix: string | null }[]
}

describe('a broken configuration', () => {
  it('fails a check of the doctor, which continues', { tags: ['slow'] }, async () => {
    const cwd = createFolder({ 'skills.config.toml': '[run]\ntimeout = soon\n' })
    const env = { PATH: createSearchPath() }
    const { code, json } = await runSkills(['doctor', '--json'], { cwd, env })
    const { ok, checks } = json() as unknown as DoctorReport
    expect({ code, ok }).toEqual({ code: 1, ok: false })
    const check = checks.find((each) => each.id === 'configuration')
    expect(check?.ok).toBe(false)
    expect(check?.detail).toContain('skills.config.toml:2:11: Invalid value at "soon"')
    expect(checks.find((each) => each.id === 'node')?.ok).toBe(true)
    expect(checks.length).toBeGreaterThan(5)
  })

  it('is reported by config next to the other layers', async () => {
    const home = createFolder({ '.config/skills/config.toml': '[run]\ntimeout = "7s"\n' })
    const cwd = createFolder({
      'skills.config.toml': '[rnu]\nx = 1\n[run]\nbackend = "vm"\npython = "/p"',
    })
    const env = { HOME: home, SKILLS_RUN_LIMITS_MEMORY: '1GiB' }
    const shown = await runSkills(['config'], { cwd, env, trusts: true })
    expect(shown.code).toBe(2)
    expect(shown.stdout).toMatch(/run\.timeout +7 s +user:/)
    expect(shown.stdout).toMatch(/run\.python +\/p +project:/)
    expect(shown.stdout).toMatch(/run\.limits\.memory +1 GiB +environment:/)
    expect(shown.stderr).toContain('skills.config.toml:1:2: Unknown setting "rnu"')
    expect(shown.stderr).toContain('Did you mean "run"?')
    expect(shown.stderr).toContain('"run.backend" is "vm", expected one of auto')
    const report = await runSkills(['config', '--json'], { cwd, env })
    const problems = report.json()['problems'] as { code: string; data: object }[]
    expect(problems.map((each) => each.code)).toEqual(['config/invalid', 'config/invalid'])
    expect(problems[0]?.data).toMatchObject({ line: 1, column: 2 })
  })

  it.each([
    [
      'redaction]\npatterns = ["(?=a)b"]',
      'The pattern "(?=a)b" of redaction.patterns cannot be used',
    ],
    [
      'run.network]\nallow_private = ["x y"]',
      'run.network.allow_private has "x y", expected a host',
    ],
  ])('with [%s fails before the first run', async (table, message) => {
    const cwd = createFolder({ 'skills.config.toml': `[${table}\n` })
    const shown = await runSkills(['config'], { cwd, trusts: true })
    expect(shown.code).toBe(2)
    expect(shown.stderr).toContain(`skills.config.toml:2: ${message}`)
    const served = await runSkills(['serve', '--port', '0'], { cwd, trusts: true })
    expect(served.code).toBe(2)
    expect(served.stderr).toContain(message)
  })

  it('gives scripts an error, not a default', async () => {
    const cwd = createFolder({ 'skills.config.toml': 'run = {\n' })
    const { code, stdout, stderr } = await runSkills(['config', 'run.timeout'], { cwd })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/skills\.config\.toml:\d+:\d+: /)
  })

  it.each([
    ['SKILLS_RUN_TIMEOUT', 'soon', 'SKILLS_RUN_TIMEOUT is "soon", expected a duration'],
    ['SKILLS_PATH', '/no/such/folder', 'The root "/no/such/folder" (SKILLS_PATH) is not a folder'],
  ])('may be caused by the variable %s', async (name, value, message) => {
    const { code, stdout, stderr } = await runSkills(['config'], { env: { [name]: value } })
    expect(code).toBe(2)
    expect(stdout).toContain('run.backend')
    expect(stderr).toContain(message)
  })

  it.each([
    ['is a folder', mkdirSync, "the user's configuration, is not a file"],
    ['is no text', undefined, 'the file of --config, is not UTF-8 text'],
  ])('that %s is reported in one sentence', async (_, make, why) => {
    const cwd = createFolder(make ? {} : { 'c.toml': new Uint8Array([0xff, 0xfe, 0x00, 0xc3]) })
    const home = createFolder({ '.config/skills/x': '' })
    const file = make ? join(home, '.config/skills/config.toml') : join(cwd, 'c.toml')
    make?.(file)
    const argv = make ? ['list'] : ['list', '--config', file]
    const { code, stderr } = await runSkills(argv, { cwd, env: { HOME: home } })
    expect(code).toBe(2)
    expect(stderr).toContain(`"${file}", ${why}`)
    expect(stderr).toContain('--no-config')
  })

  it.runIf(process.getuid?.() !== 0)(
    'that is unreadable is reported in one sentence (needs an ordinary user: root may read all)',
    async () => {
      const cwd = createFolder({ 'skills.config.toml': '' })
      chmodSync(join(cwd, 'skills.config.toml'), 0)
      const { code, stderr } = await runSkills(['list'], { cwd })
      expect(code).toBe(2)
      expect(stderr).toContain('EACCES')
    },
  )

  it('gets a suggestion for a misspelt variable', async () => {
    const { code, stderr } = await runSkills(['list'], { env: { SKILLS_RUN_TIMEUOT: '5s' } })
    expect(code).toBe(0)
    expect(stderr).toContain(
      'No setting is named SKILLS_RUN_TIMEUOT; did you mean SKILLS_RUN_TIMEOUT?',
    )
  })
})

describe('a command in a project folder', () => {
  it('finds the skills of the project without a configuration file', async () => {
    const cwd = createFolder()
    await runSkills(['new', 'demo.hello', '--yes'], { cwd })
    const below = join(cwd, 'src/deep')
    mkdirSync(below, { recursive: true })
    expect((await runSkills(['list'], { cwd: below })).stdout).toContain('demo.hello')
    const lint = await runSkills(['lint', '--json'], { cwd: below })
    expect(lint.json()['summary']).toMatchObject({ skills: 1 })
    expect((await runSkills(['describe', 'demo.hello'], { cwd: below })).code).toBe(0)
  })

  it('writes new skills where other commands look for them', async () => {
    const cwd = createFolder({ 'skills.config.toml': '', 'src/x.txt': '' })
    const created = await runSkills(['new', 'demo.hello', '--yes'], { cwd: join(cwd, 'src') })
    expect(created.stdout).toContain('Wrote demo.hello to ../skills/hello')
    expect((await runSkills(['list'], { cwd: join(cwd, 'src') })).stdout).toContain('demo.hello')
  })
})

describe('rules in the configuration', () => {
  it.each([
    ['[lint.rules]\n"schema/invalid-versoin" = "off"\n', 'schema/invalid-version'],
    ['[lint.rules]\nnamnig = "off"\n', 'naming'],
    ['[[lint.overrides]]\nfiles = ["x"]\nrules = { hygeine = "off" }\n', 'hygiene'],
  ])('that do not exist are reported with their location: %j', async (text, meant) => {
    const cwd = createFolder({ 'skills.config.toml': text })
    const { code, stderr } = await runSkills(['lint'], { cwd })
    expect(code).toBe(2)
    expect(stderr).toMatch(/skills\.config\.toml:\d+: ".*" is not a rule/)
    expect(stderr).toContain(`Did you mean "${meant}"?`)
  })
})
