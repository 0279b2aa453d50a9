import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { findProgram } from '../../../src/util/find-program.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'

// skills doctor compiles a program of each installed language.
vi.setConfig({ testTimeout: 300_000 })

interface Doctor {
  ok: boolean
  languages: { name: string; runs: boolean | null; problem: string | null }[]
  checks: { id: string; ok: boolean; detail: string; fix: string | null }[]
  backends: { name: string; ok: boolean; fix: string | null; promises: { tier: string } }[]
  installed: { ok: boolean; detail: string } | null
}

const isRoot = process.getuid?.() === 0
const whyNot = isRoot ? '' : ' (not run: another user needs a password for it)'
const SHELL = '#!/bin/sh\n'

/** A machine with Python and these programs. */
function machineWith(programs: Readonly<Record<string, string>>): string {
  const bin = createFolder()
  // Root's runs have another user id.
  chmodSync(bin, 0o755)
  for (const name of ['python3', 'true', 'sh', 'ln']) {
    symlinkSync(findProgram(name, '/usr/bin:/bin') as string, join(bin, name))
  }
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), text)
    chmodSync(join(bin, name), 0o755)
  }
  return bin
}

async function doctor(argv: readonly string[], env: Record<string, string> = {}) {
  const { code, json, stderr } = await runSkills(['doctor', '--json', ...argv], { env })
  const report = json() as unknown as Doctor & { schema: string }
  return { code, stderr, report, of: (id: string) => report.checks.find((each) => each.id === id) }
}

const BUBBLEWRAP = { SKILLS_RUN_BACKEND: 'bubblewrap' }

describe('skills doctor', () => {
  it('tries every isolation feature and every backend', async () => {
    const { code, report } = await doctor([])
    expect(report.schema).toBe('skills.doctor/v1')
    const ids = ['user', 'mount', 'pid', 'network'].map((kind) => `namespace-${kind}`)
    const tried = [...ids, 'system-calls', 'keyring', 'disk-quota', 'sandbox', 'bubblewrap']
    const failed = report.checks.filter(({ id, ok }) => tried.includes(id) && !ok)
    expect(failed).toEqual([])
    expect(report.checks.map(({ id }) => id)).toEqual(
      expect.arrayContaining([...tried, 'control-groups']),
    )
    expect(report.backends.map(({ name }) => name)).toEqual([
      'namespaces',
      'bubblewrap',
      'container',
      'process',
    ])
    expect(report.backends.map(({ promises }) => promises.tier)).toEqual([
      'strict',
      'strict',
      'strict',
      'none',
    ])
    expect({ code, ok: report.ok, installed: report.installed }).toEqual({
      code: 0,
      ok: true,
      installed: null,
    })
  })

  it('shows the weaknesses of each backend', async () => {
    const { stdout } = await runSkills(['doctor'])
    expect(stdout).toMatch(/✓ bubblewrap +Namespaces/)
    expect(stdout).toMatch(/process +No isolation.*\n +does not isolate: files, network, processes/)
  })

  it('tries a program of each installed language in a sandbox', async () => {
    const ruby = `${SHELL}
case "$*" in
  "-e print RbConfig.ruby") echo "$0";;
  --version) echo "ruby 9.9.9";;
  *) echo "this Ruby is broken" >&2; exit 7;;
esac
`
    const { code, of, report } = await doctor([], { PATH: machineWith({ ruby }) })
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

  it('needs no bubblewrap', async () => {
    const { code, of } = await doctor([], { PATH: machineWith({}) })
    expect(code).toBe(0)
    expect(of('backend')?.detail).toMatch(/^namespaces: /)
    expect(of('bubblewrap')).toMatchObject({ ok: null, detail: 'not installed, and not needed' })
  })

  it('explains how to install bubblewrap if it is selected and missing', async () => {
    const PATH = machineWith({ 'apt-get': `${SHELL}exit 0\n` })
    const { code, of, report } = await doctor([], { PATH, ...BUBBLEWRAP })
    expect(code).toBe(1)
    expect(of('bubblewrap')?.fix).toMatch(
      /^Type: skills doctor --fix, or: .*apt-get install -y bub/,
    )
    expect(of('namespace-pid')).toMatchObject({ ok: null, fix: null })
    expect(report.backends[2]?.fix).toContain('podman')
  })

  it('detects an outdated bubblewrap', async () => {
    const PATH = machineWith({ bwrap: `${SHELL}echo "bubblewrap 0.4.0 --as-pid-1 --perms"\n` })
    const { of } = await doctor([], { PATH, ...BUBBLEWRAP })
    expect(of('bubblewrap')).toMatchObject({ ok: false, fix: 'Install bubblewrap 0.8 or newer' })
    expect(of('bubblewrap')?.detail).toContain('does not support --disable-userns, --size')
  })

  it.skipIf(!isRoot)(
    `installs missing packages, also if updating package lists fails${whyNot}`,
    async () => {
      const log = join(createFolder(), 'log')
      const PATH = machineWith({
        'apt-get': `${SHELL}echo "$@" >> ${log}\ncase $1 in\n  update) exit 100;;\n  install) ln -s /usr/bin/bwrap \${0%/*}/bwrap;;\nesac\n`,
      })
      const { code, of, report, stderr } = await doctor(['--fix'], { PATH, ...BUBBLEWRAP })
      expect(readFileSync(log, 'utf8')).toBe('--version\nupdate\ninstall -y bubblewrap\n')
      expect(report.installed).toEqual({ ok: true, detail: 'installed' })
      expect(of('sandbox')?.ok).toBe(true)
      expect(stderr).toContain('Running: apt-get install -y bubblewrap')
      expect(code).toBe(0)
    },
  )

  it.skipIf(!isRoot)(`verifies the result of a package manager${whyNot}`, async () => {
    const PATH = machineWith({ 'apt-get': `${SHELL}exit 0\n` })
    const { code, report, stderr } = await doctor(['--fix'], { PATH, ...BUBBLEWRAP })
    expect(report.installed).toEqual({ ok: false, detail: 'bwrap still does not start' })
    expect(stderr).toContain('bwrap still does not start')
    expect(code).toBe(1)
  })

  it('changes nothing if nothing is missing', async () => {
    const log = join(createFolder(), 'log')
    const PATH = `${machineWith({ 'apt-get': `${SHELL}echo "$@" >> ${log}\n` })}:/usr/bin:/bin`
    expect((await doctor(['--fix'], { PATH })).report.installed).toBeNull()
    expect(existsSync(log)).toBe(false)
  })
})
