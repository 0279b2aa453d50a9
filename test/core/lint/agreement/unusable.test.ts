// @module-tag slow
// @module-tag nightly
import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  createExampleMarkdown,
  createExampleToml,
} from '../../../../src/core/lint/example-skill.ts'
import { findSkillsBelow } from '../../../../src/core/lint/targets.ts'
import { lintFolder } from '../../../helpers/rule-examples.ts'
import { createFolder, type Tree } from '../../../helpers/skills.ts'
import { findRefusal, openRuntimeWithRoots } from './find-refusal.ts'

const TABLES = '[runtime]\nlanguage = "node"\nentrypoint = "code/main.js"\nexport = "main"\n'
const CODE = 'export function main() {\n  return 1\n}\n'

/** Creates a valid skill below `greet/` with changed files; `-> target` is a symbolic link. */
function createSkill(files: Tree = {}, dir = 'greet'): Tree {
  const all = {
    'skill.toml': createExampleToml({}, TABLES),
    'SKILL.md': createExampleMarkdown(),
    'code/main.js': CODE,
    ...files,
  }
  return Object.fromEntries(Object.entries(all).map(([path, text]) => [`${dir}/${path}`, text]))
}

const toml = (top: Parameters<typeof createExampleToml>[0], tables = TABLES) =>
  createSkill({ 'skill.toml': createExampleToml(top, tables) })
const input = (spec: string) => toml({}, `${TABLES}[inputs]\nwho = { ${spec} }\n`)
const entry = (path: string, more: Tree = {}) =>
  createSkill({
    'skill.toml': createExampleToml({}, TABLES.replace('code/main.js', path)),
    ...more,
  })
const lock = (files: Tree) =>
  createSkill({
    'skill.toml': createExampleToml({}, `${TABLES}[dependencies]\npython = "python.lock"\n`),
    ...files,
  })
const agentSkill = (name: string, dir: string) => ({
  [`${dir}/SKILL.md`]: createExampleMarkdown(
    `name: ${name}\ndescription: Greets somebody by name.\n`,
  ),
})
const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`data/${at}.txt`, '']))
const ports = Array.from({ length: 65 }, (_, at) => `"https://example.com:${8000 + at}"`)
const deep = (depth: number) => Array.from({ length: depth }, (_, at) => `${at + 1}`).join('/')

function plantWithLinks(tree: Tree): string {
  const isLink = (text: string | Uint8Array) => typeof text === 'string' && text.startsWith('-> ')
  const entries = Object.entries(tree)
  const root = createFolder(Object.fromEntries(entries.filter(([, text]) => !isLink(text))))
  for (const [path, text] of entries.filter(([, each]) => isLink(each))) {
    const link = join(root, path)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(String(text).slice(3).replace('ROOT', root), link)
  }
  return root
}

async function findErrorsAndRefusals(tree: Tree) {
  const root = plantWithLinks(tree)
  const { findings, failures } = await lintFolder(root)
  expect(failures).toEqual([])
  const errors = findings
    .filter(({ severity }) => severity === 'error')
    .map(
      ({ rule, path, start }) => `${rule} ${path}${start ? `:${start.line}:${start.column}` : ''}`,
    )
  const runtime = await openRuntimeWithRoots([root])
  const refusals: string[] = []
  for (const dir of findSkillsBelow(root)) {
    const refusal = await findRefusal(runtime, dir)
    if (refusal !== undefined) refusals.push(refusal)
  }
  return { errors, refusals }
}

interface Unusable {
  tree: Tree
  refusal: string
  error: string
}

