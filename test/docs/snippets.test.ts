// @module-tag slow
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { parsePolicy } from '../../src/core/policy/parse-policy.ts'
import { parseSuite } from '../../src/core/testing/suites/parse-suite.ts'
import { readCassette } from '../../src/core/testing/cassettes/read-cassette.ts'
import { mergeValues, readValues, readValuesSchema } from '../fleet/chart/render-chart.ts'
import { createFolder, runSkills, writeTree } from '../helpers/skills.ts'
import { checkCommandLine, listCommandsAndOptions } from './command-line.ts'
import { DOCUMENTS, listInlineCode, listSnippets, readDocument, ROOT } from './documents.ts'
import { runConsole } from './run-console.ts'
import { splitWords } from './shell-words.ts'
import {
  ACTIONS,
  describePlace,
  findKind,
  isAction,
  listConsoleBlocks,
  listKind,
  SNIPPETS,
} from './snippet-kinds.ts'

const WEATHER = 'examples/findings/weather'

it('every snippet of the documents has a check', () => {
  const without = SNIPPETS.filter((snippet) => findKind(snippet) === undefined)
  expect(without.map((snippet) => `${describePlace(snippet)} ${snippet.language}`)).toEqual([])
})

it('the console blocks of the README print what it shows', { timeout: 180_000 }, () => {
  const blocks = listConsoleBlocks('README.md')
  expect(blocks).not.toEqual([])
  expect(runConsole(blocks)).toEqual(blocks.map(({ code }) => code))
})

