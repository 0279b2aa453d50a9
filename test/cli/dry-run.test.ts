import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const TOML = `
[inputs]
name = { type = "string", required = true }
table = { type = "blob" }

[permissions]
network = ["https://api.example.test"]
secrets = ["TOKEN", "OTHER"]
`

function createProject(extra: Record<string, string> = {}) {
  const skill = createActionSkill('demo.plan', { toml: TOML })
  return createFolder({ ...prefixPaths('skills/plan', skill), 'a.csv': 'a,b', ...extra })
}

async function plan(argv: readonly string[], cwd = createProject(), env = {}) {
  const ran = await runSkills([...argv, '--dry-run'], { cwd, env })
  return { ...ran, cwd }
}

describe('--dry-run', () => {
  it('lists files, hosts, secrets by name, limits, backend and decision, and runs nothing', async () => {
    const home = createFolder()
    const env = { HOME: home, TOKEN: 'hunter2' }
    const argv = ['exec', 'demo.plan', '--json', '--arg', 'name=x', '--blob', 'table=a.csv']
    const more = ['--secret', 'TOKEN', '--allow-network', '--timeout', '2']
    const ran = await plan([...argv, ...more], createProject(), env)
    expect(ran.code).toBe(0)
    expect(ran.json()).toMatchObject({
      schema: 'skills.run-plan/v1',
      allowed: true,
      files: [
        { path: '/skills/demo.plan', access: 'read-only', source: join(ran.cwd, 'skills/plan') },
        { path: '/blobs', source: 'a file of --blob' },
        { path: '/workspace', access: 'read-write' },
      ],
      hosts: ['https://api.example.test'],
      withheld_hosts: [],
      secrets: ['TOKEN'],
      missing_secrets: ['OTHER'],
      limits: { timeout_ms: 2000 },
      policy: { reasons: [], needs_approval: false },
      input_problem: null,
    })
    expect(ran.stdout).not.toContain('hunter2')
    const data = join(home, '.local/share/skills')
    const kept = existsSync(data) ? readdirSync(data, { recursive: true, withFileTypes: true }) : []
    expect(kept.filter((each) => each.isFile())).toEqual([])
  })

  it('shows what is withheld, as text', async () => {
    const { code, stdout } = await plan(['exec', 'demo.plan', '--arg', 'name=x'])
    expect(code).toBe(0)
    expect(stdout).toContain('not allowed: https://api.example.test (add --allow-network)')
    expect(stdout).toContain('without a value: TOKEN')
    expect(stdout).toMatch(/limits +time 5 minutes, memory 512 MiB/)
    expect(stdout).toMatch(/would run\n$/)
  })

  it('exits with 1 for arguments or a policy that prevent the run', async () => {
    const invalid = await plan(['exec', 'demo.plan'])
    expect(invalid.code).toBe(1)
    expect(invalid.stdout).toContain('The required argument "name" is missing\nwould not run\n')
    const policy = '[[rules]]\nname = "none"\nrefuse = "Not here"\n'
    const cwd = createProject({ 'policy.toml': policy })
    const denied = await plan(['exec', 'demo.plan', '--arg', 'name=x'], cwd)
    expect(denied.stdout).toContain('denied: Not here')
    expect(denied.code).toBe(1)
  })

  it('plans code as a function and as a program', async () => {
    const code = ['run-code', '--code', 'def main(args): return 1', '--json']
    expect((await plan(code)).json()).toMatchObject({ allowed: true, language: 'python' })
    const program = ['run-code', '--language', 'shell', '--code', 'exit 1', '--json']
    expect((await plan(program)).json()).toMatchObject({ allowed: true, language: 'shell' })
  })

  it.each([
    [['--watch'], '--watch'],
    [['--out', 'x'], '--out'],
    [['--url', 'http://127.0.0.1:1'], '--url'],
  ])('cannot be combined with %j', async (argv, flag) => {
    const ran = await plan(['exec', 'demo.plan', ...argv])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain(`--dry-run cannot be combined with ${flag}`)
  })
})
