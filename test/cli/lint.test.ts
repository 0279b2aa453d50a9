import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { REPORT_NAMES } from '../../src/cli/lint-request.ts'
import { EXAMPLE_SKILL, createExampleToml } from '../../src/core/lint/example-skill.ts'
import { REPORTERS } from '../../src/core/lint/report/index.ts'
import { createFolder, writeTree, runSkills, type Tree } from '../helpers/skills.ts'

function project(changes: Tree = {}, name = 'greet'): string {
  const tree = Object.fromEntries(
    Object.entries({ ...EXAMPLE_SKILL, ...changes }).map(([path, text]) => [
      `skills/${name}/${path}`,
      text,
    ]),
  )
  return createFolder(tree)
}

const BAD = { 'skill.toml': createExampleToml({ version: '"1.0"', tgas: '["demo"]' }) }

describe('skills lint', () => {
  it('reports a valid skill as clean: exit 0', async () => {
    const done = await runSkills(['lint'], { cwd: project() })
    expect(done).toMatchObject({ code: 0, stdout: 'No problems, 1 skill checked\n', stderr: '' })
  })

  it('shows location, code frame, advice and rule: exit 1', async () => {
    const done = await runSkills(['lint'], { cwd: project(BAD) })
    expect(done.code).toBe(1)
    expect(done.stdout).toContain(
      'skills/greet/skill.toml:2:11  error  version is "1.0", expected a semantic version',
    )
    expect(done.stdout).toContain(' 2 │ version = "1.0"\n   │           ^^^^^')
    expect(done.stdout).toContain('help: Did you mean "1.0.0"?')
    expect(done.stdout).toContain('1 error, 1 warning, 1 skill checked')
  })

  it.each([
    ['a skill', 'skills/greet'],
    ['a folder of skills', 'skills'],
    ['a file inside', 'skills/greet/code/main.py'],
    ['the same skill twice', 'skills/greet/SKILL.md skills/greet/skill.toml skills/greet'],
  ])('accepts %s and checks the skill once', async (_, paths) => {
    const done = await runSkills(['lint', ...paths.split(' '), '--json'], { cwd: project(BAD) })
    expect(done.json()).toMatchObject({
      schema: 'skills.lint/v1',
      summary: { skills: 1, errors: 1, warnings: 1 },
    })
  })

  it('works inside a skill and inside its folders', async () => {
    const cwd = project(BAD)
    expect((await runSkills(['lint'], { cwd: join(cwd, 'skills/greet') })).code).toBe(1)
    expect((await runSkills(['lint', '.'], { cwd: join(cwd, 'skills/greet/code') })).code).toBe(1)
  })

  it('rejects paths that do not exist or are outside skills: exit 2', async () => {
    const cwd = createFolder({ 'other/a.txt': 'x' })
    const missing = await runSkills(['lint', 'nope'], { cwd })
    expect(missing).toMatchObject({ code: 2, stdout: '' })
    expect(missing.stderr).toContain('"nope" does not exist')
    const outside = await runSkills(['lint', 'other/a.txt', '--json'], { cwd })
    expect(outside.code).toBe(2)
    expect(outside.json()).toMatchObject({ error: { code: 'usage/invalid' } })
  })

  it('reports two skills of one name, with both paths', async () => {
    const cwd = project()
    for (const [path, text] of Object.entries(EXAMPLE_SKILL))
      writeTree(cwd, { [`skills/other/${path}`]: text })
    const done = await runSkills(['lint', '--format', 'concise', '--rule', 'portability=off'], {
      cwd,
    })
    expect(done.stdout).toContain(
      'skills/other/skill.toml:1:8: error "demo.greet" 0.1.0 is already the skill in "../greet"',
    )
  })

  it('applies safe fixes with --fix, all with --fix-unsafe, and keeps comments', async () => {
    const cwd = project({
      'skill.toml': `# mine\r\n${createExampleToml({ version: '"1.0" # note', tags: '["A B"]' })}`,
    })
    const file = join(cwd, 'skills/greet/skill.toml')
    const safe = await runSkills(['lint', '--fix'], { cwd })
    expect(safe.code).toBe(1)
    expect(readFileSync(file, 'utf8')).toContain('# mine\nname')
    expect(readFileSync(file, 'utf8')).toContain('version = "1.0" # note\n')
    expect(readFileSync(file, 'utf8')).toContain('tags = ["a-b"]')
    const unsafe = await runSkills(['lint', '--fix-unsafe'], { cwd })
    expect(unsafe.code).toBe(0)
    expect(readFileSync(file, 'utf8')).toContain('version = "1.0.0" # note\n')
  })

  it('previews with --diff and writes nothing', async () => {
    const cwd = project(BAD)
    const done = await runSkills(['lint', '--fix-unsafe', '--diff'], { cwd })
    expect(done.code).toBe(1)
    expect(done.stdout).toContain(
      '--- a/skills/greet/skill.toml\n+++ b/skills/greet/skill.toml\n@@',
    )
    expect(done.stdout).toContain('-version = "1.0"\n+version = "1.0.0"')
    expect(readFileSync(join(cwd, 'skills/greet/skill.toml'), 'utf8')).toBe(BAD['skill.toml'])
  })

  it('never writes through a link to the outside', async () => {
    const cwd = project()
    const victim = join(createFolder({ 'victim.md': '# x  \ntrailing   \n' }), 'victim.md')
    mkdirSync(join(cwd, 'skills/greet/resources'))
    symlinkSync(victim, join(cwd, 'skills/greet/resources/link.md'))
    await runSkills(['lint', '--fix-unsafe'], { cwd })
    expect(readFileSync(victim, 'utf8')).toBe('# x  \ntrailing   \n')
  })

  it('fixes permission bits', async () => {
    const cwd = project()
    const file = join(cwd, 'skills/greet/skill.toml')
    chmodSync(file, 0o777)
    expect((await runSkills(['lint', '--fix'], { cwd })).code).toBe(0)
    expect(statSync(file).mode & 0o777).toBe(0o664)
  })

  it('checks stdin in place of a file, saved or not', async () => {
    const cwd = project()
    const args = ['lint', '--stdin', '--stdin-filename', 'skills/greet/skill.toml']
    expect((await runSkills(args, { cwd, stdin: createExampleToml() })).code).toBe(0)
    const bad = await runSkills(args, { cwd, stdin: BAD['skill.toml'] })
    expect(bad.code).toBe(1)
    expect(bad.stdout).toContain('version = "1.0"')
    const fixed = await runSkills([...args, '--fix-unsafe'], { cwd, stdin: BAD['skill.toml'] })
    expect(fixed.stdout).toContain('version = "1.0.0"')
    expect(fixed.stdout).toMatch(/^name = /)
    expect(readFileSync(join(cwd, 'skills/greet/skill.toml'), 'utf8')).toBe(createExampleToml())
    expect((await runSkills(['lint', '--stdin'], { cwd })).code).toBe(2)
    expect((await runSkills(['lint', '--stdin-filename', 'x'], { cwd })).code).toBe(2)
  })

  it('applies severities of the command line, the configuration and per path', async () => {
    const cwd = project(BAD)
    expect((await runSkills(['lint', '--rule', 'schema=off'], { cwd })).code).toBe(0)
    writeFileSync(
      join(cwd, 'skills.config.toml'),
      '[lint.rules]\n"schema/invalid-version" = "info"\nschema = "warning"\n',
    )
    expect((await runSkills(['lint', '--json'], { cwd })).json()).toMatchObject({
      summary: { errors: 0, warnings: 1, infos: 1 },
    })
    writeFileSync(
      join(cwd, 'skills.config.toml'),
      '[[lint.overrides]]\nfiles = ["skills/gr*/**"]\nrules = { schema = "off" }\n',
    )
    expect((await runSkills(['lint'], { cwd })).code).toBe(0)
    writeFileSync(join(cwd, 'skills.config.toml'), '[lint]\nignore = ["skills/greet"]\n')
    expect((await runSkills(['lint'], { cwd })).code).toBe(0)
    const unknown = await runSkills(['lint', '--rule', 'schema/invalid-versoin=off'], { cwd })
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain('Did you mean "schema/invalid-version"?')
    expect((await runSkills(['lint', '--rule', 'schema=loud'], { cwd })).code).toBe(2)
  })

  it('accepts up to --max-warnings warnings', async () => {
    const cwd = project({ 'skill.toml': createExampleToml({ tgas: '["demo"]' }) })
    expect((await runSkills(['lint'], { cwd })).code).toBe(1)
    expect((await runSkills(['lint', '--max-warnings', '1'], { cwd })).code).toBe(0)
    expect((await runSkills(['lint', '--max-warnings', 'x'], { cwd })).code).toBe(2)
  })

  it('applies suppressions and reports unused ones', async () => {
    const text = createExampleToml({ version: '"1.0"' })
    const cwd = project({
      'skill.toml': text.replace(
        'version',
        '# skills-lint-disable-next-line schema/invalid-version -- on purpose\nversion',
      ),
    })
    expect((await runSkills(['lint'], { cwd })).code).toBe(0)
    writeFileSync(
      join(cwd, 'skills/greet/skill.toml'),
      `# skills-lint-disable schema/invalid-version\n${text}`,
    )
    expect((await runSkills(['lint'], { cwd })).code).toBe(0)
    writeFileSync(
      join(cwd, 'skills/greet/skill.toml'),
      `# skills-lint-disable-line nmaing\n${createExampleToml()}`,
    )
    const unknown = await runSkills(['lint', '--format', 'concise'], { cwd })
    expect(unknown.stdout).toContain(
      'skill.toml:1:28: warning "nmaing" is not a rule that can be turned off [hygiene/unused-suppression]',
    )
  })

  it('reports checks that need a missing Python: exit 3, with the other findings', async () => {
    const cwd = project(BAD)
    const done = await runSkills(['lint'], {
      cwd,
      env: { SKILLS_RUN_PYTHON: join(cwd, 'no-python') },
    })
    expect(done.code).toBe(3)
    expect(done.stderr).toContain('Cannot check the code of 1 Python skill')
    expect(done.stderr.length).toBeLessThan(500)
    expect(done.stdout).toContain('version is "1.0"')
  })

  it('explains every option of a rule', async () => {
    const done = await runSkills(['lint', '--explain', 'naming/invalid-name'])
    expect(done.code).toBe(0)
    for (const part of [
      'What',
      'Why',
      'Example',
      '-name = "Demo.Greet You"',
      '+name = "demo.greet"',
      'How to fix it',
    ]) {
      expect(done.stdout).toContain(part)
    }
    const json = await runSkills(['lint', '--explain', 'naming/invalid-name', '--json'])
    expect(json.json()).toMatchObject({
      schema: 'skills.rule/v1',
      rule: { id: 'naming/invalid-name', fixable: 'unsafe' },
    })
    const misspelt = await runSkills(['lint', '--explain', 'invalid-nam'])
    expect(misspelt.code).toBe(2)
  })
})

