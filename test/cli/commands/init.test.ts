import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { createFolder, runSkills, type Tree } from '../../helpers/skills.ts'

const FILES = [
  'skills.config.toml',
  '.skills/skill.schema.json',
  '.skills/config.schema.json',
  '.skills/evals.schema.json',
  '.taplo.toml',
  '.gitignore',
  '.pre-commit-config.yaml',
  '.github/workflows/skills.yml',
]

interface Change {
  path: string
  action: string
  advice?: string
}

async function init(cwd: string, ...options: string[]): Promise<Change[]> {
  const done = await runSkills(['init', ...options, '--json'], { cwd })
  expect(done).toMatchObject({ code: 0, stderr: '' })
  return (done.json() as unknown as { files: Change[] }).files
}

/** Contents by path. */
function readTree(cwd: string): Record<string, string> {
  const paths = readdirSync(cwd, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'utf8')]))
}

async function extend(tree: Tree, path: string): Promise<{ change: Change; text: string }> {
  const cwd = createFolder(tree)
  const change = (await init(cwd)).find((each) => each.path === path)
  const before = readTree(cwd)
  await init(cwd)
  expect(readTree(cwd)).toEqual(before)
  return { change: change as Change, text: readFileSync(join(cwd, path), 'utf8') }
}

const EVALS = '# Saved runs of "skills test --evals".\nskills-evals/\n'
const SECRETS = '# Values of secrets, for --secrets-file.\n.env\n'

