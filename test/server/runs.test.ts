// @module-tag slow
// @module-tag nightly
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { BoundedRunQueue } from '../../src/core/runs/queue/run-queue.ts'
import { parseTokens } from '../../src/server/auth/tokens.ts'
import { readEvents, type ServerEvent } from '../helpers/events.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { startTestServer, type RpcAnswer, type TestServer } from '../helpers/server.ts'

const tree = prefixPaths('skills/greet', createActionSkill('demo.greet'))

const code = (text: string, more: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'run_code',
  params: { language: 'python', code: text, ...more },
})
const SLOW = 'import time\ndef main(args):\n  print("begun", flush=True)\n  time.sleep(60)\n'

/** Waits until the server has this number of active runs. */
async function waitForRuns(server: TestServer, count: number): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if ((await listSandboxes(server)) === count) return
    await sleep(50)
  }
  throw new Error(`expected ${count} runs, still ${await listSandboxes(server)}`)
}

async function listSandboxes(server: TestServer): Promise<number> {
  const text = await (await server.fetch('/metrics')).text()
  return Number(/^skills_sandboxes (\d+)$/m.exec(text)?.[1])
}

describe('execute_skill and run_code', () => {
  it('run in a sandbox and return the output of the skill', async () => {
    const server = await startTestServer({ tree })
    const result = await server.result('execute_skill', {
      name: 'demo.greet',
      args: { name: 'Ada' },
    })
    expect(result).toMatchObject({ status: 'completed', output: { greeting: 'Hello, Ada' } })
  })

  it('return an exception as a result without paths of this machine', async () => {
    const server = await startTestServer({ tree })
    const text = JSON.stringify(
      await server.call('run_code', { language: 'python', code: 'def main(a):\n  open("/nope")' }),
    )
    expect(text).toContain('"status":"failed"')
    expect(text).toContain('FileNotFoundError')
    expect(text).not.toContain(server.dir)
  })

  it('record the caller, the transport and the trace id', async () => {
    const token = 'alice-token-0123456789'
    const server = await startTestServer({ tokens: parseTokens(`${token} alice`, 'f') })
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const response = await server.post(code('def main(a):\n  return 1'), {
      authorization: `Bearer ${token}`,
      traceparent,
    })
    const { result } = (await response.json()) as RpcAnswer
    const record = await (await server.runtime.runs()).get(String(result?.['run_id']))
    const text = JSON.stringify(record)
    for (const each of ['alice', 'http', traceparent]) expect(text).toContain(each)
  })

  it('are cancelled when the client disconnects', async () => {
    const server = await startTestServer()
    const controller = new AbortController()
    const response = fetch(`${server.url}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(code(SLOW)),
      signal: controller.signal,
    })
    response.catch(() => {})
    await waitForRuns(server, 1)
    controller.abort()
    await waitForRuns(server, 0)
    await expect(response).rejects.toThrow()
  })
})

describe('the run queue', () => {
  it('limits running and waiting calls and rejects further ones with a retry delay', async () => {
    const server = await startTestServer({
      settings: { 'run.max_concurrent': 1, 'run.max_waiting': 2 },
    })
    const run = async () =>
      (await (
        await server.post(code('import time\ndef main(a):\n  time.sleep(1)'))
      ).json()) as RpcAnswer
    const answers = await Promise.all(Array.from({ length: 6 }, run))
    const refused = answers.filter((each) => each.error)
    expect(refused).toHaveLength(3)
    for (const { error } of refused) {
      expect(error?.code).toBe(-32003)
      expect(error?.data?.['retry_after_ms']).toBeGreaterThan(0)
    }
    expect(answers.filter((each) => each.result?.['status'] === 'completed')).toHaveLength(3)
  })

  it('keeps the results of many concurrent calls complete and apart', async () => {
    const server = await startTestServer({ tree })
    const names = Array.from({ length: 16 }, (_, at) => `caller-${at}`)
    const greetings = await Promise.all(
      names.map(async (name) => {
        const result = await server.result('execute_skill', { name: 'demo.greet', args: { name } })
        return (result['output'] as { greeting: string }).greeting
      }),
    )
    expect(greetings).toEqual(names.map((name) => `Hello, ${name}`))
  })

  it('that a caller cancels have a code of their own, which no denial has', async () => {
    const server = await startTestServer()
    const run_id = `run_${'c'.repeat(24)}`
    const answer = server.post(code(SLOW, { _meta: { run_id } }))
    await waitForRuns(server, 1)
    await server.result('runs', { action: 'cancel', run_id })
    const { error } = (await (await answer).json()) as RpcAnswer
    expect(error).toMatchObject({ code: -32005, data: { kind: 'run/cancelled' } })
  })

  it('removes a client that disconnects while waiting', async () => {
    const queue = new BoundedRunQueue({ running: 1, waiting: 1 })
    const slot = await queue.acquire(new AbortController().signal)
    const controller = new AbortController()
    const waiting = queue.acquire(controller.signal)
    controller.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'run/cancelled' })
    expect(queue.waiting).toBe(0)
    const next = queue.acquire(new AbortController().signal)
    slot.release()
    ;(await next).release()
    expect(queue.running).toBe(0)
  })

  it('rejects all waiting calls when it closes', async () => {
    const queue = new BoundedRunQueue({ running: 1, waiting: 5 })
    const slot = await queue.acquire(new AbortController().signal)
    const waiting = queue.acquire(new AbortController().signal)
    queue.close()
    await expect(waiting).rejects.toMatchObject({ code: 'run/busy' })
    await expect(queue.acquire(new AbortController().signal)).rejects.toThrow(/shutting down/)
    slot.release()
    expect(queue.running).toBe(0)
  })
})

describe('events of a run', () => {
  const id = `run_${'ab'.repeat(12)}`
  const TALKS =
    'import time\nfrom runtime import log, blobs\ndef main(a):\n  print("one", flush=True)\n  log.info("two")\n  blobs.write_text("x")\n  time.sleep(float(a["s"]))\n  return 3'

  it('are returned by POST /rpc on request, with the response last', async () => {
    const server = await startTestServer()
    const request = code(TALKS, { args: { s: 0 }, _meta: { run_id: id } })
    const response = await server.post(request, { accept: 'text/event-stream' })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const events: ServerEvent[] = []
    for await (const event of readEvents(response)) events.push(event)
    const states = events.filter((each) => each.name === 'state').map((each) => each.data['state'])
    expect(states).toEqual(['queued', 'starting', 'running', 'collecting', 'completed'])
    const messages = events.filter((each) => each.name === 'log').map((each) => each.data['text'])
    expect(messages.join('')).toContain('one\n')
    expect(messages.join('')).toContain('two')
    expect(events.some((each) => each.name === 'blob')).toBe(true)
    const runEvents = events.filter((each) => each.name !== 'response')
    expect(runEvents.every((each) => each.data['run_id'] === id)).toBe(true)
    expect(events.at(-1)?.name).toBe('response')
    expect(events.at(-1)?.data).toMatchObject({
      id: 1,
      result: { run_id: id, status: 'completed', output: 3 },
    })
  })

  it("can be followed from the beginning by the caller's run id", async () => {
    const server = await startTestServer()
    const response = server.post(code(TALKS, { args: { s: 2 }, _meta: { run_id: id } }))
    await waitForRuns(server, 1)
    const events: ServerEvent[] = []
    for await (const event of readEvents(await server.fetch(`/runs/${id}/events`)))
      events.push(event)
    expect(events[0]?.data).toEqual({ run_id: id, state: 'queued' })
    expect(events.map((each) => Number(each.id))).toEqual(events.map((_, at) => at + 1))
    expect(events.at(-1)).toMatchObject({ name: 'end', data: { run_id: id, status: 'completed' } })
    expect(await (await response).json()).toMatchObject({ result: { run_id: id } })
    const later = await server.fetch(`/runs/${id}/events`, {
      headers: { 'last-event-id': events.at(-2)?.id ?? '' },
    })
    const rest: ServerEvent[] = []
    for await (const event of readEvents(later)) rest.push(event)
    expect(rest.map((each) => each.name)).toEqual(['end'])
  })

  it('are visible to the caller of the run only', async () => {
    const [alice, bob] = ['alice-token-0123456789', 'bobby-token-0123456789']
    const server = await startTestServer({ tokens: parseTokens(`${alice} alice\n${bob} bob`, 'f') })
    const request = code('def main(a):\n  return 1', { _meta: { run_id: id } })
    await server.post(request, { authorization: `Bearer ${alice}` })
    const events = async (token: string) =>
      (await server.fetch(`/runs/${id}/events`, { headers: { authorization: `Bearer ${token}` } }))
        .status
    expect(await events(alice)).toBe(200)
    expect(await events(bob)).toBe(404)
  })

  it('are refused for an id that is taken or malformed; the id of a failed call is free again', async () => {
    const server = await startTestServer()
    const ask = async (name: unknown, text = 'def main(a):\n  return 1', more = {}) =>
      (
        (await (
          await server.post(code(text, { _meta: { run_id: name }, ...more }))
        ).json()) as RpcAnswer
      ).error
    for (const name of ['x', 5, 'run_short', `run_${'/'.repeat(24)}`, { a: 1 }]) {
      expect(await ask(name)).toMatchObject({ code: -32602, data: { param: '_meta.run_id' } })
    }
    expect((await ask(id, 'def main(a):\n  return 1', { mount_skills: ['no.such'] }))?.code).toBe(
      -32602,
    )
    expect(await ask(id)).toBeUndefined()
    expect((await ask(id))?.code).toBe(-32602)
  })

  it('stop when the client disconnects, which cancels the run', async () => {
    const server = await startTestServer()
    const controller = new AbortController()
    const response = await fetch(`${server.url}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify(code(SLOW)),
      signal: controller.signal,
    })
    for await (const event of readEvents(response)) if (event.name === 'log') break
    controller.abort()
    await waitForRuns(server, 0)
  })

  it('return 404 for an unknown run', async () => {
    const server = await startTestServer()
    expect((await server.fetch(`/runs/${id}/events`)).status).toBe(404)
  })
})

