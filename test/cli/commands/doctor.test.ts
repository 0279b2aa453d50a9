import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { reportBackends } from '../../../src/core/doctor/backends.ts'
import { bubblewrapCheck } from '../../../src/core/doctor/checks/bubblewrap.ts'
import { findProgram } from '../../../src/util/find-program.ts'
import { once } from '../../../src/util/once.ts'
import { createMachine, createSearchPath, findSystemProgram } from '../../helpers/machine.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'

// One file starts many sandboxes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 300_000 })

interface Doctor {
  schema: string
  ok: boolean
  languages: { name: string; runs: boolean | null; problem: string | null }[]
  checks: { id: string; ok: boolean | null; detail: string; fix: string | null }[]
  backends: { name: string; ok: boolean; fix: string | null; promises: { tier: string } }[]
  installed: { ok: boolean; detail: string } | null
}

const BUBBLEWRAP = { SKILLS_RUN_BACKEND: 'bubblewrap' }

const bwrap = findProgram('bwrap', process.env['PATH'] ?? '')

async function doctor(argv: readonly string[], env: Record<string, string>) {
  const { code, json, stderr } = await runSkills(['doctor', '--json', ...argv], { env })
  const report = json() as unknown as Doctor
  return { code, stderr, report, of: (id: string) => report.checks.find((each) => each.id === id) }
}

const BROKEN_RUBY = `case "$*" in
  "-e print RbConfig.ruby") echo "$0";;
  --version) echo "ruby 9.9.9";;
  *) echo "this Ruby is broken" >&2; exit 7;;
esac
`

/** One run with all checks, on a machine with few languages and a shim of Python that counts its starts. */
const checkOnce = once(async () => {
  const starts = join(createFolder(), 'starts')
  const python3 = `echo start >> ${starts}\nexec ${findSystemProgram('python3')} "$@"\n`
  const checked = await doctor([], { PATH: createSearchPath({ python3, ruby: BROKEN_RUBY }) })
  return { ...checked, pythonStarts: readFileSync(starts, 'utf8') }
})

