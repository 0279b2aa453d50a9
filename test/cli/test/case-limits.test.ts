// @module-tag slow
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { planTests } from '../../../src/testing/running/plan-tests.ts'
import { runTests as runCases } from '../../../src/testing/running/run-tests.ts'
import { openTestRuntime } from '../../../src/testing/running/test-runtime.ts'
import { createActionSkill } from '../../helpers/projects.ts'
import { createFolder, runSkills, type CliInvocation, type Tree } from '../../helpers/skills.ts'

/** Fills 120 MiB, which is more than the narrow limit and less than the configured one. */
const CODE = `
def main(args):
    data = bytearray(120 * 1024 * 1024)
    for at in range(0, len(data), 4096):
        data[at] = 1
    return len(data)
`
const FILL = `python3 -c "data = b'a' * (120 * 1024 * 1024); print(len(data))"`

const NARROW = 'memory = "64MiB"\n'

const writeCase = (name: string, lines: string, expected: string) =>
  `[[cases]]\nname = "${name}"\n${lines}\nexpect = [${expected}]\n\n`

const CONVERSATION = `tools = ["execute_skill"]
conversation = [{ calls = [{ tool = "execute_skill", args = { name = "demo.eats", args = {} } }] }]`

async function runTests(
  cases: string,
  more: Tree = {},
  at: Pick<CliInvocation, 'isCold' | 'env'> = {},
) {
  const cwd = createFolder({
    ...createActionSkill('demo.eats'),
    'skill.toml':
      'name = "demo.eats"\nversion = "0.1.0"\ndescription = "Eats."\nkind = "action"\n[runtime]\nlanguage = "python"\nentrypoint = "code/main.py"\nexport = "main"\n',
    'code/main.py': CODE,
    'tests/eats.test.toml': cases,
    ...more,
  })
  return await runSkills(['test', '--reporter', 'concise'], { cwd, ...at })
}

describe('the memory limit of a case', { timeout: 180_000 }, () => {
  it('ends each kind of run that needs more; the controls have the configured limit', async () => {
    const { stdout, stderr, code } = await runTests(
      writeCase(
        'function',
        `${NARROW}args = {}`,
        '{ error = { message = { matches = "[Mm]emory" } } }',
      ) +
        writeCase('function, control', 'args = {}', '{ result = { equals = 125829120 } }') +
        writeCase('code', `${NARROW}code = """${CODE}"""`, '{ status = "failed" }') +
        writeCase('code, control', `code = """${CODE}"""`, '{ status = "completed" }') +
        writeCase(
          'command',
          `${NARROW}command = ${JSON.stringify(FILL)}`,
          '{ status = "failed" }',
        ) +
        writeCase(
          'command, control',
          `command = ${JSON.stringify(FILL)}`,
          '{ stdout = { equals = "125829120\\n" } }',
        ) +
        writeCase(
          'conversation',
          `${NARROW}${CONVERSATION}`,
          '{ tool_result = { call = 1, path = "status", equals = "failed" } }',
        ) +
        writeCase(
          'conversation, control',
          CONVERSATION,
          '{ tool_result = { call = 1, path = "output", equals = 125829120 } }',
        ),
    )
    expect(stdout + stderr).toMatch(/^8 passed/m)
    expect(code).toBe(0)
  })

  it('is that of all cases of a file, if its defaults have it', async () => {
    const { stdout, code } = await runTests(
      `[defaults]\n${NARROW}\n` +
        writeCase('narrow', 'args = {}', '{ status = "failed" }') +
        writeCase('own', 'memory = "256MiB"\nargs = {}', '{ status = "completed" }'),
    )
    expect(stdout).toMatch(/^2 passed/m)
    expect(code).toBe(0)
  })

  it('ends a run that is not forked from a zygote', async () => {
    const cases =
      writeCase('narrow', `${NARROW}args = {}`, '{ status = "failed" }') +
      writeCase('control', 'args = {}', '{ status = "completed" }')
    const { stdout, code } = await runTests(cases, {}, { isCold: true })
    expect(stdout).toMatch(/^2 passed/m)
    expect(code).toBe(0)
  })

  it('cannot be raised by a caller that skips the check of files', async () => {
    const cwd = createFolder({
      ...createActionSkill('demo.eats'),
      'tests/eats.test.toml': writeCase('wide', 'memory = "1TiB"', '{ status = "refused" }'),
    })
    const { config } = await loadConfig({ cwd, env: { HOME: cwd } })
    const runtime = openTestRuntime(config)
    onTestFinished(async () => await runtime.close())
    const { cases } = await planTests([{ skill: cwd, files: undefined }], {
      docs: false,
      record: false,
    })
    const settings = { jobs: 1, shuffle: undefined, bail: undefined, repeat: 1, retry: 0 }
    const report = await runCases(runtime, cases, {
      ...settings,
      keepIn: undefined,
      record: false,
      snapshots: 'fixed',
      cwd,
      env: { HOME: cwd },
      signal: new AbortController().signal,
    })
    expect(report.cases.map(({ status }) => status)).toEqual(['passed'])
  })

  it('is refused with its position if the configuration allows less, and nothing runs', async () => {
    const cases = writeCase('first', 'args = {}', '{ status = "completed" }')
    const { stdout, stderr, code } = await runTests(
      cases + writeCase('wide', 'memory = "300MiB"\nargs = {}', '{ status = "completed" }'),
      {},
      { env: { SKILLS_RUN_LIMITS_MEMORY: '256MiB' } },
    )
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 })
    expect(stderr).toContain(
      'tests/eats.test.toml:6:1: A case can have at most 256 MiB of memory, got 300 MiB',
    )
  })
})