describe('the formats of skills lint', () => {
  it('match the choices of the option', () => {
    expect(REPORTERS.map((reporter) => reporter.name)).toEqual(REPORT_NAMES)
  })

  it('concise and agent: one line per finding', async () => {
    const cwd = project(BAD)
    const concise = await runSkills(['lint', '--format', 'concise'], { cwd })
    expect(concise.stdout.split('\n')[0]).toBe(
      'skills/greet/skill.toml:2:11: error version is "1.0", expected a semantic version such as "0.1.0" [schema/invalid-version]',
    )
    const agent = await runSkills(['lint', '--format', 'agent'], { cwd })
    expect(agent.stdout).toContain('-> Did you mean "1.0.0"? (--fix-unsafe)')
  })

  it('github: escaped annotations', async () => {
    const done = await runSkills(['lint', '--format', 'github'], { cwd: project(BAD) })
    expect(done.stdout).toContain(
      '::error file=skills/greet/skill.toml,line=2,endLine=2,col=11,endColumn=15,title=schema/invalid-version::version is "1.0"',
    )
  })

  it('sarif: rules, regions and stable fingerprints', async () => {
    const cwd = project(BAD)
    const done = await runSkills(['lint', '--format', 'sarif'], { cwd })
    const sarif = JSON.parse(done.stdout)
    const [run] = sarif.runs
    expect(sarif.version).toBe('2.1.0')
    expect(run.columnKind).toBe('utf16CodeUnits')
    const [result] = run.results
    expect(run.tool.driver.rules[result.ruleIndex].id).toBe(result.ruleId)
    expect(result.locations[0].physicalLocation).toMatchObject({
      artifactLocation: { uri: 'skills/greet/skill.toml' },
      region: { startLine: 2, startColumn: 11, endLine: 2, endColumn: 16 },
    })
    expect(Object.values(result.partialFingerprints)[0]).toMatch(/^[0-9a-f]{32}$/)
  })

  it('junit: well-formed, with every finding', async () => {
    const done = await runSkills(['lint', '--format', 'junit'], { cwd: project(BAD) })
    expect(done.stdout).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="skills lint" tests="2" failures="2">/,
    )
    expect(done.stdout).toContain('&quot;1.0&quot;')
  })

  it('are written to --output-file without colours', async () => {
    const cwd = project(BAD)
    const done = await runSkills(['lint', '--output-file', 'report.txt', '--color'], { cwd })
    expect(done).toMatchObject({ code: 1, stdout: '' })
    expect(readFileSync(join(cwd, 'report.txt'), 'utf8')).not.toContain('\u001B')
    expect(existsSync(join(cwd, 'report.txt'))).toBe(true)
    expect((await runSkills(['lint', '--output-file', 'no/where.txt'], { cwd })).code).toBe(3)
  })
})

