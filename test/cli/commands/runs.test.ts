import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunRecord } from '../../../src/core/runs/history/run-record.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'
import { BIN } from '../../helpers/built.ts'

/** A home folder with the records of a completed run and a later failed one. */
async function home() {
  const cwd = createFolder()
  const env = { HOME: createFolder() }
  const any = async (argv: string[], tty = false) =>
    await runSkills(argv, { cwd, env, tty, isCold: true, trusts: true })
  const call = async (argv: string[], tty = false) => await any(['runs', ...argv], tty)
  const code = (line: string) => `def main(args):\n    print("said")\n    ${line}\n`
  await any(['run-code', '--code', code('return 7'), '--arg', 'n=1'])
  await any(['run-code', '--code', code('raise ValueError("bad")')])
  const { runs } = (await call(['ls', '--json'])).json() as { runs: RunRecord[] }
  const [failed, completed] = runs.map((run) => run.run_id) as [string, string]
  return { cwd, env, call, failed, completed, runs }
}

describe('skills runs', () => {
  it('lists every run, the newest first, and filters', async () => {
    const { call, failed, completed, runs } = await home()
    expect(runs.map(({ status }) => status)).toEqual(['failed', 'completed'])
    expect(runs[0]?.who).toMatchObject({ door: 'cli' })
    const lines = (await call(['ls'])).stdout.trimEnd().split('\n')
    expect(lines[0]).toMatch(new RegExp(`^${failed} +failed +\\d{4}-.+Z +\\d.* m?s +code$`))
    expect((await call(['ls', '--ids'])).stdout).toBe(`${failed}\n${completed}\n`)
    expect((await call(['ls', '--ids', '--status', 'completed'])).stdout).toBe(`${completed}\n`)
    const page = (await call(['ls', '--limit', '1', '--json'])).json()
    const rest = await call(['ls', '--ids', '--cursor', page['next_cursor'] as string])
    expect(rest.stdout).toBe(`${completed}\n`)
    expect((await call(['ls', '--skill', 'demo.none'])).stdout).toBe('')
    expect((await call(['ls', '--status', 'lost'])).code).toBe(2)
    expect((await call(['ls', '--limit', '0'])).code).toBe(2)
  })

  it('shows a record as text and as JSON', async () => {
    const { call, failed, completed } = await home()
    const shown = (await call(['show', completed.slice(4, 12)])).stdout
    expect(shown).toContain(`${completed}  completed`)
    expect(shown).toMatch(/^arguments +\{"n":1\}$/m)
    expect(shown).toMatch(/^isolation +namespaces, \w+, cold \(single call\)$/m)
    expect(shown).toMatch(/^output +7 \(1 byte\)$/m)
    expect((await call(['show', failed])).stdout).toContain('ValueError: bad')
    const { run } = (await call(['show', completed, '--json'])).json() as { run: RunRecord }
    expect(run).toMatchObject({ run_id: completed, kind: 'run_code', output: { value: 7 } })
  })

  it('prints the whole log of a run', async () => {
    const { call, completed } = await home()
    expect((await call(['logs', completed])).stdout).toBe('said\n')
    expect((await call(['logs', completed], true)).stdout).toBe('said\n')
    const { json } = await call(['logs', completed.slice(0, 12), '--json'])
    expect(json()).toMatchObject({ run_id: completed, logs: 'said\n' })
  })

  it('suggests a similar id', { tags: ['slow'] }, async () => {
    const { call, failed } = await home()
    const misspelt = `${failed.slice(0, -1)}${failed.endsWith('0') ? '1' : '0'}`
    const { code, stderr } = await call(['show', misspelt])
    expect(code).toBe(3)
    expect(stderr).toContain(`Did you mean "${failed}"?`)
    expect((await call(['logs', '../x'])).code).toBe(3)
  })

  it('removes records by id, and all of them only after confirmation', async () => {
    const { call, env, failed, completed } = await home()
    expect((await call(['rm'])).code).toBe(2)
    expect((await call(['rm', failed, '--all', '--yes'])).code).toBe(2)
    const unconfirmed = await call(['rm', '--all'])
    expect(unconfirmed.code).toBe(2)
    expect(unconfirmed.stderr).toContain('Add --yes')
    expect((await call(['rm', failed, '--json'])).json()).toMatchObject({ removed: [failed] })
    expect((await call(['ls', '--ids'])).stdout).toBe(`${completed}\n`)
    expect((await call(['rm', '--all', '--yes'])).code).toBe(0)
    expect((await call(['ls', '--ids'])).stdout).toBe('')
    const days = join(env.HOME, '.local/share/skills/runs')
    for (const day of readdirSync(days).filter((name) => /^\d/.test(name))) {
      expect(readdirSync(join(days, day))).toEqual([])
    }
  })

  it('shows a run with a killed process as interrupted', { tags: ['slow'] }, async () => {
    const { call, cwd, env, completed } = await home()
    const code = 'def main(args):\n    print("up", flush=True)\n    import time; time.sleep(60)\n'
    const argv = [BIN, 'run-code', '--code', code]
    const child = spawn(process.execPath, argv, { cwd, env: { ...process.env, ...env } })
    await once(child.stderr, 'data')
    expect((await call(['ls', '--json', '--status', 'running'])).json()['runs']).toHaveLength(1)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const { runs } = (await call(['ls', '--json'])).json() as { runs: RunRecord[] }
    expect(runs[0]).toMatchObject({ status: 'interrupted', ended_at: null })
    expect((await call(['rm', runs[0]?.run_id as string])).code).toBe(0)
    expect((await call(['show', completed])).code).toBe(0)
  })

  it('removes expired records', { tags: ['slow'] }, async () => {
    const { call, cwd } = await home()
    const expired = (await call(['rm', '--expired', '--json'])).json()
    expect(expired).toMatchObject({ removed: 0, kept: { count: 2 } })
    writeFileSync(join(cwd, 'skills.config.toml'), '[store.runs]\nttl = "1ms"\n')
    expect((await call(['ls', '--ids'])).stdout).toBe('')
    const { stdout } = await call(['rm', '--expired'])
    expect(stdout).toMatch(/^Freed [\d.]+ (bytes|KiB): 2 records\n$/)
  })
})