describe('the shutdown of a server', () => {
  it('lets a run finish within the grace period', async () => {
    const server = await startTestServer()
    const response = server.post(
      code('import time\ndef main(a):\n  time.sleep(1)\n  return "done"'),
    )
    await waitForRuns(server, 1)
    await server.stop(60_000)
    expect(await (await response).json()).toMatchObject({ result: { output: 'done' } })
    await expect(server.fetch('/healthz')).rejects.toThrow()
  })

  it('cancels a run that takes longer and removes its files', async () => {
    const server = await startTestServer()
    const response = server.post(code(SLOW)).catch(() => undefined)
    await waitForRuns(server, 1)
    await server.stop(100)
    const answer = (await (await response)?.json()) as RpcAnswer | undefined
    expect(answer?.error).toEqual({
      code: -32603,
      message: 'The runtime shut down before the run ended',
      data: { hint: 'Repeat the call when the runtime is up again', kind: 'run/interrupted' },
    })
    expect(listSlowProcesses()).toEqual([])
  })
})

/** Lists the processes on this machine that execute the slow code. */
function listSlowProcesses(): string[] {
  if (!existsSync('/proc/self/task')) return []
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim()
  return children
    .split(' ')
    .filter((pid) => pid !== '')
    .filter(
      (pid) =>
        existsSync(`/proc/${pid}`) &&
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('bwrap'),
    )
}