describe('commands exist, with their options', () => {
  it.each(listKind('commands'))('%s', async (_place, { code }) => {
    const lines = code
      .split('\n')
      .map((line) => line.replace(/\s+#.*$/, ''))
      .filter((line) => line !== '' && !line.startsWith('#'))
    const parts = lines.flatMap((line) => line.replace(/^\w+=\$\((.*)\)$/, '$1').split(' && '))
    expect((await Promise.all(parts.map(checkLine))).filter(Boolean)).toEqual([])
  })

  it('a wrong command, option, choice or script is reported', async () => {
    const wrong = ['skills lnt', 'skills lint --fxi', 'skills lint --format xml', 'npm run nothing']
    expect((await Promise.all(wrong.map(checkLine))).filter(Boolean)).toHaveLength(wrong.length)
  })
})

/**
 * Not commands of the program: test/fleet/ starts the server, renders the chart, and reads the compose file;
 * test/e2e/newcomer/ sets PATH as the README does.
 */
const OTHER_PROGRAMS = new Set<string | undefined>(
  '.ci/run nats-server kubectl helm docker openssl chmod export'.split(' '),
)

async function checkLine(line: string): Promise<string | undefined> {
  const words = splitWords(line)
  const [program, first = '', second = ''] = words
  if (program === 'skills' || (program === 'npx' && first === 'skills')) {
    return await checkCommandLine(line)
  }
  if (program === 'systemd-run') return await checkCommandLine(line.replace(/^.* (?=skills )/, ''))
  if (program === 'npm') return checkScript(first, second, words)
  if (OTHER_PROGRAMS.has(program)) return undefined
  return `${line}: this test does not know "${program}"`
}

function checkScript(command: string, name: string, rest: readonly string[]): string | undefined {
  const { scripts, version } = JSON.parse(readDocument('package.json')) as {
    scripts: object
    version: string
  }
  if (command === 'install') {
    return rest.includes(`./skills-protocol-${version}.tgz`)
      ? undefined
      : 'npm pack writes no such file'
  }
  const script = command === 'run' ? name : command
  return script === 'ci' || script === 'pack' || script in scripts
    ? undefined
    : `there is no script ${script}`
}

describe('files of cases are valid', () => {
  it.each(listKind('suite'))('%s', (_place, { code }) => {
    const file = join(ROOT, 'skills/csv-summary/tests/snippet.test.toml')
    expect(parseSuite(file, code).problems).toEqual([])
  })
})

describe('code of actions runs', () => {
  it.each(listKind('action'))('%s', async (_place, snippet) => {
    const action = ACTIONS.find((each) => isAction(each, snippet)) ?? ACTIONS[0]
    const manifest = [
      'name = "demo.snippet"',
      'version = "0.1.0"',
      'description = "Runs a snippet of the documents."',
      'kind = "action"',
      `[runtime]\nlanguage = "${action.runtime}"\nentrypoint = "code/${action.file}"`,
      action.runtime === 'python'
        ? '[inputs]\ncity = { type = "string", required = true }'
        : '[inputs]\ntext = { type = "blob", required = true }',
    ]
    const cwd = createFolder({
      'snippet/skill.toml': manifest.join('\n'),
      'snippet/SKILL.md': '---\nname: snippet\ndescription: Runs a snippet.\n---\n# Snippet\n',
      [`snippet/code/${action.file}`]: snippet.code,
      'text.txt': 'one two three',
    })
    const given =
      action.runtime === 'python' ? ['--arg', 'city=Lisbon'] : ['--blob', 'text=text.txt']
    const { code, stdout, stderr } = await runSkills(['exec', './snippet', ...given], { cwd })
    expect(code, stderr).toBe(0)
    expect(stdout).toContain(action.shows)
  })
})

describe('manifests are valid', () => {
  const complete = 'name = "demo.snippet"\nversion = "0.1.0"\ndescription = "Runs a snippet."\n'
  const instruction = `${complete}kind = "instruction"\n`
  const action = `${complete}kind = "action"\n[runtime]\nlanguage = "python"\nentrypoint = "code/main.py"\n`
  it.each(listKind('manifest'))('%s', async (_place, { code }) => {
    const start = code.includes('[[examples]]') ? action : instruction
    const cwd = createFolder({
      'skills/one/skill.toml': /^name = /m.test(code) ? code : `${start}\n${code}`,
      'skills/one/SKILL.md': readDocument(`${WEATHER}/SKILL.md`),
      'skills/one/code/main.py': 'def main(args):\n    return args\n',
      'skills/one/package-lock.json': '{ "lockfileVersion": 3, "packages": {} }',
      'skills/one/requirements.lock': `left==1.0 --hash=sha256:${'0'.repeat(64)}\n`,
    })
    expect(await listManifestErrors(cwd)).toEqual([])
  })

  it('the README shows the manifest of the skill that it lints', () => {
    const [shown] = listSnippets('README.md').filter(({ language }) => language === 'toml')
    expect(`${shown?.code}\n`).toBe(readDocument(`${WEATHER}/skill.toml`))
  })

  it('a wrong manifest is reported', async () => {
    const cwd = createFolder({
      'skills/one/skill.toml': `${complete}kind = "acton"\n[permissions]\nnetwork = ["*"]\n`,
      'skills/one/SKILL.md': readDocument(`${WEATHER}/SKILL.md`),
    })
    expect(await listManifestErrors(cwd)).toHaveLength(2)
  })
})

/** Errors and unknown keys that lint finds in the skill.toml of a folder. */
async function listManifestErrors(cwd: string): Promise<string[]> {
  const { json } = await runSkills(['lint', '--json'], { cwd })
  const { findings } = json() as {
    findings: { rule: string; severity: string; path: string; message: string }[]
  }
  return findings
    .filter(({ path }) => path.endsWith('skill.toml'))
    .filter(({ severity, rule }) => severity === 'error' || rule === 'schema/unknown-key')
    .map(({ rule, message }) => `${rule}: ${message}`)
}

describe('recorded requests are valid', () => {
  it.each(listKind('cassette'))('%s', (_place, { code }) => {
    const cwd = createFolder({ 'a.toml': code, 'a/1-response.json': '{}' })
    expect(readCassette(join(cwd, 'a.toml')).problems).toEqual([])
  })
})

describe('configurations are valid', () => {
  const check = async (text: string) => {
    const cwd = createFolder({ 'api/a': '', 'project/skills/a': '', 'shared-skills/a': '' })
    writeTree(cwd, { 'project/skills.config.toml': text })
    // All settings are obeyed in a file that the command line names.
    const argv = ['config', '--config', 'skills.config.toml']
    const { code, stderr } = await runSkills(argv, { cwd: join(cwd, 'project') })
    return { code, stderr }
  }
  it.each(listKind('configuration'))('%s', async (_place, { code }) => {
    expect(await check(code)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Read \S+\n$/) as string,
    })
  })

  it('a wrong configuration is reported', async () => {
    expect(await check('[run]\ntimout = "5s"\n')).toMatchObject({ code: 2 })
  })
})

describe('policies are valid', () => {
  it.each(listKind('policy'))('%s', (place, { code }) => {
    const { scopes, approval } = parsePolicy(place, code, 'operator')
    expect(scopes.length).toBeGreaterThan(0)
    expect(approval).toBeDefined()
  })
})

it('JSON snippets parse', () => {
  for (const [place, { code }] of listKind('json')) {
    expect(() => JSON.parse(code) as unknown, place).not.toThrow()
  }
})

describe('pre-commit hooks exist', () => {
  it.each(listKind('hooks'))('%s', (_place, { code }) => {
    const hooks = parse(readDocument('.pre-commit-hooks.yaml')) as { id: string }[]
    const { repos } = parse(code) as { repos: { hooks: { id: string }[] }[] }
    const ids = hooks.map(({ id }) => id)
    expect(repos.length).toBeGreaterThan(0)
    for (const repo of repos) for (const { id } of repo.hooks) expect(ids).toContain(id)
  })
})

