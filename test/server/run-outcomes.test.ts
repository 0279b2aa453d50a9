// @module-tag slow
import { describe, expect, it } from 'vitest'
import { jsonLog } from '../../src/server/telemetry/request-log.ts'
import { readEvents } from '../helpers/events.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'

const skill = 'demo.greet'
const session = 'one'

/** Expected status of each call's run, by method, parameters and skill. */
const CALLS: readonly [method: string, params: object, status: string, skill?: string][] = [
  ['execute_skill', { name: skill }, 'completed', skill],
  ['run_code', { language: 'python', code: 'def main(a):\n  return 1 / 0' }, 'failed'],
  ['runtime.execute', { runtime: 'shell', code: 'echo hi' }, 'success'],
  ['skill_run', { skill, command: 'echo hi', session }, 'completed', skill],
  ['skill_run', { skill, command: 'exit 3', session }, 'failed', skill],
  ['skill_run', { skill, command: 'sleep 60', session, timeout: 1 }, 'timeout', skill],
  ['skill_exec', { skill, command: 'exit 3', session, yield_ms: 30_000 }, 'failed', skill],
  ['skill_exec', { skill, command: 'cat', session, yield_ms: 100 }, 'running', skill],
  ['workspace_exec', { command: 'echo hi', session }, 'completed'],
  ['workspace_exec', { command: 'exit 3', session }, 'failed'],
  ['workspace_exec', { command: 'cat', session, background: true }, 'running'],
]

interface Logged {
  message?: string
  status?: string
  skill?: string
  run_id?: string
}

async function openServer(): Promise<{ server: TestServer; lines: Logged[] }> {
  const lines: Logged[] = []
  const log = jsonLog((line) => lines.push(JSON.parse(line) as Logged))
  const server = await startTestServer({
    tree: prefixPaths('skills/greet', createActionSkill(skill)),
    log,
  })
  await server.result('skill_load', { skill, session })
  lines.length = 0
  return { server, lines }
}

async function readRunCounts(server: TestServer): Promise<string[]> {
  const text = await (await server.fetch('/metrics')).text()
  return text.split('\n').filter((line) => line.startsWith('skills_runs_total{'))
}

describe('the outcome of a run', () => {
  it.each(CALLS)('of %s with %j is %s in its events, metrics and log', async (...row) => {
    const [method, params, status, named] = row
    const { server, lines } = await openServer()
    const asked = { jsonrpc: '2.0', id: 1, method, params }
    const response = await server.post(asked, { accept: 'text/event-stream' })
    const ends: unknown[] = []
    for await (const { name, data } of readEvents(response)) if (name === 'end') ends.push(data)
    expect(ends).toMatchObject([{ status }])
    expect(await readRunCounts(server)).toEqual([
      `skills_runs_total{status="${status}",skill="${named ?? ''}"} 1`,
    ])
    expect(lines).toMatchObject([{ message: method, status }])
    expect(lines[0]?.run_id).toMatch(/^run_/)
    expect(lines[0]?.skill).toBe(named)
  })

  it('is counted once for a background command, however often it is polled', async () => {
    const { server, lines } = await openServer()
    const started = await server.result('skill_exec', { skill, command: 'cat', session })
    const at = { session, session_id: started['session_id'] }
    await server.result('skill_write_stdin', { ...at, chars: 'typed', submit: true })
    await server.result('skill_poll_session', at)
    await server.result('skill_kill_session', at)
    expect(await readRunCounts(server)).toEqual([
      `skills_runs_total{status="running",skill="${skill}"} 1`,
    ])
    expect(lines.map(({ run_id: run }) => run !== undefined)).toEqual([true, false, false, false])
  })
})
