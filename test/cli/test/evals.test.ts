// @module-tag slow
// @module-tag nightly
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { createRuntime } from '../../../src/core/runtime.ts'
import { execInWorkspace } from '../../../src/core/workspaces/commands/workspace-exec.ts'
import { createFolder, runSkills, writeTree, type Tree } from '../../helpers/skills.ts'

const GREET = '---\nname: greet\ndescription: Greets people.\n---\n# Greet\nWrite a greeting.\n'
const OTHER = '---\nname: other\ndescription: Adds numbers.\n---\nAdd.\n'
const KEY = 'sk-verysecret-0123456789'

const SCRIPT = `
conversations:
  - prompt: '^Vote \\d'
    turns: [{ text: '{"passed": true, "evidence": "Hello, Ada"}' }]
  - prompt: Greet Ada
    system: greet
    turns:
      - calls: [{ name: skill_load, arguments: { skill: greet } }]
      - calls: [{ name: workspace_exec, arguments: { command: 'cat base.txt > out/greeting.txt; ls -R skills >> out/greeting.txt; echo $EVAL_NAME >> out/greeting.txt' } }]
      - text: 'Hello, Ada!'
        usage: { input: 90, output: 10 }
  - prompt: Greet Ada
    turns: [{ text: 'I cannot.' }]
  - prompt: Say hello
    turns:
      - calls: [{ name: workspace_exec, arguments: { command: ls } }]
      - calls: [{ name: skill_load, arguments: { skill: greet } }]
  - prompt: Add
    turns: [{ calls: [{ name: skill_load, arguments: { skill: other } }] }]
`

const CASE: Tree = {
  'evals/file/prompt.md': '---\nenv: { EVAL_NAME: Bob }\nruns: 3\n---\nGreet Ada in a file',
  'evals/file/case.yaml': 'context: { scaffold_script: setup.sh }\n',
  'evals/file/setup.sh': 'echo "Hello from the scaffold" > base.txt',
  'evals/file/graders/a.md':
    '---\ntype: regex\npattern: "scaffold[^]*Bob"\ntarget: { source: file, path: greeting.txt }\n---\n',
  'evals/file/graders/b.md': '---\ntype: program\nprogram: [check.sh]\n---\n',
  'evals/file/graders/check.sh':
    '#!/bin/sh\nif grep -q evals out/greeting.txt; then echo \'{"passed": false}\'; else echo \'{"passed": true}\'; fi\n',
  'evals/file/graders/c.md': '---\ntype: tool_used\ntool: Skill\narm: with-only\n---\n',
  'evals/file/graders/d.md': '---\ntype: llm\n---\nIt greets Ada.\n',
}

function createProject(evals: Tree = CASE, more: Tree = {}): string {
  const skill = Object.fromEntries(
    Object.entries({ 'SKILL.md': GREET, ...evals }).map(([path, text]) => [
      `skills/greet/${path}`,
      text,
    ]),
  )
  return createFolder({ ...skill, 'skills/other/SKILL.md': OTHER, 'model.yaml': SCRIPT, ...more })
}

const ARGS = ['test', '--evals', 'skills/greet', '--model', 'script:model.yaml']

const readJson = (...path: string[]) =>
  JSON.parse(readFileSync(join(...path), 'utf8')) as Record<string, unknown>