describe('skills init', () => {
  it('writes valid files, and nothing when it is repeated', async () => {
    const cwd = createFolder()
    expect((await init(cwd)).map(({ path, action }) => [path, action])).toEqual(
      FILES.map((path) => [path, 'create']),
    )
    const before = readTree(cwd)
    expect(Object.keys(before)).toHaveLength(FILES.length)
    const config = await runSkills(['config'], { cwd })
    expect(config).toMatchObject({ code: 0, stderr: expect.stringContaining('Read') as string })
    const read = (path: string) => readFileSync(join(cwd, path), 'utf8')
    const { rule } = parseToml(read('.taplo.toml')) as {
      rule: { schema: { path: string } }[]
    }
    for (const { schema } of rule) expect(existsSync(join(cwd, schema.path))).toBe(true)
    expect(parseYaml(read('.pre-commit-config.yaml'))).toMatchObject({
      repos: [{ repo: 'local', hooks: [{ id: 'skills-lint' }] }],
    })
    expect(parseYaml(read('.github/workflows/skills.yml'))).toHaveProperty('jobs.lint.steps')
    expect((await init(cwd)).every(({ action }) => action === 'unchanged')).toBe(true)
    expect(readTree(cwd)).toEqual(before)
  })

  it('writes a configuration whose comments are valid settings', async () => {
    const cwd = createFolder({ 'shared-skills/notes.txt': '' })
    const project = join(cwd, 'project')
    mkdirSync(project)
    await init(project)
    const file = join(project, 'skills.config.toml')
    const text = readFileSync(file, 'utf8').replaceAll(/^# (?=\[|\w+ = )/gm, '')
    expect(text).toMatch(/^roots = .*^\[run\].*^memory = /ms)
    writeFileSync(file, text)
    expect(await runSkills(['config'], { cwd: project })).toMatchObject({ code: 0 })
  })

  it('--dry-run writes nothing', async () => {
    const cwd = createFolder()
    expect((await init(cwd, '--dry-run')).every(({ action }) => action === 'create')).toBe(true)
    expect(readdirSync(cwd)).toEqual([])
    const { stdout } = await runSkills(['init', '--dry-run'], { cwd })
    expect(stdout).toContain('Would create skills.config.toml (configuration)\n')
  })

  it('writes a workflow that installs the package, with a note until it is published', async () => {
    const cwd = createFolder()
    await init(cwd)
    const workflow = readFileSync(join(cwd, '.github/workflows/skills.yml'), 'utf8')
    expect(workflow).toMatch(
      /# Until skills-protocol is published, .*\n +run: npm install --global skills-protocol@0\n/,
    )
    expect(workflow).toContain('run: skills test || [ $? -eq 3 ]')
    expect(Object.values(readTree(cwd)).join('\n')).not.toMatch(/npx |rev:/)
  })

  it('writes a hook that checks skills', async () => {
    const cwd = createFolder()
    await init(cwd)
    const { repos } = parseYaml(readFileSync(join(cwd, '.pre-commit-config.yaml'), 'utf8')) as {
      repos: { hooks: { entry: string; files: string }[] }[]
    }
    const { entry = '', files = '' } = repos[0]?.hooks[0] ?? {}
    await runSkills(['new', 'demo.hello', '--yes'], { cwd })
    const touched = ['skills/hello/skill.toml', 'skills/hello/code/main.py', 'README.md']
    const matching = touched.filter((path) => new RegExp(files).test(path))
    expect(matching).toEqual(touched.slice(0, 2))
    const argv = [...entry.split(' ').slice(1), ...matching]
    expect(await runSkills(argv, { cwd })).toMatchObject({ code: 0 })
    const toml = join(cwd, 'skills/hello/skill.toml')
    writeFileSync(toml, readFileSync(toml, 'utf8').replace('"action"', '"acton"'))
    expect(await runSkills(argv, { cwd })).toMatchObject({ code: 1 })
  })
})

describe('skills init with existing files', () => {
  it('adds the hook and preserves comments', async () => {
    const before =
      '# mine\nrepos:\n- repo: https://host.example/hooks\n  rev: v1 # pinned\n  hooks:\n  - id: other\n\nci: {autofix: false}\n'
    const { change, text } = await extend(
      { '.pre-commit-config.yaml': before },
      '.pre-commit-config.yaml',
    )
    expect(change.action).toBe('extend')
    expect(
      text.startsWith('# mine\nrepos:\n- repo: https://host.example/hooks\n  rev: v1 # pinned'),
    ).toBe(true)
    expect(parseYaml(text)).toMatchObject({
      repos: [{ hooks: [{ id: 'other' }] }, { hooks: [{ id: 'skills-lint' }] }],
      ci: { autofix: false },
    })
  })

  it.each([
    ['an inline list', 'repos: []\n'],
    ['no list', 'ci: {}\n'],
    ['a syntax error', 'repos: [\n'],
    ['nothing', ''],
  ])('explains which hook to add to a configuration with %s', async (_title, before) => {
    const { change, text } = await extend(
      { '.pre-commit-config.yaml': before },
      '.pre-commit-config.yaml',
    )
    expect(change).toMatchObject({
      action: 'kept',
      advice: expect.stringContaining('skills-lint') as string,
    })
    expect(text).toBe(before)
  })

  it('adds the rules of the schemas to the configuration of Taplo', async () => {
    const before = '# mine\n[formatting]\nindent_tables = true'
    const { change, text } = await extend({ 'taplo.toml': before }, 'taplo.toml')
    expect(change.action).toBe('extend')
    expect(text.startsWith(before)).toBe(true)
    expect(parseToml(text)).toMatchObject({ formatting: { indent_tables: true } })
    expect((parseToml(text) as { rule: unknown[] }).rule).toHaveLength(2)
  })

  it.each([
    ['.taplo.toml', 'rule = []\n'],
    ['.taplo.toml', 'rule = ['],
    ['.skills/skill.schema.json', '{}\n'],
    ['.github/workflows/skills.yml', 'name: mine\n'],
  ])('leaves %s unchanged and explains what to do', async (path, before) => {
    const { change, text } = await extend({ [path]: before }, path)
    expect(change.action).toBe('kept')
    expect(change.advice).toMatch(/skill/)
    expect(text).toBe(before)
  })

  it('leaves a configuration and a workflow with the check unchanged', async () => {
    const config = 'roots = []\n'
    const workflow = 'run: skills lint\n'
    expect(await extend({ 'skills.config.toml': config }, 'skills.config.toml')).toMatchObject({
      change: { action: 'unchanged' },
      text: config,
    })
    const path = '.github/workflows/skills.yaml'
    expect(await extend({ [path]: workflow }, path)).toMatchObject({
      change: { action: 'unchanged' },
      text: workflow,
    })
  })

  it.each([
    ['', `${EVALS}\n${SECRETS}`],
    ['dist', `dist\n\n${EVALS}\n${SECRETS}`],
    ['skills-evals', `skills-evals\n\n${SECRETS}`],
    ['.env*\n', `.env*\n\n${EVALS}`],
    ['!/skills-evals/\n!.env\n', '!/skills-evals/\n!.env\n'],
  ])(
    'adds the folder of evals and the secrets to the ignored ones once: %j',
    async (before, after) => {
      const { text } = await extend({ '.gitignore': before }, '.gitignore')
      expect(text).toBe(after)
    },
  )

  it('follows no symbolic link', async () => {
    const outside = createFolder({ 'taplo.toml': 'mine = true\n' })
    const cwd = createFolder()
    symlinkSync(outside, join(cwd, '.github'))
    symlinkSync(join(outside, 'taplo.toml'), join(cwd, '.taplo.toml'))
    symlinkSync(join(outside, 'absent'), join(cwd, 'skills.config.toml'))
    const kept = (await init(cwd)).filter(({ action }) => action === 'kept')
    expect(kept.map(({ path }) => path)).toEqual([
      'skills.config.toml',
      '.taplo.toml',
      '.github/workflows/skills.yml',
    ])
    expect(readTree(outside)).toEqual({ [join(outside, 'taplo.toml')]: 'mine = true\n' })
    // The control: a write would go through the link.
    mkdirSync(join(cwd, '.github/written'))
    expect(existsSync(join(outside, 'written'))).toBe(true)
  })

  it('reports a folder in the way', async () => {
    const cwd = createFolder({ '.skills': 'mine', '.taplo.toml/x': '' })
    const kept = (await init(cwd)).filter(({ action }) => action === 'kept')
    expect(kept.map(({ advice }) => advice)).toEqual([
      '".skills" is not a folder',
      '".skills" is not a folder',
      '".skills" is not a folder',
      'it is not a file',
    ])
  })
})

it('writes no configuration into a skill, where none is read', async () => {
  const cwd = createFolder({ 'SKILL.md': '---\nname: demo\ndescription: x\n---\nx\n' })
  const [config] = await init(cwd)
  expect(config).toMatchObject({ path: 'skills.config.toml', action: 'kept' })
  expect(existsSync(join(cwd, 'skills.config.toml'))).toBe(false)
  expect(existsSync(join(cwd, '.pre-commit-config.yaml'))).toBe(true)
})