describe('skills doctor', () => {
  it('tries every isolation feature and every backend', async () => {
    const { code, report } = await checkOnce()
    expect(report.schema).toBe('skills.doctor/v1')
    const ids = ['user', 'mount', 'pid', 'network'].map((kind) => `namespace-${kind}`)
    const tried = [...ids, 'system-calls', 'keyring', 'disk-quota', 'sandbox', 'warm-runs']
    const failed = report.checks.filter(({ id, ok }) => tried.includes(id) && !ok)
    expect(failed).toEqual([])
    expect(report.checks.map(({ id }) => id)).toEqual(
      expect.arrayContaining([...tried, 'control-groups']),
    )
    expect(report.backends.map(({ name, promises }) => [name, promises.tier])).toEqual([
      ['namespaces', 'strict'],
      ['bubblewrap', 'strict'],
      ['container', 'strict'],
      ['process', 'none'],
    ])
    expect(report.backends[0]).toMatchObject({ ok: true, fix: null })
    expect({ code, ok: report.ok, installed: report.installed }).toEqual({
      code: 0,
      ok: true,
      installed: null,
    })
  })

  it('tries a program of each installed language in a sandbox', async () => {
    const { code, of, report } = await checkOnce()
    const runs = (name: string) => report.languages.find((each) => each.name === name)
    expect(runs('python')).toMatchObject({ runs: true, problem: null })
    expect(runs('shell')).toMatchObject({ runs: true, problem: null })
    expect(runs('ruby')).toMatchObject({
      runs: false,
      problem: 'exit code 7: this Ruby is broken',
    })
    expect(runs('elixir')).toMatchObject({ runs: null, problem: null })
    const { ok, detail } = of('languages') ?? {}
    expect(ok).toBe(false)
    expect(detail).toContain('ruby 9.9.9 does not run: exit code 7: this Ruby is broken')
    // Runs of skills do not need it.
    expect(code).toBe(0)
  })

  it('starts a shim of Python once for all checks', async () => {
    const { of, pythonStarts } = await checkOnce()
    expect(pythonStarts).toBe('start\n')
    expect(of('python')?.detail).toMatch(/^3\.\d+\.\d+ at \/usr\/bin\/python3/)
  })

  it('needs no bubblewrap', async () => {
    const { code, of } = await checkOnce()
    expect(code).toBe(0)
    expect(of('backend')?.detail).toMatch(/^namespaces: /)
    expect(of('bubblewrap')).toMatchObject({ ok: null, detail: 'not installed, and not needed' })
  })

  it('shows failed checks, and the weaknesses of each backend', async () => {
    const { code, stdout } = await runSkills(['doctor'], { env: { PATH: createFolder() } })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^✓ Node +v/)
    expect(stdout).toMatch(/✗ Python +"python3" was not found\n +→ Install Python 3.9 or newer/)
    expect(stdout).toMatch(/- Sandbox +not tried without Python\n/)
    expect(stdout).toMatch(/✓ process +No isolation/)
    expect(stdout).toMatch(/! bubblewrap +Namespaces/)
    expect(stdout).toMatch(/process +No isolation.*\n +does not isolate: files, network, processes/)
  })

  it('explains how to install bubblewrap if it is selected and missing', async () => {
    const PATH = createSearchPath({ 'apt-get': 'exit 0\n' })
    const { code, of, report } = await doctor([], { PATH, ...BUBBLEWRAP })
    expect(code).toBe(1)
    expect(of('bubblewrap')?.fix).toMatch(
      /^Type: skills doctor --fix, or: .*apt-get install -y bub/,
    )
    expect(of('namespace-pid')).toMatchObject({ ok: null, fix: null })
    expect(report.backends[2]?.fix).toContain('podman')
  })

  it('detects an outdated bubblewrap', async () => {
    const path = createSearchPath({ bwrap: 'echo "bubblewrap 0.4.0 --as-pid-1 --perms"\n' })
    const machine = await createMachine({ path, flags: { 'run.backend': 'bubblewrap' } })
    const { ok, detail, fix } = await bubblewrapCheck.run(machine)
    expect({ ok, fix }).toEqual({ ok: false, fix: 'Install bubblewrap 0.8 or newer' })
    expect(detail).toContain('does not support --disable-userns, --size')
  })

  it('tries an installed bubblewrap', { tags: ['slow', 'bubblewrap'] }, async () => {
    const machine = await createMachine()
    expect(await bubblewrapCheck.run(machine)).toMatchObject({
      ok: true,
      detail: expect.stringContaining('with every option') as string,
    })
    const report = (await reportBackends(machine)).find(({ name }) => name === 'bubblewrap')
    expect(report).toMatchObject({ ok: true })
  })

  // Another user needs a password for a package manager.
  it(
    'installs missing packages, also if updating package lists fails',
    { tags: ['slow', 'root', 'bubblewrap'] },
    async () => {
      const log = join(createFolder(), 'log')
      const PATH = createSearchPath({
        'apt-get': `echo "$@" >> ${log}\ncase $1 in\n  update) exit 100;;\n  install) ln -s ${bwrap} \${0%/*}/bwrap;;\nesac\n`,
      })
      const { code, of, report, stderr } = await doctor(['--fix'], { PATH, ...BUBBLEWRAP })
      expect(readFileSync(log, 'utf8')).toBe('--version\nupdate\ninstall -y bubblewrap\n')
      expect(report.installed).toEqual({ ok: true, detail: 'installed' })
      expect(of('sandbox')?.ok).toBe(true)
      expect(stderr).toContain('Running: apt-get install -y bubblewrap')
      expect(code).toBe(0)
    },
  )

  it('verifies the result of a package manager', { tags: ['root'] }, async () => {
    const PATH = createSearchPath({ python3: 'exit 1\n', 'apt-get': 'exit 0\n' })
    const { code, of, report, stderr } = await doctor(['--fix'], { PATH, ...BUBBLEWRAP })
    expect(report.installed).toEqual({ ok: false, detail: 'bwrap still does not start' })
    expect(stderr).toContain('bwrap still does not start')
    expect(of('bubblewrap')?.ok).toBe(false)
    expect(code).toBe(1)
  })

  it.each([
    ['bubblewrap is not selected', {}, {}],
    ['bubblewrap is installed', BUBBLEWRAP, { bwrap: 'echo "bubblewrap 0.4.0"\n' }],
  ])('changes nothing if %s', async (_, env, scripts) => {
    const log = join(createFolder(), 'log')
    const PATH = createSearchPath({
      python3: 'exit 1\n',
      'apt-get': `echo "$@" >> ${log}\n`,
      ...scripts,
    })
    expect((await doctor(['--fix'], { PATH, ...env })).report.installed).toBeNull()
    expect(existsSync(log)).toBe(false)
  })
})
