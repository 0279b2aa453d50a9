// @module-tag slow
// @module-tag nightly
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { stdioTransport } from '../helpers/mcp.ts'
import { findProcesses, findRunners } from '../helpers/runners.ts'
import { createFolder } from '../helpers/skills.ts'

interface Answer {
  id?: unknown
  result?: Record<string, unknown>
  error?: { code: number; message: string }
}

interface AnsweredTask {
  taskId: string
  status: string
}

/** A server with raw messages, and its answer to the handshake. */
async function connectRaw(cwd = createFolder()) {
  onTestFinished(async () => {
    for (const pid of findRunners(cwd)) process.kill(pid, 'SIGTERM')
    while (findRunners(cwd).length > 0) await sleep(20)
  })
  const argv = ['--profile', 'protocol', '--tool', 'runtime.execute']
  const transport = stdioTransport({ cwd, argv })
  const waiting = new Map<unknown, (answer: Answer) => void>()
  // eslint-disable-next-line unicorn/prefer-add-event-listener -- transports of the SDK have no events
  transport.onmessage = (message) => {
    const answer = message as Answer
    waiting.get(answer.id)?.(answer)
  }
  await transport.start()
  let count = 0
  const call = async (method: string, params: object) => {
    const id = ++count
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve))
    await transport.send({ jsonrpc: '2.0', id, method, params: { ...params } })
    return await answered
  }
  const { result } = await call('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: { tasks: { list: {}, cancel: {} } },
    clientInfo: { name: 'test', version: '1' },
  })
  await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const startTask = async (code: string) => {
    const params = { runtime: 'shell', code, outputMode: 'summary' }
    const task = { ttl: 60_000 }
    const started = await call('tools/call', { name: 'runtime.execute', arguments: params, task })
    return started.result?.['task'] as AnsweredTask
  }
  return {
    cwd,
    call,
    startTask,
    capabilities: result?.['capabilities'],
    close: () => transport.close(),
  }
}

it('tools that run code can be called as tasks, whose results are those of the calls', async () => {
  const { call, startTask, capabilities, close } = await connectRaw()
  expect(capabilities).toMatchObject({
    tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  })
  const { result } = await call('tools/list', {})
  const tools = result?.['tools'] as { name: string; execution?: object }[]
  expect(tools.filter(({ execution }) => execution).map(({ name }) => name)).toEqual([
    'execute_skill',
    'run_code',
    'runtime.execute',
  ])
  const task = await startTask('sleep 1; echo done')
  expect(task).toMatchObject({ status: 'working', pollInterval: 1000 })
  const { taskId } = task
  expect((await call('tasks/get', { taskId })).result).toMatchObject({ taskId, status: 'working' })
  const ended = await call('tasks/result', { taskId })
  expect(ended.result).toMatchObject({
    structuredContent: { status: 'success', stdoutSummary: 'done\n' },
    _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
  })
  expect((await call('tasks/get', { taskId })).result).toMatchObject({ status: 'completed' })
  const failing = await startTask('exit 3')
  const failed = await call('tasks/result', { taskId: failing.taskId })
  expect(failed.result).toMatchObject({ isError: true, structuredContent: { exitCode: 3 } })
  const { tasks } = (await call('tasks/list', {})).result as { tasks: AnsweredTask[] }
  expect(tasks.map((each) => [each.taskId, each.status])).toEqual([
    [failing.taskId, 'failed'],
    [taskId, 'completed'],
  ])
  await close()
})

it('a task is cancelled once, and survives its server', async () => {
  const { cwd, call, startTask, close } = await connectRaw()
  const { taskId } = await startTask('sleep 7933')
  expect((await call('tasks/cancel', { taskId })).result).toMatchObject({ status: 'cancelled' })
  expect((await call('tasks/cancel', { taskId })).error?.code).toBe(-32602)
  expect(findProcesses('7933')).toEqual([])
  const surviving = await startTask('sleep 3; echo later')
  await close()
  const again = await connectRaw(cwd)
  const result = await again.call('tasks/result', { taskId: surviving.taskId })
  expect(result.result).toMatchObject({ structuredContent: { stdoutSummary: 'later\n' } })
  await again.close()
})

it('tasks are refused for other tools, and unknown ones are invalid', async () => {
  const { call, close } = await connectRaw()
  const task = { ttl: 60_000 }
  const refused = await call('tools/call', { name: 'list_skills', arguments: {}, task })
  expect(refused.error).toMatchObject({
    code: -32601,
    message: 'The tool "list_skills" cannot be called as a task',
  })
  const invalid = { name: 'runtime.execute', arguments: { runtime: 'lua' }, task }
  expect((await call('tools/call', invalid)).error?.code).toBe(-32602)
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
    const { error } = await call(method, { taskId: 'run_0123456789abcdef01234567' })
    expect([method, error?.code]).toEqual([method, -32602])
  }
  // An id of a run that was not detached is no task.
  const plain = await call('tools/call', {
    name: 'run_code',
    arguments: { language: 'shell', code: 'main() { json done=yes; }' },
  })
  const { structuredContent } = plain.result as { structuredContent: { run_id: string } }
  const { run_id: taskId } = structuredContent
  expect((await call('tasks/get', { taskId })).error?.code).toBe(-32602)
  await close()
})
