import { expect, it } from 'vitest'
import { FORMER_METHODS, METHODS_BY_NAME } from '../../src/core/methods/index.ts'
import { parseTokens } from '../../src/server/auth/tokens.ts'
import { createClient } from '../../src/client/index.ts'
import { startTestServer } from '../helpers/server.ts'

it('former methods are actions of one method, for one version more', async () => {
  const { call: rpc } = await startTestServer()
  const id = `run_${'ab'.repeat(12)}`
  const codes = await Promise.all([
    rpc('list_runs', {}),
    rpc('runs', { action: 'list' }),
    rpc('kernel.list', {}),
    rpc('kernel', { action: 'list' }),
  ])
  expect(codes.map(({ result }) => result)).toEqual([
    { runs: [], next_cursor: null },
    { runs: [], next_cursor: null },
    { kernels: [] },
    { kernels: [] },
  ])
  for (const name of ['get_run', 'read_run_logs', 'cancel_run']) {
    const { error } = await rpc(name, { run_id: id })
    expect(error?.data, name).toMatchObject({ kind: 'run/not-found' })
  }
  expect((await rpc('get_run', { run_id: id, action: 'cancel' })).error?.code).toBe(-32602)
})

it('they need the scope of that method', async () => {
  expect(FORMER_METHODS.size).toBe(8)
  for (const [name, method] of FORMER_METHODS) {
    expect(METHODS_BY_NAME.has(name)).toBe(false)
    expect(method.scope, name).toBe('run')
  }
  const { url } = await startTestServer({
    tokens: parseTokens('reader-token-0123456789 reader read\n', 'tokens'),
  })
  const reader = createClient({ url, token: 'reader-token-0123456789', retries: 0 })
  await expect(reader.call('list_runs', {})).rejects.toMatchObject({
    code: -32002,
  })
})
