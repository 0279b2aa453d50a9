import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, runSkills, type CliInvocation } from '../helpers/skills.ts'

function createProject(text = '[run]\npython = "/evil"\ntimeout = "1h"\n') {
  const cwd = createFolder({ 'skills.config.toml': text, 'sub/x': '' })
  const home = createFolder()
  const run = async (argv: readonly string[], at: CliInvocation = {}) =>
    await runSkills(argv, { cwd, env: { HOME: home }, ...at })
  return {
    cwd,
    file: join(cwd, 'skills.config.toml'),
    run,
    readPython: async () => (await run(['config', 'get', 'run.python'])).stdout.trim(),
  }
}

describe('skills trust project', () => {
  it('asks for nothing in a pipe: --yes is the answer', async () => {
    const { run, readPython } = createProject()
    const { code, stderr } = await run(['trust', 'project'])
    expect(code).toBe(4)
    expect(stderr).toContain('is not trusted without a consent')
    expect(stderr).toMatch(/run\.python, run\.timeout.*--yes/)
    expect(await readPython()).toBe('-')
  })

  it('shows the settings that need trust, and obeys them until the file changes', async () => {
    const { run, readPython, file } = createProject()
    const { code, stdout } = await run(['trust', 'project', '--yes'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/run\.python +\/evil +line 2\n +run\.timeout +1 h +line 3\n/)
    expect(stdout).toContain(`${file} is trusted until it changes`)
    expect(await readPython()).toBe('/evil')
    writeFileSync(file, readFileSync(file, 'utf8').replace('/evil', '/worse'))
    expect(await readPython()).toBe('-')
    const { stderr } = await run(['list'])
    expect(stderr).toContain(`since ${file} changed after you trusted it`)
  })

  it('trusts the project around a folder, in a JSON document', async () => {
    const { run, file, cwd } = createProject()
    const shown = (await run(['trust', 'project', join(cwd, 'sub'), '--yes', '--json'])).json()
    expect(shown).toMatchObject({
      schema: 'skills.project-trust/v1',
      file,
      trust: 'trusted',
      settings: [{ key: 'run.python' }, { key: 'run.timeout' }],
    })
  })

  it('ends the trust with --revoke', async () => {
    const { run, readPython } = createProject()
    await run(['trust', 'project', '--yes'])
    const revoked = await run(['trust', 'project', '--revoke'])
    expect(revoked.stdout).toContain('is no longer trusted')
    expect(await readPython()).toBe('-')
    expect((await run(['trust', 'project', '--revoke'])).stdout).toContain('is not trusted')
  })

  it('says that nothing needs trust', async () => {
    const { run } = createProject('[run]\ntimeout = "5s"\n')
    const { code, stdout } = await run(['trust', 'project'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('has no setting that needs trust')])
    const { code: none, stderr } = await runSkills(['trust', 'project'], { cwd: createFolder() })
    expect([none, stderr]).toEqual([3, expect.stringContaining('has no skills.config.toml')])
  })
})

describe('skills config set, in a project', () => {
  it('keeps the trust, and gives it to a setting of the user alone', async () => {
    const { run, readPython } = createProject('[lint]\nprofiles = ["mcp"]\n')
    await run(['config', 'set', 'run.python', '/mine'])
    expect(await readPython()).toBe('/mine')
    await run(['config', 'set', 'run.backend', 'process'])
    expect(await readPython()).toBe('/mine')
  })

  it("does not trust a stranger's settings with it", async () => {
    const { run, readPython } = createProject()
    const { stderr } = await run(['config', 'set', 'run.backend', 'process'])
    expect(stderr).toContain('Ignored run.python, run.timeout, run.backend')
    expect(await readPython()).toBe('-')
  })

  it('gives no trust by a change of another file', async () => {
    const { run } = createProject('[run.limits]\nmemory = "400MiB"\n')
    const { stderr } = await run(['config', 'set', '--global', 'run.limits.memory', '300MiB'])
    expect(stderr).toContain('Ignored run.limits.memory')
    expect((await run(['config', 'get', 'run.limits.memory'])).stdout).toBe('300 MiB\n')
  })
})
