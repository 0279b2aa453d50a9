// @module-tag slow
import { describe, expect, it } from 'vitest'
import { EXAMPLE_SKILL, createExampleToml } from '../../src/core/lint/example-skill.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const MARKDOWN = EXAMPLE_SKILL['SKILL.md'] as string
const CODE = EXAMPLE_SKILL['code/main.py'] as string

/** A skill with findings of two areas: schema (version, unknown key) and hygiene (CRLF). */
function createProject(config = ''): string {
  return createFolder({
    'skills.config.toml': config,
    'skills/greet/SKILL.md': MARKDOWN,
    'skills/greet/tests/greet.test.toml': EXAMPLE_SKILL['tests/greet.test.toml'] as string,
    'skills/greet/code/main.py': CODE.replaceAll('\n', '\r\n'),
    'skills/greet/skill.toml': createExampleToml({ version: '"1.0"', tgas: '["demo"]' }),
  })
}

async function listRules(args: readonly string[], config?: string): Promise<string[]> {
  const done = await runSkills(['lint', '--json', ...args], { cwd: createProject(config) })
  const { findings } = done.json() as { findings: { rule: string }[] }
  return [...new Set(findings.map(({ rule }) => rule))].sort()
}

const ALL = ['hygiene/crlf', 'schema/invalid-version', 'schema/unknown-key']
const SCHEMA = ALL.slice(1)

describe('skills lint --select and --ignore', () => {
  it.each([
    [[], ALL],
    [['--select', 'schema'], SCHEMA],
    [
      ['--select', 'hygiene,schema/unknown-key'],
      ['hygiene/crlf', 'schema/unknown-key'],
    ],
    [['--select', 'hygiene', '--select', 'schema'], ALL],
    [['--ignore', 'schema'], ['hygiene/crlf']],
    [['--ignore', 'hygiene, schema/unknown-key'], ['schema/invalid-version']],
    [['--select', 'schema', '--ignore', 'schema/unknown-key'], ['schema/invalid-version']],
    [['--select', 'schema', '--rule', 'hygiene/crlf=error'], SCHEMA],
    [['--select', 'schema', '--rule', 'schema/unknown-key=off'], ['schema/invalid-version']],
  ])('%j leaves %j', async (args, rules) => {
    expect(await listRules(args)).toEqual(rules)
  })

  it.each([
    ['rules = { schema = "off" }', [], ['hygiene/crlf']],
    ['rules = { schema = "off" }', ['--ignore', 'hygiene'], []],
    ['rules = { schema = "off" }', ['--select', 'schema/invalid-version'], SCHEMA.slice(0, 1)],
    ['rules = { "hygiene/crlf" = "off" }', ['--select', 'hygiene/crlf'], ['hygiene/crlf']],
    ['rules = { "hygiene/crlf" = "off" }', ['--select', 'hygiene'], []],
  ])('the setting %s with %j leaves %j', async (setting, args, rules) => {
    expect(await listRules(args, `[lint]\n${setting}\n`)).toEqual(rules)
  })

  it('an unknown rule is a usage error with a suggestion', async () => {
    const cwd = createProject()
    const typo = await runSkills(['lint', '--select', 'hygeine'], { cwd })
    expect(typo).toMatchObject({ code: 2, stdout: '' })
    expect(typo.stderr).toContain('"hygeine" is not a rule or area')
    expect(typo.stderr).toContain('Did you mean "hygiene"?')
    const id = await runSkills(['lint', '--ignore', 'schema,hygiene/crfl'], { cwd })
    expect(id.code).toBe(2)
    expect(id.stderr).toContain('Did you mean "hygiene/crlf"?')
    const empty = await runSkills(['lint', '--ignore', 'schema,'], { cwd })
    expect(empty.code).toBe(2)
    expect(empty.stderr).toContain('--ignore is "schema,", expected rules or areas')
  })

  it('an unknown rule in the configuration is reported with its line', async () => {
    const cwd = createProject('[lint]\nrules = { "hygiene/crfl" = "off" }\n')
    const done = await runSkills(['lint'], { cwd })
    expect(done.code).toBe(2)
    expect(done.stderr).toMatch(/skills\.config\.toml:2: "hygiene\/crfl" is not a rule/)
  })

  it('a comment for a rule that is not selected is not reported as unused', async () => {
    const cwd = createFolder({
      'skills/greet/SKILL.md': MARKDOWN,
      'skills/greet/code/main.py': CODE,
      'skills/greet/skill.toml': `# skills-lint-disable schema\n${createExampleToml({ version: '"1.0"' })}`,
    })
    const done = await runSkills(['lint', '--select', 'hygiene', '--json'], { cwd })
    expect(done.json()).toMatchObject({ findings: [] })
  })
})
