import { chmodSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { KeyType } from '../../../src/core/config/define-settings.ts'
import { CONFIG_KEYS, type ConfigKey } from '../../../src/core/config/keys.ts'
import { readConfigField } from '../../../src/core/config/list-settings.ts'
import { loadConfig, type LoadedConfig } from '../../../src/core/config/load-config.ts'
import { createFolder } from '../../helpers/skills.ts'
import { trustProject } from '../../helpers/trust-project.ts'

/** Values that no default equals, in TOML. */
const VALUES: Readonly<Record<KeyType, string>> = {
  text: '"x"',
  texts: '["x"]',
  path: '"../outside"',
  paths: '["../outside"]',
  roots: '["../outside"]',
  sources: '["https://evil.example"]',
  flag: 'true',
  'flag or choice': '"aslr"',
  count: '7000000000',
  bytes: '"7TiB"',
  duration: '"700d"',
  rules: '{ schema = "off" }',
  overrides: '[{ files = ["*"], rules = { schema = "off" } }]',
  repositories: '{ own = "." }',
  files: '[{ target = "work/x", content = "x" }]',
  commands: '[{ cmd = "true" }]',
  toolchains: '[{ path = "/opt/x" }]',
  caches: '[{ path = "/opt/x" }]',
}

/** Settings whose stricter value is the user's. */
const OF_USER: Readonly<Record<string, string>> = {
  'run.require_isolation': '[run]\nrequire_isolation = "strict"\n',
  'run.isolation.strangers': '[run.isolation]\nstrangers = "strict"\n',
  'run.secrets': '[run]\nsecrets = "masked"\n',
}
const LOOSEST: Readonly<Record<string, string>> = {
  'run.require_isolation': '"any"',
  'run.isolation.strangers': '"any"',
  'run.secrets': '"any"',
}

function writeHostile(key: ConfigKey): string {
  const { type, choices, default: value } = key
  if (LOOSEST[key.key] !== undefined) return LOOSEST[key.key] as string
  if (type === 'flag') return String(value !== true)
  if (!choices || type === 'flag or choice') return VALUES[type]
  const other = JSON.stringify(choices.find((each) => each !== value))
  return type === 'texts' ? `[${other}]` : other
}

interface HostileProject {
  write(extra?: string): void
  load(): Promise<LoadedConfig>
  trust(): Promise<void>
}

/** A project below the folder that its paths lead to. */
function createHostile(key: ConfigKey, value = writeHostile(key)): HostileProject {
  const base = createFolder({
    'outside/x': '',
    'project/inside/x': '',
    'home/.config/skills/config.toml': OF_USER[key.key] ?? '',
  })
  const cwd = join(base, 'project')
  const env = { HOME: join(base, 'home') }
  const write = (extra = '') =>
    writeFileSync(join(cwd, 'skills.config.toml'), `${key.key} = ${value}\n${extra}`)
  write()
  return {
    write,
    load: async () => await loadConfig({ cwd, env }),
    trust: async () => await trustProject(cwd, env),
  }
}

const read = ({ config }: LoadedConfig, { key, field }: ConfigKey) =>
  key === 'roots'
    ? config.roots.filter((root) => root.endsWith('side'))
    : key === 'policy.file'
      ? [config.policy.file, config.policy.projectFile?.split('/').at(-1)]
      : readConfigField(config, field)

const FREE = CONFIG_KEYS.filter(
  ({ setBy, type }) => setBy === 'project' && type !== 'path' && type !== 'roots',
)
const BOUND = CONFIG_KEYS.filter((key) => key.setBy !== 'user' && !FREE.includes(key))

describe('a setting that needs trust, in the file of a hostile project', () => {
  it.each(BOUND.map((key) => [key.key, key] as const))(
    '%s is ignored and named, obeyed once trusted, and ignored after a change of a byte',
    async (name, key) => {
      const project = createHostile(key)
      const hostile = await project.load()
      expect(hostile.projectSettings).toMatchObject({ trust: 'none', settings: [{ key: name }] })
      const before = read(hostile, key)
      if (key.default !== undefined && OF_USER[name] === undefined && name !== 'roots')
        expect(before).toEqual(key.default)
      expect(hostile.origins[name]?.layer).not.toBe('project')
      await project.trust()
      const trusted = await project.load()
      expect(trusted.projectSettings).toMatchObject({ trust: 'trusted' })
      expect(read(trusted, key)).not.toEqual(before)
      project.write(' ')
      const changed = await project.load()
      expect(changed.projectSettings).toMatchObject({ trust: 'changed', settings: [{ key: name }] })
      expect(read(changed, key)).toEqual(before)
    },
  )

  it.each(
    CONFIG_KEYS.filter(({ setBy }) => setBy === 'user').map((key) => [key.key, key] as const),
  )('%s is an error, also once trusted', async (name, key) => {
    const project = createHostile(key)
    const message = `"${name}" is only allowed in the user's configuration`
    await expect(project.load()).rejects.toThrow(message)
    await project.trust()
    await expect(project.load()).rejects.toThrow(message)
  })
})

describe('a setting that any project may set', () => {
  it.each(FREE.map((key) => [key.key, key] as const))('%s is obeyed', async (_, key) => {
    const loaded = await createHostile(key).load()
    expect(loaded.projectSettings).toBeUndefined()
    expect(read(loaded, key)).not.toEqual(key.default)
  })

  it.each(
    CONFIG_KEYS.filter(({ setBy }) => setBy === 'project, to restrict').map(({ key }) => key),
  )('%s is obeyed if it allows less', async (name) => {
    const key = CONFIG_KEYS.find((each) => each.key === name) as ConfigKey
    const lower = key.choices ? JSON.stringify(key.choices.at(-1)) : '1'
    const loaded = await createHostile({ ...key }, lower).load()
    expect(loaded.projectSettings).toBeUndefined()
    expect(loaded.origins[name]?.layer).toBe('project')
  })

  it.each([
    'roots = ["inside"]',
    '[lint]\nbaseline = "inside/new.json"',
    '[policy]\nfile = "own.toml"',
  ])('a path inside of the project is obeyed: %j', async (text) => {
    const cwd = createFolder({ 'skills.config.toml': text, 'inside/x': '' })
    const loaded = await loadConfig({ cwd, env: { HOME: createFolder() } })
    expect(loaded.projectSettings).toBeUndefined()
  })
})

describe('a path of a project that looks as if it were inside', () => {
  it.each([
    ['a link to a folder outside', 'link'],
    ['a path below such a link', 'link/deep'],
    ['a link without a target', 'dangling'],
    ['a path that leads out and back in by name only', 'inside/../../outside'],
  ])('needs trust: %s', async (_, path) => {
    const base = createFolder({ 'outside/deep/x': '', 'project/inside/x': '' })
    const cwd = join(base, 'project')
    symlinkSync('../outside', join(cwd, 'link'))
    symlinkSync('../nothing', join(cwd, 'dangling'))
    writeFileSync(join(cwd, 'skills.config.toml'), `[lint]\nbaseline = "${path}"\n`)
    const { projectSettings, config } = await loadConfig({ cwd, env: { HOME: base } })
    expect(projectSettings?.settings).toMatchObject([{ key: 'lint.baseline' }])
    expect(config.lint.baseline).toBeUndefined()
  })
})

describe('the trust in a project', () => {
  const settings = '[run]\npython = "/evil"\n'

  async function createTrusted() {
    const base = createFolder({ 'project/skills.config.toml': settings, 'home/x': '' })
    const cwd = join(base, 'project')
    const env = { HOME: join(base, 'home') }
    await trustProject(cwd, env)
    const load = async (at = cwd) => (await loadConfig({ cwd: at, env })).config.run.python
    expect(await load()).toBe('/evil')
    return { base, cwd, env, load, store: join(base, 'home/.config/skills/trusted-projects') }
  }

  it('does not follow a copy of the file to another folder', async () => {
    const { base, load } = await createTrusted()
    const copy = createFolder({ 'skills.config.toml': settings })
    expect(await load(copy)).toBeUndefined()
    rmSync(join(base, 'project/skills.config.toml'))
    writeFileSync(join(base, 'project/skills.config.toml'), settings)
    expect(await load()).toBe('/evil')
  })

  it('is refused if others can write to its file or folder', async () => {
    const { load, store } = await createTrusted()
    const file = join(store, readdirSync(store)[0] as string)
    chmodSync(file, 0o666)
    await expect(load()).rejects.toThrow(/Others can write to/)
    chmodSync(file, 0o600)
    chmodSync(store, 0o777)
    await expect(load()).rejects.toThrow(/Others can write to/)
    chmodSync(store, 0o700)
    expect(await load()).toBe('/evil')
  })

  it('is not taken from the entry of another project', async () => {
    const { env, load, store } = await createTrusted()
    const other = createFolder({ 'skills.config.toml': settings })
    await trustProject(other, env)
    const names = readdirSync(store)
    const texts = names.map((name) => readFileSync(join(store, name), 'utf8'))
    for (const [at, name] of names.entries())
      writeFileSync(join(store, name), texts[1 - at] as string)
    expect(await load()).toBeUndefined()
    expect(await load(other)).toBeUndefined()
  })
})

describe("the user's configuration", () => {
  it('that others can write to is refused', async () => {
    const home = createFolder({ '.config/skills/config.toml': '[run]\npython = "/mine"\n' })
    const file = join(home, '.config/skills/config.toml')
    const load = async () => (await loadConfig({ cwd: createFolder(), env: { HOME: home } })).config
    expect((await load()).run.python).toBe('/mine')
    chmodSync(file, 0o622)
    await expect(load()).rejects.toThrow(/Others can write to .*, the user's configuration/)
    chmodSync(file, 0o644)
    chmodSync(join(file, '..'), 0o777)
    await expect(load()).rejects.toThrow(/the folder of the user's configuration/)
  })

  it('is overridden by the project only in what any project may set', async () => {
    const home = createFolder({
      '.config/skills/config.toml':
        '[run]\npython = "/mine"\n[run.limits]\nmemory = "256MiB"\n[lint]\nprofiles = ["mcp"]\n',
    })
    const cwd = createFolder({
      'skills.config.toml':
        '[run]\npython = "/evil"\n[run.limits]\nmemory = "512MiB"\n[lint]\nprofiles = ["codex"]\n',
    })
    const { config, projectSettings } = await loadConfig({ cwd, env: { HOME: home } })
    expect(config.run.python).toBe('/mine')
    expect(config.run.limits.memoryBytes).toBe(256 * 1024 ** 2)
    expect(config.lint.profiles).toEqual(['codex'])
    expect(projectSettings?.settings.map(({ key }) => key)).toEqual([
      'run.python',
      'run.limits.memory',
    ])
  })
})
