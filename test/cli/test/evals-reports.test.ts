// @module-tag slow
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, runSkills, type Tree } from '../../helpers/skills.ts'

const MODEL = `
conversations:
  - prompt: Greet Ada
    system: greet
    turns: [{ text: 'Hello, Ada!' }]
  - prompt: Say hello
    turns: [{ calls: [{ name: skill_load, arguments: { skill: greet } }] }, { text: ok }]
  - prompt: '.'
    turns: [{ text: 'No <idea> & "none"' }]
`

const PROJECT: Tree = {
  'model.yaml': MODEL,
  'skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets people.\n---\nGreet.\n',
  'skills/greet/evals/ada/prompt.md': 'Greet Ada',
  'skills/greet/evals/ada/graders/a.md': '---\ntype: regex\npattern: Hello\n---\n',
  'skills/greet/evals/bob/prompt.md': 'Greet Bob',
  'skills/greet/evals/bob/graders/a.md': '---\ntype: regex\npattern: Hello\n---\n',
  'skills/greet/evals/triggers.json': JSON.stringify([
    { query: 'Say hello to Bob', should_trigger: true },
    { query: 'Add 1 and 2', should_trigger: true },
  ]),
}
const ARGS = ['test', '--evals', 'skills/greet', '--model', 'script:model.yaml']

const FORMATS: readonly [string, readonly string[]][] = [
  ['pretty', ['✓ greet › evals › ada', '✗ greet › evals › bob', '✗ greet › triggers › Add 1']],
  ['concise', ['skills/greet/evals/bob/prompt.md:1:1: greet › evals › bob: Expected "a"']],
  ['json', ['"schema": "skills.test/v1"', '"name": "bob"']],
  ['jsonl', ['{"type":"case","skill":"greet","suite":"evals"', '{"type":"end"']],
  ['junit', ['<testsuites name="skills test" tests="4" failures="2"', '<failure type="a"']],
  ['tap', ['1..4', 'ok 1 - greet › evals › ada', 'not ok 2 - greet › evals › bob']],
  ['github', ['::error file=skills/greet/evals/bob/prompt.md,line=1']],
  ['markdown', ['| 2 | 2 | 0 |', '### failed: greet › evals › bob']],
  ['html', ['<h1>2 failed, 0 flaky, 2 passed</h1>', '<span class="failed">failed</span>']],
]

describe('reporters of evals', () => {
  it('all reporters write at once, each to its file', async () => {
    const cwd = createFolder(PROJECT)
    const reporters = FORMATS.flatMap(([name]) => ['--reporter', `${name}=reports/${name}`])
    const { code, stdout, stderr } = await runSkills([...ARGS, ...reporters], { cwd })
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/with skill +50 % ± 54.8 passed/)
    expect(stderr).toContain('Add 1 and 2 (chosen in 0 of 3 runs, should)')
    for (const [name, parts] of FORMATS) {
      const text = readFileSync(join(cwd, 'reports', name), 'utf8')
      for (const part of parts) expect(text, name).toContain(part)
    }
  })

  it('a format for programs is alone on standard output, and the summary is on standard error', async () => {
    const cwd = createFolder(PROJECT)
    const { stdout, stderr } = await runSkills([...ARGS, '--reporter', 'json'], { cwd })
    const report = JSON.parse(stdout) as { summary: object }
    expect(report.summary).toEqual({ cases: 4, passed: 2, failed: 2, flaky: 0 })
    expect(stderr).toContain('recall 50 %')
  })

  it('the report of saved runs is equal to the first one, apart from times', async () => {
    const cwd = createFolder(PROJECT)
    await runSkills([...ARGS, '--case', '*', '--reporter', 'tap=first.tap'], { cwd })
    const regrade = ['test', 'skills/greet', '--regrade', 'skills-evals/greet/iteration-1']
    const again = await runSkills([...regrade, '--reporter', 'tap'], { cwd })
    expect(again.stdout).toBe(readFileSync(join(cwd, 'first.tap'), 'utf8'))
  })

  it('runs without the skill decide if no others are wanted', async () => {
    const cwd = createFolder(PROJECT)
    const args = [...ARGS, '--arm', 'without', '--case', 'ada', '--reporter', 'concise']
    const { stdout, code } = await runSkills(args, { cwd })
    expect(stdout).toContain('Expected "a", true in 0 of 3 runs')
    expect(code).toBe(1)
  })
})

const REGRADE = ['test', 'skills/greet', '--regrade', 'skills-evals/greet/iteration-1']

describe('options without effect are refused', () => {
  it.each<[string, readonly string[], string]>([
    ['--filter', [...ARGS, '--filter', 'a'], 'The option --filter has no effect with --evals'],
    ['--tag', [...ARGS, '--tag', 'a'], 'The option --tag has no effect with --evals'],
    ['--shard', [...ARGS, '--shard', '1/2'], '--shard has no effect with --evals'],
    ['--repeat', [...ARGS, '--repeat', '2'], '--repeat has no effect with --evals'],
    ['--retry', [...ARGS, '--retry', '2'], '--retry has no effect with --evals'],
    ['--shuffle', [...ARGS, '--shuffle'], '--shuffle has no effect with --evals'],
    ['--bail', [...ARGS, '--bail'], '--bail has no effect with --evals'],
    ['--jobs', [...ARGS, '--jobs', '2'], '--jobs has no effect with --evals'],
    ['--record', [...ARGS, '--record'], '--record has no effect with --evals'],
    ['--docs', [...ARGS, '--docs'], '--docs has no effect with --evals'],
    ['--keep', [...ARGS, '--keep'], '--keep has no effect with --evals'],
    ['--update', [...ARGS, '--update'], '--update has no effect with --evals'],
    ['--watch', [...ARGS, '--watch'], '--watch has no effect with --evals'],
    ['--fail-on-flaky', [...ARGS, '--fail-on-flaky'], '--fail-on-flaky has no effect with --evals'],
    ['--coverage', [...ARGS, '--coverage'], '--coverage has no effect with --evals'],
    ['--threshold', [...ARGS, '--threshold', '80'], '--threshold has no effect with --evals'],
    ['--case alone', ['test', '--case', 'a'], 'The option --case requires --evals'],
    ['--max-cost-usd alone', ['test', '--max-cost-usd', '2'], '--max-cost-usd requires --evals'],
    ['--continue alone', ['test', '--continue', 'x'], 'The option --continue requires --evals'],
    ['--runs of saved runs', [...REGRADE, '--runs', '3'], '--runs has no effect with --regrade'],
    ['--filter of saved runs', [...REGRADE, '--filter', 'a'], '--filter has no effect with --reg'],
    [
      '--model without --judge',
      [...REGRADE, '--model', 'script:model.yaml'],
      'The option --model has no effect with --regrade without --judge',
    ],
    [
      '--output of a continued iteration',
      [...ARGS, '--continue', 'x', '--output', 'y'],
      'The option --output has no effect with --continue',
    ],
    [
      'two reporters on standard output',
      [...ARGS, '--reporter', 'tap', '--reporter', 'json'],
      'both',
    ],
    ['an unknown reporter', [...ARGS, '--reporter', 'xml'], 'There is no reporter "xml"'],
    ['--json and --reporter', [...ARGS, '--json', '--reporter', 'tap'], 'Expected --json or'],
  ])('%s', async (...[, argv, message]) => {
    const ran = await runSkills(argv, { cwd: createFolder(PROJECT) })
    expect(ran.stderr + ran.stdout).toContain(message)
    expect(ran.code).toBe(2)
  })
})
