// @module-tag slow
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runSkills } from '../../helpers/skills.ts'
import { call, createProject, LOAD, run, runTests, writeCase } from './scripted.ts'

describe('a conversation with a scripted model', { timeout: 60_000 }, () => {
  it('runs the tools of a real session, and records results, requests and loaded skills', async () => {
    const cwd = createProject(
      writeCase({
        calls: [
          LOAD,
          run('echo a > $WORK_DIR/a.txt; cat $WORK_DIR/in.txt; exit 3'),
          call('workspace_read', { path: 'work/a.txt' }),
        ],
        more: 'files = { "work/in.txt" = "from a file" }',
        expected: [
          '{ status = "completed" }',
          '{ tool_result = { call = 1, tool = "skill_load", error = false, contains = "loaded: demo.talk" } }',
          '{ tool_result = { call = 2, path = "exit_code", equals = 3 } }',
          '{ tool_result = { call = 2, path = "stdout", includes = "from a file" } }',
          '{ tool_result = { call = 3, contains = "a" } }',
          '{ request = { turn = 1, contains = ["-- user --\\ntalks\\n", "demo.talk: Talks with people."] } }',
          '{ request = { turn = 1, contains = "# Talk" }, not = true }',
          '{ request = { turn = 2, contains = "# Talk" } }',
          '{ loaded = ["demo.talk"] }',
          '{ files = { created = "work/a.txt", untouched = "work/in.txt", only = true } }',
          '{ isolation = { network = "none" } }',
          '{ duration = { below = "50s" } }',
        ],
      }),
    )
    const { stdout, stderr, code } = await runTests(cwd)
    expect(stdout + stderr).toMatch(/^1 passed/m)
    expect(code).toBe(0)
  })

  it('explains each expectation that is not met, and fails the negation of those that are', async () => {
    const unmet = [
      [
        '{ tool_result = { call = 1, error = true } }',
        'Expected the result of call 1 to be an error, got loaded: demo.talk',
      ],
      [
        '{ tool_result = { call = 1, tool = "skill_run" } }',
        'Expected call 1 to be of skill_run, got skill_load',
      ],
      [
        '{ tool_result = { call = 1, contains = "none" } }',
        'Expected the result of call 1 to contain "none", got "loaded: demo.talk"',
      ],
      [
        '{ tool_result = { call = 2, path = "stdout", equals = "b\\n" } }',
        'Expected result of call 2 .stdout to equal the value',
      ],
      ['{ tool_result = { call = 2, path = "none" } }', 'Expected result of call 2 .none to exist'],
      [
        '{ request = { turn = 1, contains = "# Talk" } }',
        'Expected request 1 to contain "# Talk", got "-- tools --',
      ],
      ['{ loaded = ["demo.notes"] }', 'Expected the loaded skills to be demo.notes, got demo.talk'],
      ['{ loaded = [] }', 'Expected the loaded skills to be none, got demo.talk'],
      ['{ status = "refused" }', 'Expected the status "refused", got "completed"'],
    ] as const
    const met = [
      '{ tool_result = { call = 1, error = false }, not = true }',
      '{ tool_result = { call = 2, path = "stdout", equals = "a\\n" }, not = true }',
      '{ request = { turn = 2, contains = "# Talk" }, not = true }',
      '{ loaded = ["demo.talk"], not = true }',
    ]
    const calls = [LOAD, run('echo a')]
    const cwd = createProject(
      writeCase({ name: 'unmet', calls, expected: unmet.map(([each]) => each) }) +
        writeCase({ name: 'negated', calls, expected: met }),
    )
    const { stdout, code } = await runTests(cwd)
    for (const [, message] of unmet) expect(stdout).toContain(message)
    expect(stdout).toMatch(/Expected not: request 2 to contain "# Talk"/)
    expect(stdout.match(/Expected not: /g)).toHaveLength(met.length)
    expect(code).toBe(1)
  })

  it('shows the difference of a tool result and of a transcript', async () => {
    const expected = [
      '{ tool_result = { call = 1, path = "stdout", equals = "b\\n" } }',
      '{ snapshot = "transcript" }',
    ]
    const cwd = createProject(
      writeCase({
        calls: [run('echo a')],
        more: 'tools = ["skill_load", "skill_run"]',
        expected,
      }).replace('talks', 'says a'),
    )
    const { stdout } = await runSkills(['test', 'demo'], { cwd, env: { CI: '' } })
    expect(stdout).toContain('+-- user --')
    expect(stdout).toContain('requires skill_load first')
  })

  it('compares its transcript with a snapshot, whatever the ids and times of runs are', async () => {
    const calls = [call('execute_skill', { name: 'demo.talk', args: {} })]
    const more = 'tools = ["execute_skill"]\nfakes = { git = { stdout = "clean" } }'
    const cwd = createProject(writeCase({ calls, more, expected: ['{ snapshot = "transcript" }'] }))
    expect((await runTests(cwd)).code).toBe(1)
    expect((await runTests(cwd, ['--update'])).code).toBe(0)
    const text = readFileSync(join(cwd, 'demo/tests/snapshots/talk/talks.transcript.txt'), 'utf8')
    expect(text).toContain('-- tools --\nexecute_skill\n')
    expect(text).toContain('-- assistant --\ncall execute_skill {"name":"demo.talk","args":{}}\n')
    expect(text).toContain('"run_id":"[ID]"')
    expect((await runTests(cwd, ['--repeat', '3'])).code).toBe(0)
  })

  it('answers a call of an unknown tool, and of a tool that is not offered, with an error', async () => {
    const cwd = createProject(
      writeCase({
        calls: [
          call('send_mail', {}),
          call('workspace_write', { path: 'a', content: 'b' }),
          call('skill_load', { skill: 'none' }),
        ],
        more: 'tools = "knowledge"',
        expected: [
          '{ tool_result = { call = 1, error = true, contains = "Error: Unknown tool \\"send_mail\\". Use one of skill_load" } }',
          '{ tool_result = { call = 2, error = true, contains = "Unknown tool" } }',
          '{ tool_result = { call = 3, error = true, contains = "unknown skill: none" } }',
          '{ request = { turn = 2, contains = "Unknown tool \\"send_mail\\"" } }',
          '{ files = { created = "**" }, not = true }',
        ],
      }),
    )
    const { stdout, code } = await runTests(cwd)
    expect(stdout).toMatch(/^1 passed/m)
    expect(code).toBe(0)
  })

  it('offers only the mounted skills', async () => {
    const loads = [LOAD, call('skill_load', { skill: 'notes' })]
    const cwd = createProject(
      writeCase({
        name: 'own',
        calls: loads,
        expected: [
          '{ loaded = ["demo.talk"] }',
          '{ tool_result = { call = 2, error = true } }',
          '{ request = { turn = 1, contains = "notes" }, not = true }',
        ],
      }) +
        writeCase({
          name: 'other',
          more: 'mount = ["../notes"]',
          calls: loads,
          expected: [
            '{ loaded = ["notes"] }',
            '{ tool_result = { call = 1, error = true } }',
            '{ request = { turn = 3, contains = "Write short notes." } }',
          ],
        }),
    )
    const { stdout, code } = await runTests(cwd)
    expect(stdout).toMatch(/^2 passed/m)
    expect(code).toBe(0)
  })

  it('has turns of the user, after which skills must be loaded again', async () => {
    const cwd = createProject(`
[[cases]]
name = "two turns"
conversation = [
  { user = "load it", calls = [${LOAD}] },
  { text = "Loaded." },
  { user = "and now?", text = "Gone." },
]
expect = [
  { request = { turn = 2, contains = "# Talk" } },
  { request = { turn = 3, contains = "and now?" } },
  { request = { turn = 3, contains = "# Talk" }, not = true },
  { loaded = [] },
]
`)
    const { stdout, code } = await runTests(cwd)
    expect(stdout).toMatch(/^1 passed/m)
    expect(code).toBe(0)
  })

  it('has the fixed clock and seed, the environment and the fake commands of its case', async () => {
    const more = 'now = "2020-02-02T00:00:00Z"\nseed = 7\nfakes = { git = { stdout = "clean" } }\n'
    const more1 = `${more}tools = ["skill_load", "skill_run", "execute_skill"]`
    const cwd = createProject(
      writeCase({
        more: more1,
        calls: [
          LOAD,
          run('git push; echo $TZ-$SOURCE_DATE_EPOCH'),
          call('execute_skill', { name: 'demo.talk', args: {} }),
        ],
        expected: [
          '{ tool_result = { call = 2, path = "stdout", equals = "cleanUTC-1580601600\\n" } }',
          '{ tool_result = { call = 3, path = "output.time", equals = 1580601600.0 } }',
          '{ tool_result = { call = 3, path = "output.random", equals = 0.32383276483316237 } }',
          '{ tool_result = { call = 3, path = "output.git", equals = "clean" } }',
          '{ calls = { command = "git", args = ["push"], times = 1 } }',
          '{ calls = { command = "git", args = ["status"], times = 1 } }',
          '{ tool_result = { call = 3, contains = "workspace is kept" }, not = true }',
          '{ logs = { contains = "said" } }',
        ],
      }),
    )
    const { stdout, code } = await runTests(cwd)
    expect(stdout).toMatch(/^1 passed/m)
    expect(code).toBe(0)
  })

  it('ends at the time limit of its case, with the turns until then', async () => {
    const cwd = createProject(
      writeCase({
        more: 'timeout = "3s"',
        calls: [LOAD, run('sleep 40')],
        expected: [
          '{ status = "failed" }',
          '{ error = { type = "Timeout" } }',
          '{ loaded = ["demo.talk"] }',
          '{ duration = { below = "30s" } }',
        ],
      }),
    )
    const { stdout, code } = await runTests(cwd)
    expect(stdout).toMatch(/^1 passed/m)
    expect(code).toBe(0)
  })
})
