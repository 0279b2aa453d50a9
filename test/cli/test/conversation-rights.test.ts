import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, createProject, FAKE, LOAD, REAL, run, runTests, writeCase } from './scripted.ts'

const requests: string[] = []
const server = createServer(({ url = '' }, response) => {
  requests.push(url)
  response.end('reached')
})
let port = 0

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})

afterAll(() => server.close().closeAllConnections())

describe('the rights of a conversation', { timeout: 60_000 }, () => {
  const fetchPage = (path: string) =>
    run(
      `python3 -c "import urllib.request as r; print(r.urlopen('http://localhost:${port}${path}').read())"`,
    )

  it(
    'do not include a network that the skill does not declare; the control declares it',
    { tags: ['slow'] },
    async () => {
      const write = (path: string, expected: string) =>
        writeCase({ more: 'cassette = true', calls: [LOAD, fetchPage(path)], expected: [expected] })
      const refused = createProject(
        write('/undeclared', '{ tool_result = { call = 2, path = "exit_code", equals = 1 } }'),
      )
      await runTests(refused, ['--record'])
      expect(requests).not.toContain('/undeclared')
      const declared = { hosts: `["http://localhost:${port}"]` }
      const control = createProject(
        write('/declared', '{ tool_result = { call = 2, path = "stdout", includes = "reached" } }'),
        declared,
      )
      const recorded = await runTests(control, ['--record'])
      expect(recorded.code, recorded.stdout + recorded.stderr).toBe(0)
      expect(requests).toContain('/declared')
      const count = requests.length
      expect((await runTests(control)).code).toBe(0)
      expect(requests).toHaveLength(count)
    },
  )

  it('include no network without a cassette, also for a skill that declares it', async () => {
    const cwd = createProject(
      writeCase({
        calls: [LOAD, fetchPage('/plain')],
        expected: [
          '{ network = { host = "localhost", allowed = false } }',
          '{ tool_result = { call = 2, path = "exit_code", equals = 1 } }',
        ],
      }),
      { hosts: `["http://localhost:${port}"]` },
    )
    const { stdout, code } = await runTests(cwd)
    expect(stdout).toMatch(/^1 passed/m)
    expect(code).toBe(0)
    expect(requests).not.toContain('/plain')
  })

  it('include the fake secrets and never the real ones, and no request shows them', async () => {
    const own = `secrets = { TOKEN = "${FAKE}" }\ntools = ["skill_load", "skill_run", "execute_skill"]`
    const print = [
      LOAD,
      run('echo token $TOKEN'),
      call('execute_skill', { name: 'demo.talk', args: {} }),
    ]
    const shown = (text: string) => `{ request = { turn = 4, contains = "${text}" }, not = true }`
    const cwd = createProject(
      writeCase({
        more: own,
        calls: print,
        expected: [
          shown(FAKE),
          shown(REAL),
          '{ tool_result = { call = 2, path = "stdout", matches = "^token .{3}" } }',
          '{ hides_secrets = "TOKEN", not = true }',
        ],
      }) +
        writeCase({
          name: 'none',
          calls: print.slice(0, 2),
          expected: ['{ tool_result = { call = 2, path = "stdout", equals = "token\\n" } }'],
        }) +
        writeCase({
          name: 'silent',
          more: own,
          calls: [LOAD, run('echo ${#TOKEN}')],
          expected: [
            `{ tool_result = { call = 2, path = "stdout", equals = "${FAKE.length}\\n" } }`,
            '{ hides_secrets = "TOKEN" }',
          ],
        }),
    )
    const { stdout, code } = await runTests(cwd)
    expect(stdout).toMatch(/^3 passed/m)
    expect(code).toBe(0)
  })

  it('include no detached run, which would outlive its case', async () => {
    const args = { name: 'demo.talk', args: {}, detach: true }
    const cwd = createProject(
      writeCase({
        more: 'tools = ["execute_skill"]',
        calls: [call('execute_skill', args)],
        expected: ['{ tool_result = { call = 1, error = true, contains = "cannot be detached" } }'],
      }),
    )
    const { stdout, code } = await runTests(cwd)
    expect(stdout).toMatch(/^1 passed/m)
    expect(code).toBe(0)
  })
})
