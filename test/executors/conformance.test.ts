// @module-tag slow
// @module-tag nightly
import { afterAll, describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import {
  checkExecutor,
  containerExecutor,
  EXECUTOR_REQUIREMENTS,
  remoteExecutor,
  sandboxExecutor,
  type Executor,
} from '../../src/executors/index.ts'
import { createPlainExecutor } from './plain-executor.ts'
import { serveForExecutor } from './serve-for-executor.ts'

const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] }
const server = await serveForExecutor()
afterAll(async () => await server.stop())

const EXECUTORS: readonly Executor[] = [
  sandboxExecutor({ env }),
  containerExecutor({ env, engine: 'podman' }),
  remoteExecutor(createClient({ url: server.url })),
  createPlainExecutor(),
  createPlainExecutor({ name: 'plain by text', streams: 'text' }),
]
const tried = await Promise.all(
  EXECUTORS.map(async (executor) => ({
    name: executor.name,
    executor,
    here: (await executor.probe?.()) ?? { ok: true, detail: '' },
  })),
)
afterAll(async () => {
  for (const each of EXECUTORS) await each.close?.()
})

describe.each(tried)('the executor $name', ({ executor, here }) => {
  const whyNot = here.ok ? '' : ` (not run: ${here.detail})`

  it.skipIf(!here.ok).each(EXECUTOR_REQUIREMENTS)(
    `$id: $text${whyNot}`,
    async ({ id }) => {
      const [finding] = await checkExecutor(executor, { only: [id] })
      expect(finding?.reason).toBeUndefined()
      expect(finding?.verdict).not.toBe('failed')
    },
    120_000,
  )
})

it('the executors of the package claim what they can hold, so that it is checked', () => {
  const { isolates, limits } = sandboxExecutor().guarantees
  expect([isolates.length, limits.length]).toEqual([5, 4])
  expect(containerExecutor().guarantees).toEqual({ isolates, limits })
  // The limits of a remote runtime are its own.
  expect(remoteExecutor(createClient({ url: server.url })).guarantees).toEqual({
    isolates,
    limits: [],
  })
})