describe('values of the chart are valid', () => {
  it.each(listKind('chart'))('%s', (_place, { code }) => {
    const values = mergeValues(readValues(), parse(code) as Record<string, unknown>)
    expect(readValuesSchema().safeParse(values).error).toBeUndefined()
  })
})

describe('texts of skills are valid', () => {
  it.each(listKind('skillText'))('%s', async (_place, { code }) => {
    const cwd = createFolder({ 'skills/weather/SKILL.md': `${code}\n` })
    const { code: status, stdout } = await runSkills(['lint'], { cwd })
    expect(status, stdout).toBe(0)
  })
})

describe('folder trees show a real skill', () => {
  it.each(listKind('tree'))('%s', (_place, { code }) => {
    const paths = [...code.matchAll(/^[├└]── (\S+)/gm)].map(([, path = '']) => path)
    expect(paths.length).toBeGreaterThan(2)
    for (const path of paths) expect(existsSync(join(ROOT, WEATHER, path)), path).toBe(true)
  })
})

describe('names in the text exist', () => {
  const codes = DOCUMENTS.flatMap((document) =>
    listInlineCode(document).map((code) => ({ document, code })),
  )

  it('commands', async () => {
    const { names } = await listCommandsAndOptions()
    const used = codes.flatMap(({ code }) => /^skills ([a-z-]+)/.exec(code)?.[1] ?? [])
    const known = [...names, 'help', '--help']
    expect([...new Set(used)].filter((name) => !known.includes(name))).toEqual([])
    const table = readDocument('docs/commands.md')
    expect(names.filter((name) => !table.includes(`| \`skills ${name}`))).toEqual([])
  })

  it('options', async () => {
    const { options } = await listCommandsAndOptions()
    const used = codes
      .filter(({ document }) => document !== 'CONTRIBUTING.md')
      .flatMap(({ code }) => /^(--[a-z-]+)/.exec(code)?.[1] ?? [])
    expect([...new Set(used)].filter((name) => !options.has(name) && !FOREIGN.has(name))).toEqual(
      [],
    )
  })

  it('settings', async () => {
    const { json } = await runSkills(['config', '--json'])
    const known = Object.keys(await readSettings(json()))
    const tops = new Set(known.map((key) => key.split('.')[0]))
    const used = codes
      .flatMap(({ code }) => /^([a-z_]+(?:\.[a-z_]+)+)(?: = .*)?$/.exec(code)?.[1] ?? [])
      .filter((key) => tops.has(key.split('.')[0]) && !NO_SETTINGS.has(key))
    const isKnown = (key: string) => known.some((each) => `${each}.`.startsWith(`${key}.`))
    expect([...new Set(used)].filter((key) => !isKnown(key))).toEqual([])
  })

  it('the number of rules that the README gives', async () => {
    const { json } = await runSkills(['rules', '--json'])
    const { rules } = json() as { rules: unknown[] }
    for (const document of ['README.md', 'docs/linting.md']) {
      const least = Number(/over (\d+) rules/.exec(readDocument(document))?.[1])
      expect(rules.length).toBeGreaterThan(least)
      expect(rules.length).toBeLessThan(least + 30)
    }
  })
})

/** Options of other programs. */
const FOREIGN = new Set(['--generate-hashes'])
/** Names that look like settings: files, keys of skill.toml, methods, functions. */
const NO_SETTINGS = new Set([
  'kernel.cell',
  'kernel.notice',
  'kernel.pty.max',
  'kernel.value',
  'policy.toml',
  'run.end',
  'run.fence',
  'run.prepare',
  'runtime.additional_inputs',
  'runtime.blobs.path',
  'runtime.entrypoint',
  'runtime.execute',
  'runtime.export',
  'runtime.language',
  'runtime.languages',
  'runtime.log',
  'runtime.workflow',
  'workspace.cleanup',
  'workspace.collect',
  'workspace.create',
  'workspace.stage.files',
  'workspace.stage.inputs',
  'workspace.stage.skill',
])

async function readSettings(document: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { settings } = document as { settings: { key: string }[] }
  return Object.fromEntries(settings.map(({ key, ...rest }) => [key, rest]))
}

it('shell lines of documents parse', () => {
  const script = 'for code; do bash -n -c "$code" || echo "wrong: $code"; done'
  const check = (codes: readonly string[]) =>
    spawnSync('bash', ['-c', script, 'bash', ...codes], { encoding: 'utf8' }).stdout
  expect(check(listKind('commands').map(([, { code }]) => code))).toBe('')
  expect(check(['if'])).toBe('wrong: if\n')
})
