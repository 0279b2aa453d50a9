import { appendFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { startTestServer } from '../../helpers/server.ts'
import { createFolder, runSkills, type CliResult } from '../../helpers/skills.ts'

/** Backends that share the kernel of this machine show without gVisor which skills need another one. */
const SHARED = { SKILLS_RUN_BACKEND: 'namespaces' }
const REFUSAL =
  /run\.isolation\.strangers = "kernel" refuses it here: a kernel of its own is required, but the backend "namespaces" uses that of this machine/

function createProject() {
  const base = createFolder(prefixPaths('source/greet', createActionSkill('demo.greet')))
  const cwd = join(base, 'project')
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'skills.config.toml'), '')
  const env = { HOME: createFolder(), ...SHARED }
  const runAll = async (...lines: string[]) => {
    for (const line of lines) {
      const { code, stderr } = await runSkills(line.split(' '), { cwd, env })
      expect([line, code, code === 0 ? '' : stderr]).toEqual([line, 0, ''])
    }
  }
  const exec = async (strangers = 'kernel'): Promise<CliResult> =>
    await runSkills(['exec', 'demo.greet'], {
      cwd,
      env: { ...env, SKILLS_RUN_ISOLATION_STRANGERS: strangers },
    })
  return { cwd, source: join(base, 'source/greet'), runAll, exec }
}

describe('with run.isolation.strangers = "kernel"', () => {
  it('an installed skill without a trusted signature needs a kernel of its own', async () => {
    const { runAll, exec } = createProject()
    await runAll('install ../source/greet --yes')
    const { code, stderr } = await exec()
    expect(code).toBe(3)
    expect(stderr).toContain(
      'The skill "demo.greet" was installed without a signature that you trust',
    )
    expect(stderr).toMatch(REFUSAL)
    expect((await exec('any')).code).toBe(0)
  })

  it('a signed one runs as others do, until its files change', async () => {
    const { cwd, runAll, exec } = createProject()
    await runAll(
      'pack ../source/greet --out ../packed --skip-lint',
      'keys new release',
      'keys trust release --own --source *',
      'sign ../packed/greet-0.1.0.tar.gz --key release',
      'install ../packed/greet-0.1.0.tar.gz --yes',
    )
    expect((await exec()).code).toBe(0)
    appendFileSync(join(cwd, '.agents/skills/greet/code/main.py'), '# changed\n')
    expect((await exec()).stderr).toMatch(REFUSAL)
  })

  it("a skill of the author's own folders runs as others do, next to installed ones as well", async () => {
    const { cwd, source, exec } = createProject()
    cpSync(source, join(cwd, '.agents/skills/greet'), { recursive: true })
    expect((await exec()).code).toBe(0)
  })

  it('an uploaded skill needs a kernel of its own', async () => {
    const settings = { 'run.isolation.strangers': 'kernel', 'run.backend': 'namespaces' }
    const { runtime } = await startTestServer({ settings })
    await runtime.createSkill({
      manifest: {
        name: 'user.tools.save',
        version: '0.1.0',
        description: 'Saves things.',
        kind: 'action',
        runtime: { language: 'python', entrypoint: 'code/main.py', export: 'main' },
      },
      skill_md: '# Save\n\nSaves.',
      files: [{ path: 'code/main.py', content: 'def main(args):\n    return 1\n' }],
    })
    const run = runtime.executeSkill({ name: 'user.tools.save' }, { cwd: '/', env: {} })
    await expect(run).rejects.toThrow(/The skill "user\.tools\.save" was uploaded, and run/)
  })
})