describe('skills lint --rules', () => {
  it('lists all rules, or one area', async () => {
    const all = await runSkills(['rules', '--json'])
    const { rules } = all.json() as { rules: { id: string }[] }
    expect(rules.length).toBeGreaterThanOrEqual(60)
    const one = await runSkills(['rules', 'naming'])
    expect(one.stdout).toContain('naming/invalid-name')
    expect(one.stdout).not.toContain('schema/')
    expect((await runSkills(['rules', 'nmaing'])).code).toBe(2)
  })
})

describe('output of skills new', () => {
  // A sentence of these templates asks the author to replace it.
  const asksForChange = new Set(['instruction', 'python-network'])

  it.each(['instruction', 'python', 'python-blobs', 'python-network'])(
    'lints clean at every severity, but for sentences that ask for a change: %s',
    async (template) => {
      const cwd = createFolder()
      const created = await runSkills(
        [
          'new',
          'demo.thing',
          '--template',
          template,
          '--description',
          'Does one useful thing with text.',
          '--yes',
        ],
        { cwd },
      )
      expect(created.code).toBe(0)
      const done = await runSkills(['lint', '--json'], { cwd })
      expect(done.json()).toMatchObject({
        findings: asksForChange.has(template) ? [{ rule: 'hygiene/placeholder' }] : [],
        failures: [],
        summary: { skills: 1 },
      })
    },
  )
})
