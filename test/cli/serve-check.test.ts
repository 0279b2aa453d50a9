import { createServer } from 'node:net'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { createFolder, runSkills, type Tree } from '../helpers/skills.ts'

const tree = prefixPaths('skills/greet', createActionSkill('demo.greet'))
const TOKENS = { 'tokens.txt': 'a-token-of-some-length one\n' }

interface Report {
  ok: boolean
  checks: { name: string; ok: boolean | null; detail: string; hint: string | null }[]
}

async function check(files: Tree, argv: readonly string[] = []) {
  const cwd = createFolder(files)
  if ('tokens.txt' in files) chmodSync(join(cwd, 'tokens.txt'), 0o600)
  const command = ['serve', '--check', '--port', '0', '--json', ...argv]
  const done = await runSkills(command, { cwd, env: { HOME: createFolder() } })
  const report = done.json() as unknown as Report
  const failed = report.checks.filter(({ ok }) => ok === false)
  return { code: done.code, report, failed: failed.map(({ name }) => name), text: done.stdout }
}

describe('skills serve --check', () => {
  it('exits with 0 if everything is valid', async () => {
    const { code, report } = await check({ ...tree, ...TOKENS }, ['--token-file', 'tokens.txt'])
    expect(code).toBe(0)
    expect(report).toMatchObject({ schema: 'skills.serve-check/v1', ok: true })
    expect(report.checks.map(({ name, ok }) => [name, ok])).toEqual([
      ['configuration', true],
      ['tokens', true],
      ['policy', true],
      ['skills', true],
      ['address', true],
    ])
  })

  const broken: Readonly<Record<string, [Tree, readonly string[]]>> = {
    configuration: [{ ...tree, 'skills.config.toml': '[run]\nmax_concurrent = "x"\n' }, []],
    tokens: [{ ...tree, 'tokens.txt': 'short\n' }, ['--token-file', 'tokens.txt']],
    policy: [{ ...tree, 'policy.toml': 'rules = 1 = 2\n' }, []],
    skills: [{ ...tree, 'skills/bad/skill.toml': 'name = 1\n' }, []],
    address: [tree, ['--host', '0.0.0.0']],
  }
  for (const [name, [files, argv]] of Object.entries(broken)) {
    it(`exits with 1 if the ${name} cannot be used, and names it`, async () => {
      const { code, failed, report } = await check(files, argv)
      expect(code).toBe(1)
      expect(failed).toEqual([name])
      expect(report.ok).toBe(false)
    })
  }

  it('exits with 1 if the port is in use', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as { port: number }
    const { code, failed } = await check(tree, ['--port', String(port)])
    other.close()
    expect([code, failed]).toEqual([1, ['address']])
  })

  it('names the address if the port is not a number of a port', async () => {
    const { code, failed } = await check(tree, ['--port', '99999'])
    expect([code, failed]).toEqual([1, ['address']])
  })
})
