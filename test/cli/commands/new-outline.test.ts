import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { TEMPLATE_LANGUAGES, TEMPLATES } from '../../../src/core/skills/scaffold/templates.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'
import { splitCommand } from '../../helpers/split-command.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Every type, an optional input, a Python keyword, two hosts and a secret. */
const EVERYTHING = [
  '--input',
  'class:string=Class of it | "quoted" */ \\ {braces}',
  '--input',
  'count:integer',
  '--input',
  'ratio:number',
  '--input',
  'strict:boolean',
  '--input',
  'options:object',
  '--input',
  'rows:array',
  '--input',
  'table:blob',
  '--input',
  'other:any',
  '--input',
  'unit?:string=Unit of the result',
  '--network',
  'https://*.example.com',
  '--network',
  'https://api.example.org',
  '--secret',
  'CRM_KEY',
  '--secret',
  'LOG_KEY',
  '--result',
  'total:integer',
  '--result',
  'mean:number',
  '--result',
  'ok:boolean',
  '--result',
  'details:object',
  '--result',
  'list:array',
  '--result',
  'report:blob',
  '--result',
  'text:string=The text of it',
]
/** Interfaces with one part each. */
const PARTS = {
  blob: ['--input', 'table:blob'],
  secret: ['--secret', 'CRM_KEY'],
  result: ['--result', 'total:integer'],
  optional: ['--input', 'unit?:string'],
  host: ['--network', 'http://api.example.org:8080'],
}

/** Creates a skill and returns the words of its example call. */
async function createSkill(
  cwd: string,
  options: readonly string[],
  name = 'demo.thing',
): Promise<string[]> {
  const description = `Counts the rows of a table for ${name}. Use it for tables.`
  const argv = ['new', name, '--yes', '--description', description, ...options, '--json']
  const created = await runSkills(argv, { cwd })
  expect(created.stderr).toBe('')
  const next = created.json()['next'] as string[]
  return splitCommand(next.find((line) => line.startsWith('skills exec')) ?? '').slice(1)
}