describe('skills test --evals', () => {
  it('runs both arms, saves the runs, and grades them again without a model', async () => {
    const cwd = createProject()
    const ran = await runSkills(ARGS, { cwd })
    expect(ran.stdout).toContain('✓ greet › evals › file')
    expect(ran.stdout).toMatch(/with skill +100 % ± 0 passed/)
    expect(ran.code).toBe(0)
    const iteration = join(cwd, 'skills-evals/greet/iteration-1')
    const run = join(iteration, 'eval-file/with_skill/run-2')
    expect(readdirSync(run).sort()).toEqual([
      'grading.json',
      'outputs',
      'timing.json',
      'trajectory.jsonl',
    ])
    expect(readJson(run, 'timing.json')).toMatchObject({ total_tokens: 100 })
    expect(readJson(iteration, 'benchmark.json')).toMatchObject({
      run_summary: { with_skill: { pass_rate: { mean: 1, stddev: 0 } }, delta: {} },
    })
    // The graders of the skill change; the runs and the votes are those of before.
    writeTree(cwd, {
      'skills/greet/evals/file/graders/a.md': '---\ntype: regex\npattern: Goodbye\n---\n',
    })
    const again = await runSkills(['test', 'skills/greet', '--regrade', iteration], { cwd })
    expect(again.code).toBe(1)
    expect(again.stdout).toContain('Expected "a", true in 0 of 3 runs: /Goodbye/ matches 0 times')
    expect(readJson(run, 'grading.json')).toMatchObject({ summary: { passed: 3, failed: 1 } })
    // A changed statement has no votes, and no model may be called.
    writeTree(cwd, { 'skills/greet/evals/file/graders/d.md': '---\ntype: llm\n---\nChanged.\n' })
    const unjudged = await runSkills(['test', 'skills/greet', '--regrade', iteration], { cwd })
    expect(unjudged.stdout).toContain('1 statements have no votes; add --judge')
    const args = ['test', 'skills/greet', '--regrade', iteration, '--judge', ...ARGS.slice(3)]
    const judged = await runSkills([...args, '--min-score', '0.7'], { cwd })
    expect(judged.code).toBe(0)
  })

  it('a model chooses among several skills, and other tools do not end the choice', async () => {
    const cwd = createProject({
      'evals/triggers.json': JSON.stringify([
        { query: 'Say hello to Bob', should_trigger: true },
        { query: 'Add 1 and 2', should_trigger: false },
      ]),
    })
    const { code, stdout } = await runSkills(ARGS, { cwd })
    expect(stdout).toContain('✓ greet › triggers › Say hello to Bob')
    expect(stdout).toContain('Say hello to Bob (chosen in 3 of 3 runs, should)')
    expect(stdout).toContain('Add 1 and 2 (chosen in 0 of 3 runs, should not)')
    expect(stdout).toContain('recall 100 %, precision 100 %')
    expect(code).toBe(0)
  })

  it('an interruption keeps the runs that ended, and exits with 130', async () => {
    const cwd = createProject()
    const controller = new AbortController()
    const ended = runSkills(ARGS, { cwd, signal: controller.signal })
    const first = join(cwd, 'skills-evals/greet/iteration-1/eval-file/without_skill')
    await expect.poll(() => isThere(first), { timeout: 60_000 }).toBe(true)
    controller.abort()
    expect((await ended).code).toBe(130)
    const benchmark = readJson(cwd, 'skills-evals/greet/iteration-1/benchmark.json')
    expect(benchmark).toMatchObject({ metadata: { is_partial: true } })
    expect((benchmark['runs'] as object[]).length).toBeGreaterThan(0)
  })
})

function isThere(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0
  } catch {
    return false
  }
}

/** A provider whose model prints everything that a sandbox can read of its environment. */
const PROVIDER = `
exports.fake = (id) => ({
  specificationVersion: 'v3', provider: 'fake', modelId: id, supportedUrls: {},
  async doGenerate({ prompt }) {
    const done = prompt.some((each) => each.role === 'tool')
    const input = JSON.stringify({ command: 'env; cat /proc/*/environ; cat /proc/1/cmdline' })
    return {
      content: done
        ? [{ type: 'text', text: JSON.stringify(prompt) }]
        : [{ type: 'tool-call', toolCallId: 'c1', toolName: 'workspace_exec', input }],
      finishReason: { unified: done ? 'stop' : 'tool-calls', raw: undefined },
      usage: {
        inputTokens: { total: 50, noCache: 50, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 7, text: 7, reasoning: 0 },
      },
      warnings: [],
    }
  },
})
`

const FREE_CASE: Tree = {
  'evals/key/prompt.md': 'Print it',
  'evals/key/graders/a.md': '---\ntype: regex\npattern: WORKSPACE_DIR\ntarget: trace\n---\n',
}

/** Links the SDK of this project into another one, beside the fake provider. */
function addProvider(folder: string): void {
  writeTree(folder, {
    'node_modules/@ai-sdk/fake/package.json': '{ "name": "@ai-sdk/fake", "main": "index.js" }',
    'node_modules/@ai-sdk/fake/index.js': PROVIDER,
  })
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(resolve('node_modules/ai'), join(folder, 'node_modules/ai'))
}

const PAID = ['test', '--evals', 'skills/greet', '--model', 'fake/one']
const CEILING = ['--max-cost-usd', '9', '--prices', '3/15']