describe('a skill that cannot be used', () => {
  it.each<[string, Unusable]>([
    [
      'no version',
      {
        tree: toml({ version: null }),
        refusal: 'not listed',
        error: 'schema/missing-key greet/skill.toml:1:1',
      },
    ],
    [
      'a version below another heading',
      {
        tree: toml({ version: null }, `${TABLES}version = "0.1.0"\n`),
        refusal: 'not listed',
        error: 'schema/unknown-key greet/skill.toml:9:1',
      },
    ],
    [
      'a misspelt description',
      {
        tree: toml({ description: null, desc: '"Greets."' }),
        refusal: 'not listed',
        error: 'schema/unknown-key greet/skill.toml:4:1',
      },
    ],
    [
      'a host of a secret without TLS',
      {
        tree: toml({}, `${TABLES}[permissions]\nsecrets.KEY = "http://a.example"\n`),
        refusal: 'not listed',
        error: 'permissions/secret-use greet/skill.toml:11:9',
      },
    ],
    [
      'a misspelt [runtime]',
      {
        tree: toml({}, TABLES.replace('[runtime]', '[runtme]')),
        refusal: 'not listed',
        error: 'schema/unknown-key greet/skill.toml:6:2',
      },
    ],
    [
      'a misspelt entrypoint',
      {
        tree: toml({}, TABLES.replace('entrypoint', 'entry')),
        refusal: 'EntrypointNotFound',
        error: 'schema/unknown-key greet/skill.toml:8:1',
      },
    ],
    [
      'a language that no action can have',
      {
        tree: toml({}, TABLES.replace('node', 'ruby')),
        refusal: 'got "ruby"',
        error: 'schema/unsupported-language greet/skill.toml:7:12',
      },
    ],
    [
      'an Agent Skill that is named with an umlaut',
      {
        tree: agentSkill('gr\u00FCn', 'gr\u00FCn'),
        refusal: 'not listed',
        error: 'schema/agent-skill-name gr\u00FCn/SKILL.md:2:7',
      },
    ],
    [
      'an Agent Skill that is named with a wide letter',
      {
        tree: agentSkill('\uFF47reet', 'greet'),
        refusal: 'not listed',
        error: 'schema/agent-skill-name greet/SKILL.md:2:7',
      },
    ],
    [
      'an entrypoint that links to a folder',
      {
        tree: entry('code/run.js', { 'code/run.js': '-> ../code' }),
        refusal: 'no file "code/run.js"',
        error: 'entrypoint/missing-file greet/skill.toml:8:14',
      },
    ],
    [
      'a link inside that is absolute',
      {
        tree: entry('code/run.js', { 'code/run.js': '-> ROOT/greet/code/main.js' }),
        refusal: 'no file "code/run.js"',
        error: 'files/symlink-outside greet/code/run.js',
      },
    ],
    [
      "a link that names the skill's own folder from outside",
      {
        tree: entry('code/run.js', { 'code/run.js': '-> ../../greet/code/main.js' }),
        refusal: 'no file "code/run.js"',
        error: 'files/symlink-outside greet/code/run.js',
      },
    ],
    [
      'a lock file that links to one that pins nothing',
      {
        tree: lock({ 'real.lock': 'tabulate>=0.9\n', 'python.lock': '-> real.lock' }),
        refusal: 'pins no version',
        error: 'files/lock-file greet/real.lock:1:1',
      },
    ],
    [
      'a lock file that links to a folder',
      {
        tree: lock({ 'python.lock': '-> code' }),
        refusal: 'is a folder',
        error: 'files/lock-file greet/skill.toml:11:10',
      },
    ],
    [
      'a lock file in Latin-1',
      {
        tree: lock({ 'python.lock': Buffer.from('tabul\u00E4te==0.9\n', 'latin1') }),
        refusal: 'python.lock, line 1',
        error: 'files/lock-file greet/python.lock',
      },
    ],
    [
      'a lock file of more than 1 MiB',
      {
        tree: lock({ 'python.lock': '# x\n'.repeat(300_000) }),
        refusal: 'expected at most 1048576',
        error: 'files/lock-file greet/python.lock',
      },
    ],
    [
      'more files than are copied into a sandbox',
      { tree: createSkill(many), refusal: 'too many files', error: 'files/too-many greet' },
    ],
    [
      'more ports than one run may reach',
      {
        tree: toml({}, `${TABLES}[permissions]\nnetwork = [${ports.join(', ')}]\n`),
        refusal: 'more than 64 different ports',
        error: 'permissions/invalid-network greet/skill.toml:11:1',
      },
    ],
    [
      'a required input that allows nothing',
      {
        tree: input('type = "string", required = true, enum = []'),
        refusal: 'ValidationError',
        error: 'inputs/duplicate-value greet/skill.toml:11:50',
      },
    ],
    [
      'a default beyond the integers that JSON keeps',
      {
        tree: input('type = "integer", default = 1e300'),
        refusal: 'must be an integer',
        error: 'inputs/default-type greet/skill.toml:11:37',
      },
    ],
    [
      'a default that is no blob',
      {
        tree: input('type = "blob", default = "photo"'),
        refusal: 'must be the id of a blob',
        error: 'inputs/default-type greet/skill.toml:11:34',
      },
    ],
    [
      'a folder that no root is searched down to',
      {
        tree: createSkill({}, `${deep(10)}/greet`),
        refusal: 'not listed',
        error: `files/too-deep ${deep(10)}/greet`,
      },
    ],
    [
      'a skill of the same name and version further up',
      {
        tree: { ...createSkill({}, 'a/b/greet'), ...createSkill({}, 'b/greet') },
        refusal: 'not listed',
        error: 'naming/duplicate-skill a/b/greet/skill.toml:1:8',
      },
    ],
    [
      'a skill of the same name and version in a folder before',
      {
        tree: { ...createSkill({}, 'a/greet'), ...createSkill({}, 'a-b/greet') },
        refusal: 'not listed',
        error: 'naming/duplicate-skill a-b/greet/skill.toml:1:8',
      },
    ],
  ])(
    'has a lint error: %s',
    async (_, { tree, refusal, error }) => {
      const { errors, refusals } = await findErrorsAndRefusals(tree)
      expect(refusals).toEqual([expect.stringContaining(refusal)])
      expect(errors).toEqual([error])
    },
    180_000,
  )

  it.each<[string, Tree]>([
    ['a good skill', createSkill()],
    ['an entrypoint that links to a file', entry('code/run.js', { 'code/run.js': '-> main.js' })],
    ['a link to the folder of code', createSkill({ lib: '-> code' })],
    ['an optional input that allows nothing', input('type = "string", enum = []')],
    ['a whole number with a decimal point', input('type = "integer", default = 1.0')],
    [
      'a skill.toml with a BOM',
      createSkill({ 'skill.toml': `\uFEFF${createExampleToml({}, TABLES)}` }),
    ],
    ['the deepest folder that is searched', createSkill({}, `${deep(9)}/greet`)],
    ['an unknown key like none that is needed', toml({ tgas: '["demo"]' })],
    ['an entrypoint without a [runtime]', toml({ kind: '"instruction"', entrypoint: '"x"' }, '')],
    ['an Agent Skill', agentSkill('greet', 'greet')],
  ])('is not one with %s: lint reports no error, and nothing is refused', async (_, tree) => {
    expect(await findErrorsAndRefusals(tree)).toEqual({ errors: [], refusals: [] })
  })
})