describe('a skill from a description of its interface', () => {
  it.each(TEMPLATE_LANGUAGES)(
    'in %s lints clean, and runs',
    { tags: ['slow'] },
    async (language) => {
      const cwd = createFolder()
      for (const [name, options] of Object.entries(PARTS)) {
        await createSkill(cwd, ['--language', language, ...options], `demo.${name}`)
      }
      const call = await createSkill(cwd, ['--language', language, ...EVERYTHING])
      const checked = await runSkills(['lint', '--json'], { cwd })
      const { findings, summary } = checked.json() as {
        findings: { rule: string }[]
        summary: object
      }
      // A wildcard and plain HTTP are the caller's own choice.
      const own = findings.filter(({ rule }) => !/broad-network|plain-http/.test(rule))
      expect(own).toEqual([])
      expect(summary).toMatchObject({ skills: 6 })
      const ran = await runSkills(call, { cwd })
      expect({ code: ran.code, stderr: ran.code === 0 ? '' : ran.stderr }).toEqual({
        code: 0,
        stderr: '',
      })
      const named = EVERYTHING.flatMap((word, at) =>
        EVERYTHING[at - 1] === '--result' ? (word.split(':')[0] ?? '') : [],
      )
      expect(Object.keys(ran.json()).toSorted()).toEqual(['summary', ...named].toSorted())
    },
  )

  it('replaces the sample of a template by the given interface', async () => {
    const cwd = createFolder()
    await createSkill(cwd, ['--template', 'python-network', '--input', 'city'])
    const toml = readFileSync(join(cwd, 'skills/thing/skill.toml'), 'utf8')
    expect(toml).toContain('city = { type = "string"')
    expect(toml).not.toContain('api.example.com"]\nsecrets')
  })

  it('with one host has secrets that are sent only to that host', async () => {
    const cwd = createFolder()
    await createSkill(cwd, [...PARTS.secret, '--network', 'https://api.example.org'])
    const described = await runSkills(['describe', './skills/thing', '--json'], { cwd })
    const use = { hosts: ['https://api.example.org'], in: ['header:Authorization'] }
    expect(described.json()).toMatchObject({
      skill: { permissions: { secrets: ['CRM_KEY'], secret_uses: { CRM_KEY: use } } },
    })
    const document = readFileSync(join(cwd, 'skills/thing/SKILL.md'), 'utf8')
    expect(document).toContain('It sends the secret `CRM_KEY` only to `https://api.example.org`.')
    const { stdout } = await runSkills(['describe', './skills/thing'], { cwd })
    expect(stdout).toContain('The secret CRM_KEY is sent only to https://api.example.org')
  })

  it.each([
    ['a host without TLS', ['--network', 'http://api.example.org']],
    ['two hosts', ['--network', 'https://a.example.org', '--network', 'https://b.example.org']],
  ])('with %s has secrets inside of the sandbox', async (_, network) => {
    const cwd = createFolder()
    await createSkill(cwd, [...PARTS.secret, ...network])
    const toml = readFileSync(join(cwd, 'skills/thing/skill.toml'), 'utf8')
    expect(toml).toContain('secrets = ["CRM_KEY"]')
  })

  it('is refused for an instruction', async () => {
    const argv = ['new', 'demo.text', '--yes', '--kind', 'instruction', '--input', 'city']
    const { code, stderr } = await runSkills(argv)
    expect(code).toBe(2)
    expect(stderr).toContain('An instruction has no code')
  })

  it.each(TEMPLATES.filter(({ kind }) => kind === 'action').map(({ id }) => id))(
    'a comment or a table shows where permissions are declared in %s',
    async (id) => {
      const cwd = createFolder()
      await createSkill(cwd, ['--template', id])
      const toml = readFileSync(join(cwd, 'skills/thing/skill.toml'), 'utf8')
      expect(toml).toMatch(/^(?:# )?\[permissions\]\n(?:# )?network = \["https:/m)
    },
  )

  it('contains no path of this machine and runs in another folder', async () => {
    const cwd = createFolder()
    const call = await createSkill(cwd, [])
    const other = createFolder()
    cpSync(join(cwd, 'skills'), join(other, 'skills'), { recursive: true })
    const toml = readFileSync(join(other, 'skills/thing/skill.toml'), 'utf8')
    const [, reference = ''] = /^#:schema (\S+)/.exec(toml) ?? []
    const schema = readFileSync(join(other, 'skills/thing', reference), 'utf8')
    expect(JSON.parse(schema)).toMatchObject({ title: 'skill.toml' })
    expect(toml).not.toContain(cwd)
    expect((await runSkills(call, { cwd: other })).code).toBe(0)
  })
})

describe('types for editors', () => {
  it('describe inputs and the runtime for TypeScript and JavaScript', async () => {
    const cwd = createFolder()
    const wrong = '\nlog.nothing()\nexport const wrong = (args: Inputs) => args.nothing\n'
    await createSkill(cwd, ['--language', 'typescript', ...EVERYTHING, '--dir', 'typed'])
    await createSkill(cwd, ['--language', 'node', ...EVERYTHING, '--dir', 'plain'])
    const typed = join(cwd, 'typed/thing/code/main.ts')
    writeFileSync(typed, readFileSync(typed, 'utf8') + wrong)
    writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }')
    symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'))
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const flags =
      '--strict --module nodenext --target es2023 --noEmit --allowJs --checkJs --types node'
    const argv = [tsc, ...flags.split(' '), typed, join(cwd, 'plain/thing/code/main.js')]
    const { stdout } = spawnSync(process.execPath, argv, { cwd, encoding: 'utf8' })
    const errors = stdout.split('\n').filter((line) => line.includes('error TS'))
    expect(errors).toEqual([
      expect.stringContaining("'nothing' does not exist on type 'Log'"),
      expect.stringContaining("'nothing' does not exist on type 'Inputs'"),
    ])
  })

  it('describe every function of the runtime for Python', async () => {
    const code = [
      'import inspect',
      'from runtime import blobs, log',
      'def main(args):',
      '    found = {}',
      '    for module in (blobs, log):',
      '        for name, each in vars(module).items():',
      '            if inspect.isfunction(each):',
      '                found[name] = sorted(inspect.signature(each).parameters)',
      '    return found',
    ].join('\n')
    const ran = await runSkills(['run-code', '--code', code])
    const stub = readFileSync(join(ROOT, 'templates/editor/runtime.pyi'), 'utf8')
    const declared: Record<string, string[]> = {}
    for (const [, name = '', list = ''] of stub.matchAll(/def (\w+)\(self, (.*)\) ->/g)) {
      const names = list.split(', ').flatMap((each) => /^\w+/.exec(each)?.[0] ?? [])
      declared[name] = [...new Set([...(declared[name] ?? []), ...names])].toSorted()
    }
    expect(ran.json()).toEqual(declared)
  })

  it('are valid Python', async () => {
    const cwd = createFolder()
    await createSkill(cwd, EVERYTHING)
    const script = 'import ast, sys; print(len(ast.parse(open(sys.argv[1]).read()).body) > 5)'
    const stub = join(cwd, 'skills/thing/code/runtime.pyi')
    const { stdout } = spawnSync('python3', ['-c', script, stub], { encoding: 'utf8' })
    expect(stdout).toBe('True\n')
    expect(readFileSync(stub, 'utf8')).toContain('"class": str,')
  })
})
