// @module-tag slow
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startChild } from '../../helpers/child.ts'
import { createFolder, runSkills, writeTree, type Tree } from '../../helpers/skills.ts'
import { BIN } from '../../helpers/built.ts'

const MODEL = `
conversations:
  - prompt: Greet
    turns:
      - calls: [{ name: workspace_exec, arguments: { command: 'sleep 0.3; echo Hello > out/file.txt' } }]
      - text: 'Hello'
  - prompt: Say hello
    turns: [{ calls: [{ name: skill_load, arguments: { skill: greet } }] }, { text: ok }]
`
const GRADER = '---\ntype: file_exists\npath: file.txt\n---\n'
const PROJECT: Tree = {
  'model.yaml': MODEL,
  'skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets people.\n---\nGreet.\n',
  ...Object.fromEntries(
    ['ada', 'bob', 'eve'].flatMap((name) => [
      [`skills/greet/evals/${name}/prompt.md`, `Greet ${name}`],
      [`skills/greet/evals/${name}/graders/a.md`, GRADER],
    ]),
  ),
  'skills/greet/evals/triggers.json': '[{ "query": "Say hello", "should_trigger": true }]',
}
const ARGS = ['test', '--evals', 'skills/greet', '--model', 'script:model.yaml']
const ITERATION = 'skills-evals/greet/iteration-1'
const FIRST = join(ITERATION, 'eval-ada/with_skill/run-1/trajectory.jsonl')
const CONTINUE = [...ARGS, '--continue', ITERATION]

interface Benchmark {
  metadata: { is_partial: boolean }
  runs: { eval_id: string; ended: string }[]
}
const readBenchmark = (cwd: string) =>
  JSON.parse(readFileSync(join(cwd, ITERATION, 'benchmark.json'), 'utf8')) as Benchmark

/** Runs the evals, and interrupts them when the first run has ended. */
async function interruptEvals(cwd: string, more: readonly string[] = []) {
  const controller = new AbortController()
  const ended = runSkills([...ARGS, ...more], { cwd, signal: controller.signal })
  await expect.poll(() => existsSync(join(cwd, FIRST)), { timeout: 60_000 }).toBe(true)
  controller.abort()
  return await ended
}

describe('interrupted evals', () => {
  it(
    'report the runs that ended, and continue without repeating them',
    { tags: ['slow', 'nightly'] },
    async () => {
      const cwd = createFolder(PROJECT)
      const reporters = ['--reporter', 'tap=report.tap', '--reporter', 'pretty']
      const { code, stdout, stderr } = await interruptEvals(cwd, reporters)
      expect(code).toBe(130)
      expect(stdout).toContain('the rest did not run')
      expect(stdout).not.toContain('eve')
      expect(readFileSync(join(cwd, 'report.tap'), 'utf8')).toContain('Bail out!')
      expect(stderr).toContain(`skills test --evals --continue ${ITERATION} skills/greet`)
      expect(readBenchmark(cwd).metadata.is_partial).toBe(true)
      const { ino } = statSync(join(cwd, FIRST))
      const rest = await runSkills(CONTINUE, { cwd })
      expect({ code: rest.code, stderr: rest.stderr }).toMatchObject({ code: 0 })
      expect(statSync(join(cwd, FIRST)).ino).toBe(ino)
      const { metadata, runs } = readBenchmark(cwd)
      expect(metadata.is_partial).toBe(false)
      expect(runs.map(({ ended }) => ended)).toEqual(Array.from({ length: 18 }, () => 'completed'))
      expect(existsSync(join(cwd, 'skills-evals/greet/iteration-2'))).toBe(false)
      // Everything has run: nothing is repeated, and more runs are added.
      const more = await runSkills([...CONTINUE, '--runs', '4'], { cwd })
      expect(more.code).toBe(0)
      expect(statSync(join(cwd, FIRST)).ino).toBe(ino)
      expect(readBenchmark(cwd).runs).toHaveLength(24)
    },
  )

  it('a case whose other runs are missing does not pass', async () => {
    const cwd = createFolder(PROJECT)
    const { stdout } = await interruptEvals(cwd, ['--runs', '20', '--case', 'ada'])
    expect(stdout).toMatch(/Only \d+ of 20 runs ended/)
    expect(stdout).toContain('✗ greet › evals › ada')
  })

  it('runs of a changed skill or of another model are not mixed', async () => {
    const cwd = createFolder({ ...PROJECT, 'other.yaml': MODEL })
    expect((await interruptEvals(cwd)).code).toBe(130)
    const args = [...CONTINUE, '--model', 'script:other.yaml']
    const other = await runSkills(args, { cwd })
    expect(other.stderr).toContain('The saved runs used the model "script:model.yaml"')
    expect(other.code).toBe(2)
    const text = '---\nname: greet\ndescription: Greets people.\n---\nGreet twice.\n'
    writeTree(cwd, { 'skills/greet/SKILL.md': text })
    const changed = await runSkills(CONTINUE, { cwd })
    expect(changed.stderr).toContain('The skill has changed since the saved runs')
    expect(changed.code).toBe(2)
  })

  it('a changed prompt runs again', { tags: ['slow', 'nightly'] }, async () => {
    const cwd = createFolder(PROJECT)
    await interruptEvals(cwd)
    writeTree(cwd, { 'skills/greet/evals/ada/prompt.md': 'Greet Ada again' })
    expect((await runSkills(CONTINUE, { cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, FIRST), 'utf8')).toContain('Greet Ada again')
  })

  it('an iteration that does not exist is refused', async () => {
    const cwd = createFolder(PROJECT)
    const { code, stderr } = await runSkills([...ARGS, '--continue', 'no'], { cwd })
    expect(stderr).toContain('There is no folder "no" to continue')
    expect(code).toBe(2)
  })
})

describe('killed evals', () => {
  it(
    'leave whole runs, and the rest runs with --continue',
    { tags: ['slow', 'nightly'] },
    async () => {
      const cwd = createFolder(PROJECT)
      const argv = [BIN, ...ARGS]
      const env = { HOME: createFolder() }
      const child = startChild(process.execPath, argv, { cwd, env })
      await expect.poll(() => existsSync(join(cwd, FIRST)), { timeout: 60_000 }).toBe(true)
      child.kill()
      expect((await child.result).code).toBe(null)
      expect(existsSync(join(cwd, ITERATION, 'benchmark.json'))).toBe(false)
      // A run without its trajectory is not complete; the files that it left are not taken over.
      writeTree(cwd, { [`${ITERATION}/eval-eve/with_skill/run-1/outputs/old.txt`]: 'old' })
      const { code, stderr } = await runSkills(CONTINUE, { cwd })
      expect({ code, stderr }).toMatchObject({ code: 0 })
      expect(readBenchmark(cwd).runs).toHaveLength(18)
      const old = join(cwd, ITERATION, 'eval-eve/with_skill/run-1/outputs/old.txt')
      expect(existsSync(old)).toBe(false)
    },
  )
})
