// @module-tag slow
import { expect, it } from 'vitest'
import { e2bExecutor } from '../../examples/executors/e2b.ts'
import { checkExecutor } from '../../src/executors/index.ts'
import { startE2bServer } from './e2b-server.ts'

it('the executor of E2B passes the suite for executors, and removes every sandbox', async () => {
  const server = await startE2bServer()
  const findings = await checkExecutor(e2bExecutor(server.options))
  const failed = findings.filter(({ verdict }) => verdict === 'failed')
  expect(failed).toEqual([])
  expect(findings.filter(({ verdict }) => verdict === 'passed').length).toBeGreaterThan(10)
  const count = (text: string) => server.requests.filter((each) => each.startsWith(text)).length
  expect(count('DELETE /sandboxes/')).toBe(count('POST /sandboxes'))
  const running = [...server.sandboxes.values()].flat().filter(({ exitCode, signalCode }) => {
    return exitCode === null && signalCode === null
  })
  expect(running).toEqual([])
}, 300_000)

it('a key that E2B refuses is reported with its answer', async () => {
  const server = await startE2bServer()
  const executor = e2bExecutor({ ...server.options, apiKey: 'other' })
  const command = { id: 'run_1', skills: [], argv: ['python3', '-c', ''], limits: {} as never }
  await expect(executor.start(command)).rejects.toThrow('E2B answered 401 to /sandboxes: no key')
  expect(server.sandboxes.size).toBe(0)
})
