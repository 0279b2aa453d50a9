import { expect, it } from 'vitest'
import { stdioTransport } from '../helpers/mcp.ts'
import { createFolder } from '../helpers/skills.ts'

interface Answer {
  id?: unknown
  result?: { capabilities?: object; structuredContent?: object; task?: unknown }
  error?: { code: number }
}

it('tasks are not declared, their methods are unknown, and a call with a task is an ordinary call', async () => {
  const transport = stdioTransport({ cwd: createFolder() })
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
  expect(JSON.stringify(result?.capabilities)).not.toContain('tasks')
  await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  for (const [method, params] of [
    ['tasks/list', {}],
    ['tasks/get', { taskId: 'x' }],
    ['tasks/result', { taskId: 'x' }],
    ['tasks/cancel', { taskId: 'x' }],
  ] as const) {
    expect([method, (await call(method, params)).error?.code]).toEqual([method, -32601])
  }
  const params = { name: 'list_skills', arguments: {}, task: { ttl: 60_000 } }
  const ordinary = await call('tools/call', params)
  expect(ordinary.result?.structuredContent).toHaveProperty('skills')
  expect(ordinary.result).not.toHaveProperty('task')
  await transport.close()
})
