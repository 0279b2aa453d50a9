import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, runSkills, writeTree } from '../../helpers/skills.ts'

const NAME = 'skills.config.toml'

describe('skills config set', () => {
  it('creates the file of the project, and changes only its value later', async () => {
    const cwd = createFolder()
    const { code, stdout } = await runSkills(['config', 'set', 'run.timeout', '2s'], { cwd })
    expect([code, stdout]).toEqual([0, `run.timeout is set in ${NAME}\n`])
    expect(readFileSync(join(cwd, NAME), 'utf8')).toBe('[run]\ntimeout = "2s"\n')
    expect((await runSkills(['config', 'get', 'run.timeout'], { cwd })).stdout).toBe('2 s\n')
    const again = await runSkills(['config', 'set', 'run.timeout', '2s'], { cwd })
    expect(again.stdout).toContain('run.timeout is already set in')
  })

  it('changes the file of the project that contains the current folder', async () => {
    const dir = createFolder({ [NAME]: '', 'below/env/python': '' })
    const cwd = join(dir, 'below')
    await runSkills(['config', 'set', 'run.python', 'env/python'], { cwd })
    expect(readFileSync(join(dir, NAME), 'utf8')).toBe('[run]\npython = "below/env/python"\n')
    expect(existsSync(join(cwd, NAME))).toBe(false)
  })

  it.each([
    ['run.limits.memory 64m', '[run.limits]\nmemory = "64m"\n'],
    ['run.limits.memory 1048576', '[run.limits]\nmemory = 1048576\n'],
    ['run.warm false', '[run]\nwarm = false\n'],
    ['run.max_concurrent 3', '[run]\nmax_concurrent = 3\n'],
    ['run.backend process', '[run]\nbackend = "process"\n'],
    ['lint.profiles mcp openai', '[lint]\nprofiles = ["mcp", "openai"]\n'],
    ['lint.profiles ["mcp"]', '[lint]\nprofiles = ["mcp"]\n'],
    ['lint.ignore []', '[lint]\nignore = []\n'],
    ['lint.rules.naming off', '[lint.rules]\nnaming = "off"\n'],
    ['lint.rules {"naming":"off"}', '[lint]\nrules = { "naming" = "off" }\n'],
    ['repositories.app .', '[repositories]\napp = "."\n'],
    [
      'repositories.app {"path":".","mode":"overlay"}',
      '[repositories]\napp = { "path" = ".", "mode" = "overlay" }\n',
    ],
  ])('writes %s in a notation that every command reads', async (words, text) => {
    const cwd = createFolder()
    const set = await runSkills(['config', 'set', ...words.split(' ')], { cwd })
    expect(set).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(join(cwd, NAME), 'utf8')).toBe(text)
    expect((await runSkills(['config'], { cwd })).code).toBe(0)
  })

  it.each([
    ['run.timeot 2s', 'Did you mean "skills config set run.timeout"?'],
    ['run 2s', '"run" is a group of settings, expected one setting such as run.backend'],
    ['run.timeout soon', '"run.timeout" is "soon", expected a duration such as "30s"'],
    ['run.timeout 1s 2s', '"run.timeout" is "1s" "2s", expected one value'],
    ['run.warm yes', '"run.warm" is "yes", expected one of true, false, aslr'],
    ['redaction.patterns (?=a)b', 'lookaround and flags are not supported'],
    ['run.network.allow_private a/b/c', 'expected a host, an address or a range'],
    ['run.backend magic', 'expected one of auto, namespaces, bubblewrap, container, process'],
    ['run.max_concurrent 0', 'expected a whole number above 0'],
    ['lint.profiles mpc', 'expected one of agent-skills'],
    ['lint.profiles [1', 'expected a JSON list'],
    ['lint.rules naming', 'entries can be set one by one as lint.rules.<name>'],
    ['lint.rules.naming loud', 'expected error, warning, info or off'],
    ['lint.rules.namin off', 'Did you mean'],
    ['roots missing', 'is not a folder'],
    ['audit.ttl 1d', `"audit.ttl" is only allowed in the user's configuration`],
    ['--no-config run.warm true', 'got --no-config'],
    ['--global --config x run.warm true', 'Expected --global or --config, got both'],
    ['run.warm', 'missing <value>'],
  ])('refuses "%s" and writes nothing', async (words, message) => {
    const cwd = createFolder()
    const { code, stderr } = await runSkills(['config', 'set', ...words.split(' ')], { cwd })
    expect(code).toBe(2)
    expect(stderr.toLowerCase()).toContain(message.toLowerCase())
    expect(existsSync(join(cwd, NAME))).toBe(false)
  })

  it("changes the user's file with --global, whose paths are absolute", async () => {
    const env = { HOME: createFolder() }
    const cwd = createFolder()
    mkdirSync(join(cwd, 'mine'))
    for (const words of ['audit.ttl 1d', 'roots mine'])
      expect(
        (await runSkills(['config', 'set', '--global', ...words.split(' ')], { cwd, env })).code,
      ).toBe(0)
    const text = readFileSync(join(env.HOME, '.config/skills/config.toml'), 'utf8')
    expect(text).toBe(`roots = ["${join(cwd, 'mine')}"]\n\n[audit]\nttl = "1d"\n`)
    expect(existsSync(join(cwd, NAME))).toBe(false)
  })

  it('reports a source that overrides the file', async () => {
    const at = { cwd: createFolder(), env: { SKILLS_RUN_TIMEOUT: '9s' } }
    const { code, stderr } = await runSkills(['config', 'set', 'run.timeout', '2s'], at)
    expect(code).toBe(0)
    expect(stderr).toContain('run.timeout is now 9 s (environment: SKILLS_RUN_TIMEOUT)')
  })

  it('corrects an invalid value', async () => {
    const cwd = createFolder({ [NAME]: '[run]\ntimeout = "soon"\n' })
    expect((await runSkills(['config', 'get', 'run.timeout'], { cwd })).code).toBe(2)
    expect((await runSkills(['config', 'set', 'run.timeout', '2s'], { cwd })).code).toBe(0)
    expect((await runSkills(['config', 'get', 'run.timeout'], { cwd })).stdout).toBe('2 s\n')
  })

  it('prints one JSON document', async () => {
    const cwd = createFolder()
    const { json } = await runSkills(['config', 'set', 'run.timeout', '2s', '--json'], { cwd })
    expect(json()).toMatchObject({
      schema: 'skills.setting-change/v1',
      action: 'set',
      key: 'run.timeout',
      file: join(cwd, NAME),
      changed: true,
      setting: { key: 'run.timeout', value: 2000, unit: 'ms', origin: { layer: 'project' } },
    })
  })
})

describe('skills config unset', () => {
  it('removes a value and shows the effective one', async () => {
    const cwd = createFolder()
    writeTree(cwd, { [NAME]: '# Mine\n[run]\nwarm = true\ntimeout = "2s"\n' })
    const { code, stdout, stderr } = await runSkills(['config', 'unset', 'run.timeout'], { cwd })
    expect([code, stdout]).toEqual([0, `run.timeout is removed from ${NAME}\n`])
    expect(stderr).toContain('run.timeout is now 5 min (built in)')
    expect(readFileSync(join(cwd, NAME), 'utf8')).toBe('# Mine\n[run]\nwarm = true\n')
    const again = await runSkills(['config', 'unset', 'run.timeout'], { cwd })
    expect([again.code, again.stdout]).toEqual([0, `run.timeout is not in ${NAME}\n`])
  })

  it('does not create a file', async () => {
    const cwd = createFolder()
    expect((await runSkills(['config', 'unset', 'run.timeout'], { cwd })).code).toBe(0)
    expect(existsSync(join(cwd, NAME))).toBe(false)
  })
})