describe('a model of the AI SDK', () => {
  it('its key never reaches a sandbox, even where the configuration passes it to runs', async () => {
    const cwd = createProject(FREE_CASE, {
      'skills.config.toml': '[run]\nenvironment = ["FAKE_API_KEY"]\n',
    })
    addProvider(cwd)
    const env = { FAKE_API_KEY: KEY }
    // Control: a command of an ordinary session with this configuration reads the key.
    const { config } = await loadConfig({
      cwd,
      file: 'skills.config.toml',
      env: { ...process.env, ...env },
    })
    const control = createRuntime({ config, cacheDir: null })
    const params = { session: 'control', command: 'env' }
    const call = { cwd, env: { ...process.env, ...env } }
    expect((await execInWorkspace(control, params, call)).output).toContain(KEY)
    const { code, stderr, stdout } = await runSkills([...PAID, ...CEILING], {
      cwd,
      env,
      trusts: true,
    })
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout).toContain('57 tokens'.replace('57', '114'))
    const folder = join(cwd, 'skills-evals')
    const saved = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => readFileSync(join(each.parentPath, each.name), 'utf8'))
    expect(saved.join('\n')).toContain('WORKSPACE_DIR')
    expect(saved.join('\n')).not.toContain(KEY)
  })

  it('a ceiling that is reached stops the requests, and the command fails', async () => {
    const cwd = createProject(FREE_CASE)
    addProvider(cwd)
    const { code, stderr, stdout } = await runSkills([...PAID, '--max-tokens', '100'], { cwd })
    expect(code).toBe(1)
    expect(stdout).toContain('it ended with ceiling')
    expect(stderr).toContain('The ceiling is reached')
  })

  it.each<[string, string[], string]>([
    ['no ceiling', [], 'costs money without a ceiling'],
    ['no prices', ['--max-cost-usd', '1'], 'requires the prices of the model'],
    ['prices of zero', ['--max-cost-usd', '1', '--prices', '0/0'], 'Expected two prices above 0'],
    ['too few runs', [...CEILING, '--runs', '1'], 'Expected 3 to 50 for --runs'],
  ])('%s is refused', async (_, more, message) => {
    const cwd = createProject(FREE_CASE)
    addProvider(cwd)
    const { code, stderr } = await runSkills([...PAID, ...more], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  it('a package inside the tested skill is not loaded', async () => {
    const cwd = createProject(FREE_CASE)
    addProvider(join(cwd, 'skills/greet'))
    const { code, stderr } = await runSkills(
      ['test', '--evals', '.', '--model', 'fake/one', ...CEILING],
      { cwd: join(cwd, 'skills/greet') },
    )
    expect(code).toBe(1)
    expect(stderr).toContain('The package "@ai-sdk/fake" belongs to the tested skill')
  })

  it('a package that is missing is named with the command that installs it', async () => {
    const cwd = createProject(FREE_CASE)
    const { code, stderr } = await runSkills([...PAID, ...CEILING], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain('npm install ai')
  })
})

describe('wrong use', () => {
  it.each<[string, string[], number, string]>([
    [
      'options of evals without --evals',
      ['test', '--model', 'a/b'],
      2,
      'The option --model requires --evals',
    ],
    ['no model', ['test', '--evals', 'skills/greet'], 2, 'No model is configured for evals'],
    [
      'no eval',
      ['test', '--evals', 'skills/other', '--model', 'script:model.yaml'],
      3,
      'Nothing to run',
    ],
    [
      'a script that does not exist',
      ['test', '--evals', 'skills/greet', '--model', 'script:no'],
      2,
      'Cannot read the scripted model',
    ],
    [
      'a model without a provider',
      ['test', '--evals', 'skills/greet', '--model', 'x'],
      2,
      '"x" is not a valid model',
    ],
  ])('%s', async (...[, argv, code, message]) => {
    const ran = await runSkills(argv, { cwd: createProject() })
    expect(ran.stderr).toContain(message)
    expect(ran.code).toBe(code)
  })

  it('a mistake in a file has its position, and nothing runs', async () => {
    const cwd = createProject({ 'evals/evals.json': '{ "evalz": [] }' })
    const { code, stderr } = await runSkills(ARGS, { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain('skills/greet/evals/evals.json:1:3: Unknown key "evalz"')
  })
})
