import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { resolveColorLevel } from '../../src/cli/context.ts'
import { formatShellPrompt } from '../../src/cli/commands/shell.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const ESCAPE = '\u001B['

/** A skill with a finding that has a code frame. */
function createProject(): string {
  const tree = createActionSkill('demo.greet')
  const toml = String(tree['skill.toml']).replace('"action"', '"acton"')
  return createFolder(prefixPaths('skills/greet', { ...tree, 'skill.toml': toml }))
}

/** Output with colours: of the code frames of lint, of a table, of an error. */
const OUTPUTS: readonly [string[], 'stdout' | 'stderr'][] = [
  [['lint'], 'stdout'],
  [['rules'], 'stdout'],
  [['config'], 'stdout'],
  [['describe', 'skills.protocol.guide'], 'stdout'],
  [['lis'], 'stderr'],
  [['config', 'set', 'run.timeot', '1s'], 'stderr'],
]

describe.each(OUTPUTS)('colours of %j', (argv, stream) => {
  const isColored = async (env: Record<string, string>, tty = false, flags: string[] = []) => {
    const invocation = { cwd: createProject(), env: { TERM: 'xterm', ...env }, tty }
    return (await runSkills([...argv, ...flags], invocation))[stream].includes(ESCAPE)
  }

  it('are on for terminals and off in a pipe', async () => {
    expect([await isColored({}, true), await isColored({})]).toEqual([true, false])
  })

  it('are on in a pipe with FORCE_COLOR=1, which overrides NO_COLOR', async () => {
    expect(await isColored({ FORCE_COLOR: '1' })).toBe(true)
    expect(await isColored({ FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(true)
  })

  it('are off on terminals with FORCE_COLOR=0, NO_COLOR or --no-color', async () => {
    expect(await isColored({ FORCE_COLOR: '0' }, true)).toBe(false)
    expect(await isColored({ NO_COLOR: '1' }, true)).toBe(false)
    expect(await isColored({ FORCE_COLOR: '1' }, true, ['--no-color'])).toBe(false)
  })
})

describe('resolveColorLevel', () => {
  it.each([
    [{ FORCE_COLOR: '' }, false, 1],
    [{ FORCE_COLOR: 'true' }, false, 1],
    [{ FORCE_COLOR: '2' }, false, 2],
    [{ FORCE_COLOR: '3', NO_COLOR: '1', TERM: 'dumb' }, false, 3],
    [{ FORCE_COLOR: 'false' }, true, 0],
    [{ NO_COLOR: '' }, true, 1],
    [{ TERM: 'dumb' }, true, 0],
    [{ TERM: 'xterm-256color' }, true, 2],
    [{ COLORTERM: 'truecolor' }, true, 3],
  ])('with %j and a terminal %j is %i', (env, isTTY, level) => {
    expect(resolveColorLevel({ env }, { color: undefined }, { isTTY })).toBe(level)
  })
})

it.each(['json', 'sarif', 'github'])('lint --format %s is never coloured', async (format) => {
  const at = { cwd: createProject(), env: { FORCE_COLOR: '3' } }
  const { stdout } = await runSkills(['lint', '--format', format], at)
  expect(stdout).not.toBe('')
  expect(stdout).not.toContain(ESCAPE)
})

it('the prompt of skills shell follows the same variables and flags', () => {
  const prompt = (env: Record<string, string>, color?: boolean) =>
    formatShellPrompt(
      {
        env,
        global: { color } as never,
        stdout: Object.assign(new PassThrough(), { isTTY: true }),
      },
      'demo.greet',
    )
  expect(prompt({})).toContain('\\e[36m')
  expect(prompt({ NO_COLOR: '1' })).not.toContain('\\e[')
  expect(prompt({ FORCE_COLOR: '0' })).not.toContain('\\e[')
  expect(prompt({}, false)).not.toContain('\\e[')
})
