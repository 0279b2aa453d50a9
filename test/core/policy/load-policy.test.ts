import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig, type ConfigRequest } from '../../../src/core/config/load-config.ts'
import { createPolicySource, loadPolicy } from '../../../src/core/policy/load-policy.ts'
import { createFolder, writeTree, type Tree } from '../../helpers/skills.ts'

const DENY = '[deny]\nlanguages = ["node"]\n'
const STANDARD = '.config/skills/policy.toml'

/** Loads the policy of a home and of a project in it. */
async function loadPolicyIn(home: string, more: Partial<ConfigRequest> = {}) {
  const cwd = join(home, 'project')
  mkdirSync(cwd, { recursive: true })
  const { config } = await loadConfig({ cwd, env: { HOME: home }, ...more })
  return await loadPolicy(config)
}

const createHome = (tree: Tree) => createFolder({ 'project/.git/HEAD': '', ...tree })

describe('loadPolicy()', () => {
  it('allows everything without a file', async () => {
    expect(await loadPolicyIn(createHome({}))).toMatchObject({
      scopes: [],
      files: [],
      enabled: true,
    })
  })

  it("reads the operator's standard file, then the project's", async () => {
    const home = createHome({
      [STANDARD]: DENY,
      'project/policy.toml': '[deny]\nkinds = ["execute"]',
    })
    const { files, scopes } = await loadPolicyIn(home)
    expect(files.map(({ path, trust }) => [path, trust])).toEqual([
      [join(home, STANDARD), 'operator'],
      [join(home, 'project/policy.toml'), 'project'],
    ])
    expect(scopes).toHaveLength(2)
  })

  it("never replaces the operator's file by the project's", async () => {
    const home = createHome({
      [STANDARD]: DENY,
      'project/skills.config.toml': '[policy]\nfile = "mild.toml"',
      'project/mild.toml': '[allow]\nlanguages = ["*"]',
    })
    const { files, scopes } = await loadPolicyIn(home)
    expect(files.map(({ trust }) => trust)).toEqual(['operator', 'project'])
    expect(scopes[0]?.deny.languages).toEqual(['node'])
  })

  it.each<[string, Partial<ConfigRequest>, Tree]>([
    ['the environment', { env: {} }, {}],
    [
      "the user's configuration",
      {},
      { '.config/skills/config.toml': '[policy]\nfile = "own.toml"' },
    ],
  ])('reads another file that %s names', async (_, { env }, tree) => {
    const home = createHome({ [STANDARD]: '', '.config/skills/own.toml': DENY, ...tree })
    const own = join(home, '.config/skills/own.toml')
    const named = env ? { env: { HOME: home, SKILLS_POLICY_FILE: own } } : {}
    const { files } = await loadPolicyIn(home, named)
    expect(files.map(({ path }) => path)).toEqual([own])
  })

  it('applies without configuration files', async () => {
    const home = createHome({ [STANDARD]: DENY, 'project/policy.toml': DENY })
    const { files } = await loadPolicyIn(home, { noFiles: true })
    expect(files.map(({ trust }) => trust)).toEqual(['operator'])
  })

  it('throws if the configured file is missing', async () => {
    const home = createHome({})
    const named = loadPolicyIn(home, { env: { HOME: home, SKILLS_POLICY_FILE: '/no/such.toml' } })
    await expect(named).rejects.toMatchObject({ code: 'policy/invalid' })
  })

  describe('rejects the file', () => {
    const refuses = async (home: string, expected: RegExp) => {
      await expect(loadPolicyIn(home)).rejects.toMatchObject({ code: 'policy/invalid' })
      await expect(loadPolicyIn(home)).rejects.toThrow(expected)
    }

    it.each([0o620, 0o602, 0o666, 0o664])('if its mode is %o', async (mode) => {
      const home = createHome({ [STANDARD]: DENY })
      chmodSync(join(home, STANDARD), 0o644)
      expect((await loadPolicyIn(home)).files).toHaveLength(1)
      chmodSync(join(home, STANDARD), mode)
      await refuses(home, /Others can write to/)
    })

    it('if others can replace it', async () => {
      const home = createHome({ [STANDARD]: DENY })
      chmodSync(join(home, '.config/skills'), 0o777)
      await refuses(home, /Others can write to .*the folder of the policy/)
      chmodSync(join(home, '.config/skills'), 0o1777)
      expect((await loadPolicyIn(home)).files).toHaveLength(1)
    })

    it('if a link leads to a file that others can replace', async () => {
      const home = createHome({ 'open/policy.toml': DENY, '.config/skills/x': '' })
      symlinkSync(join(home, 'open/policy.toml'), join(home, STANDARD))
      expect((await loadPolicyIn(home)).files).toHaveLength(1)
      chmodSync(join(home, 'open'), 0o777)
      await refuses(home, /the folder of the policy/)
    })

    it.each<[string, string, string]>([
      ['the file', STANDARD, '/nowhere/policy.toml'],
      ['a link to a link', STANDARD, 'other.toml'],
      ['its folder', '.config/skills', '/nowhere'],
      ['a folder above', '.config', 'missing'],
    ])('if %s is a link without a target', async (_, link, target) => {
      const home = createHome({ 'other/x': '' })
      expect((await loadPolicyIn(home)).files).toEqual([])
      mkdirSync(dirname(join(home, link)), { recursive: true })
      symlinkSync(target, join(home, link))
      if (target === 'other.toml') symlinkSync('gone', join(home, '.config/skills/other.toml'))
      await refuses(home, /is a link to a path that does not exist/)
    })

    it("if the project's is a link without a target", async () => {
      const home = createHome({})
      symlinkSync('gone.toml', join(home, 'project/policy.toml'))
      await refuses(home, /is a link to a path that does not exist/)
    })

    it.skipIf(process.getuid?.() !== 0)('if it belongs to another user (needs root)', async () => {
      const home = createHome({ [STANDARD]: DENY })
      chownSync(join(home, STANDARD), 12_345, 12_345)
      await refuses(home, /belongs to another user/)
    })

    it('if it is a pipe, a folder, too large or not text', async () => {
      const home = createHome({ '.config/skills/x': '' })
      const file = join(home, STANDARD)
      spawnSync('mkfifo', [file])
      await refuses(home, /is not a file/)
      rmSync(file)
      mkdirSync(file)
      await refuses(home, /is not a file|EISDIR/)
      rmSync(file, { recursive: true })
      writeFileSync(file, '#'.repeat(1024 ** 2 + 1))
      await refuses(home, /more than 1048576 bytes/)
      writeFileSync(file, Buffer.from([0x5b, 0xff, 0xfe]))
      await refuses(home, /not UTF-8 text/)
    })
  })
})

describe('createPolicySource()', () => {
  it('detects changed content, mode and removal of the file, and otherwise reads it once', async () => {
    const home = createHome({ [STANDARD]: DENY })
    const { config } = await loadConfig({ cwd: home, env: { HOME: home } })
    const policy = createPolicySource(config)
    const first = await policy()
    expect(await policy()).toBe(first)
    writeTree(home, { [STANDARD]: '[deny]\nlanguages = ["node", "go"]\n' })
    expect((await policy()).scopes[0]?.deny.languages).toEqual(['node', 'go'])
    chmodSync(join(home, STANDARD), 0o666)
    await expect(policy()).rejects.toThrow(/Others can write/)
    rmSync(join(home, STANDARD))
    expect((await policy()).scopes).toEqual([])
    symlinkSync('gone', join(home, STANDARD))
    await expect(policy()).rejects.toThrow(/is a link to a path that does not exist/)
  })
})
