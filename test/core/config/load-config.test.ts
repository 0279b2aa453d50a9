import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig, type ConfigRequest } from '../../../src/core/config/load-config.ts'
import { SkillsError } from '../../../src/errors.ts'
import { parseBytes, parseDuration } from '../../../src/util/quantity.ts'
import { createFolder } from '../../helpers/skills.ts'

async function failure(request: ConfigRequest): Promise<SkillsError> {
  return loadConfig(request).then(
    () => {
      throw new Error('expected an error')
    },
    (error: unknown) => error as SkillsError,
  )
}

describe('loadConfig()', () => {
  it('reads run.warm as a flag or "aslr", in files and in the environment', async () => {
    const read = async (text: string, env = {}) => {
      const cwd = createFolder({ 'skills.config.toml': `[run]\nwarm = ${text}\n` })
      const file = join(cwd, 'skills.config.toml')
      return (await loadConfig({ cwd, file, env: { HOME: cwd, ...env } })).config.run.warm
    }
    expect([await read('true'), await read('false'), await read('"aslr"')]).toEqual([
      true,
      false,
      'aslr',
    ])
    expect(await read('true', { SKILLS_RUN_WARM: 'aslr' })).toBe('aslr')
    expect(await read('"aslr"', { SKILLS_RUN_WARM: '0' })).toBe(false)
    await expect(read('"always"')).rejects.toThrow('expected one of true, false, aslr')
    await expect(read('"true"')).rejects.toThrow('expected true, false or a string')
    await expect(read('true', { SKILLS_RUN_WARM: 'yes' })).rejects.toThrow('true, false, aslr')
  })

  it('selects the container backend for a runtime, unless another one is named', async () => {
    const load = async (flags: Record<string, string>) => {
      const env = { HOME: '/', SKILLS_RUN_CONTAINER_RUNTIME: 'runsc' }
      const { config, origins } = await loadConfig({ cwd: '/', env, noFiles: true, flags })
      return [config.run.backend, origins['run.backend']?.place]
    }
    expect(await load({})).toEqual(['container', 'SKILLS_RUN_CONTAINER_RUNTIME'])
    expect(await load({ 'run.backend': 'namespaces' })).toEqual(['namespaces', '--backend'])
  })

  it('applies user, project, environment and flags in this order', async () => {
    const cwd = createFolder({
      'skills.config.toml':
        '[run]\ntimeout = "10s"\nmax_timeout = "20s"\n[run.limits]\nmemory = "256MiB"\n',
      'home/.config/skills/config.toml':
        '[run]\nmax_timeout = "30s"\npython = "/b"\nwarm = false\n[run.limits]\nmemory = "2GiB"\n',
    })
    const env = {
      HOME: join(cwd, 'home'),
      SKILLS_RUN_PYTHON: '/c',
      SKILLS_RUN_LIMITS_MEMORY: '3GiB',
    }
    const { config, origins } = await loadConfig({
      cwd,
      env,
      flags: { 'run.limits.memory': '4GiB' },
    })
    expect(config.run).toMatchObject({
      timeoutMs: 10_000,
      maxTimeoutMs: 20_000,
      warm: false,
      python: '/c',
    })
    expect(config.run.limits.memoryBytes).toBe(4 * 1024 ** 3)
    expect(config.run.limits.processes).toBe(256)
    expect(origins['run.timeout']).toEqual({
      layer: 'project',
      place: `${join(cwd, 'skills.config.toml')}:2`,
    })
    expect(origins['run.max_timeout']?.layer).toBe('project')
    expect(origins['run.warm']?.layer).toBe('user')
    expect(origins['run.python']).toEqual({ layer: 'environment', place: 'SKILLS_RUN_PYTHON' })
    expect(origins['run.limits.memory']?.layer).toBe('flag')
    expect(origins['run.limits.processes']?.layer).toBe('default')
  })

  it('adds roots of flags, files, environment, project and user', async () => {
    const cwd = createFolder({ 'skills.config.toml': 'roots = ["shared"]\n' })
    for (const dir of ['flag', 'shared', 'variable', 'skills', 'data/skills/skills', 'sub'])
      mkdirSync(join(cwd, dir), { recursive: true })
    const env = { HOME: cwd, XDG_DATA_HOME: join(cwd, 'data'), SKILLS_PATH: join(cwd, 'variable') }
    const { config } = await loadConfig({
      cwd: join(cwd, 'sub'),
      env,
      flags: { roots: ['../flag'] },
    })
    expect(config.roots).toEqual(
      ['flag', 'shared', 'variable', 'skills', 'data/skills/skills'].map((dir) => join(cwd, dir)),
    )
  })

  it.each([
    [
      '[run]\ntimeuot = "1s"\n',
      /skills\.config\.toml:2:1: Unknown setting "run.timeuot"/,
      /run\.timeout/,
    ],
    [
      '[run]\ntimeout = "soon"\n',
      /:2:11: "run.timeout" is "soon", expected a duration/,
      /schema config/,
    ],
    ['run = 1\n', /:1:7: "run" is 1, expected a table/, /Write it as \[run\]/],
    ['[run]\nbackend = "vm"\n', /expected one of auto, namespaces/, /schema config/],
    ['roots = "x"\n', /"roots" is "x", expected a list of folders and addresses/, /schema config/],
    ['[lint.rules]\nschema = "loud"\n', /expected a table of rule or area/, /schema config/],
    ['a = \n', /skills\.config\.toml:1:5/, /schema config/],
    ['roots = ["nowhere"]\n', /nowhere" .* is not a folder/, /mkdir -p/],
  ])('explains the error in %j', async (text, message, hint) => {
    const error = await failure({
      cwd: createFolder({ 'skills.config.toml': text }),
      env: { HOME: '/nonexistent' },
    })
    expect(error).toBeInstanceOf(SkillsError)
    expect(error.code).toBe('config/invalid')
    expect(error.message).toMatch(message)
    expect(error.hint).toMatch(hint)
  })

  it('explains an error in a variable or a flag', async () => {
    const cwd = createFolder()
    const variable = await failure({ cwd, env: { HOME: cwd, SKILLS_RUN_TIMEOUT: 'never' } })
    expect(variable.message).toBe(
      'SKILLS_RUN_TIMEOUT is "never", expected a duration such as "30s" or a number of milliseconds',
    )
    const flag = await failure({ cwd, env: { HOME: cwd }, flags: { roots: ['gone'] } })
    expect(flag.code).toBe('usage/invalid')
    expect((await failure({ cwd, env: { HOME: cwd }, file: 'gone.toml' })).message).toContain(
      'does not exist',
    )
  })

  it('reads no file with noFiles', async () => {
    const cwd = createFolder({ 'skills.config.toml': 'broken' })
    expect((await loadConfig({ cwd, env: { HOME: cwd }, noFiles: true })).files).toEqual([])
  })
})

describe('quantities', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['1.5m', 90_000],
    ['2h', 7_200_000],
    ['250', 250],
    ['', undefined],
    ['s', undefined],
    ['-1s', undefined],
    ['1 year', undefined],
  ])('parses the duration %j', (text, value) => {
    expect(parseDuration(text)).toBe(value)
  })
  it.each([
    ['512MiB', 512 * 1024 ** 2],
    ['10 MB', 10_000_000],
    ['7', 7],
    ['1.5KiB', 1536],
    ['1XB', undefined],
    ['99999999999999999999', undefined],
  ])('parses the size %j', (text, value) => {
    expect(parseBytes(text)).toBe(value)
  })
})

describe('the retention of the audit log', () => {
  const setting = '[audit]\nttl = "30d"\nquota = "1GiB"\n'

  it('can be set only by the operator', async () => {
    const home = createFolder({ 'project/skills.config.toml': setting })
    const request = { cwd: join(home, 'project'), env: { HOME: home } }
    await expect(loadConfig(request)).rejects.toMatchObject({
      code: 'config/invalid',
      message: expect.stringContaining('"audit.ttl" is only allowed in the user'),
    })
  })

  it("applies in the operator's own configuration", async () => {
    const home = createFolder({ '.config/skills/config.toml': setting })
    const { config } = await loadConfig({ cwd: home, env: { HOME: home } })
    expect(config.audit).toMatchObject({ ttlMs: 30 * 86_400_000, quotaBytes: 1024 ** 3 })
  })
})
