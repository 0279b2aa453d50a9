import { describe, expect, it } from 'vitest'
import { METHODS_BY_NAME } from '../../../src/core/methods/index.ts'
import { callMethod, type Method } from '../../../src/core/methods/method.ts'
import { createTestRuntime } from '../../helpers/agent.ts'

const call = { cwd: '/', env: {} }

async function openRuns() {
  const { runtime } = await createTestRuntime()
  const perform = async (name: string, params: object) =>
    await callMethod(runtime, METHODS_BY_NAME.get(name) as Method, { params, call })
  return { runtime, perform }
}

describe('runs', () => {
  it('lists, and refuses parameters of another action', async () => {
    const { perform, runtime } = await openRuns()
    expect(await perform('runs', { action: 'list' })).toEqual({ runs: [], next_cursor: null })
    expect(await runtime.listRuns({}, call)).toEqual({ runs: [], next_cursor: null })
    await expect(perform('runs', { action: 'list', run_id: 'x' })).rejects.toThrow(
      'it has no effect on the action "list"',
    )
    await expect(perform('runs', { action: 'get', run_id: 'x', offset: 1 })).rejects.toThrow(
      'it has no effect on the action "get"',
    )
  })

  it.each(['get', 'logs', 'cancel'])('needs a run for the action %s', async (action) => {
    const { perform } = await openRuns()
    await expect(perform('runs', { action })).rejects.toThrow(`"${action}" needs a run_id`)
    await expect(perform('runs', { action, run_id: 'none' })).rejects.toMatchObject({
      code: 'run/not-found',
    })
  })
})

describe('kernel', () => {
  it('lists, and needs a kernel for the other actions', async () => {
    const { perform } = await openRuns()
    expect(await perform('kernel', { action: 'list' })).toEqual({ kernels: [] })
    await expect(perform('kernel', { action: 'end' })).rejects.toThrow('"end" needs a kernel')
  })
})
