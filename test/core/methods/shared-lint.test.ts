import { expect, it, vi } from 'vitest'
import { lintSkill } from '../../../src/core/methods/lint-skill/handler.ts'
import type { OffloadedTasks } from '../../../src/core/offload/tasks.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { startTestServer } from '../../helpers/server.ts'

const CLEAN = { findings: [], errors: 0, warnings: 0, infos: 0, failures: [] }

/** Services in which a test ends each lint, and changes the files. */
function createLintServices() {
  const files = { signature: 'a' }
  const ends: (() => void)[] = []
  const signals: (AbortSignal | undefined)[] = []
  const perform = async (_name: string, _input: object, options: { signal?: AbortSignal }) => {
    signals.push(options.signal)
    return await new Promise<Partial<OffloadedTasks['lint']['output']>>((done) => {
      ends.push(() => done(CLEAN))
    })
  }
  const entry = { dir: '/srv/skills/x' }
  const repository = {
    resolve: async () => await Promise.resolve(entry),
    signature: () => files.signature,
    digest: () => {
      throw new Error('The files are hashed')
    },
  }
  const services = { repository, config: {}, offloader: async () => ({ perform }) } as never
  const lint = async (signal?: AbortSignal) =>
    await lintSkill(services, { name: 'x' }, { env: {}, ...(signal && { signal }) })
  return { files, ends, signals, lint }
}

it('callers of one skill share a running lint and its result, until a file changes', async () => {
  const { files, ends, lint } = createLintServices()
  const callers = Array.from({ length: 20 }, async () => await lint())
  await vi.waitFor(() => expect(ends).toHaveLength(1))
  ends[0]?.()
  expect(await Promise.all(callers)).toHaveLength(20)
  await lint()
  expect(ends).toHaveLength(1)
  files.signature = 'b'
  const next = lint()
  await vi.waitFor(() => expect(ends).toHaveLength(2))
  // A change during the lint: its result is not stored.
  files.signature = 'c'
  ends[1]?.()
  expect(await next).toMatchObject({ errors: 0 })
  files.signature = 'b'
  const again = lint()
  await vi.waitFor(() => expect(ends).toHaveLength(3))
  ends[2]?.()
  await again
})

it('files that cannot be read share no lint', async () => {
  const { files, ends, lint } = createLintServices()
  files.signature = ''
  const callers = [lint(), lint()]
  await vi.waitFor(() => expect(ends).toHaveLength(2))
  for (const end of ends) end()
  await Promise.all(callers)
})

it('a lint goes on while one of its callers waits, and is started again after all have left', async () => {
  const { ends, signals, lint } = createLintServices()
  const leaving = new AbortController()
  const left = lint(leaving.signal)
  await vi.waitFor(() => expect(ends).toHaveLength(1))
  const patient = new AbortController()
  const waiting = lint(patient.signal)
  leaving.abort()
  await expect(left).rejects.toMatchObject({ code: 'run/cancelled' })
  expect(signals[0]?.aborted).toBe(false)
  patient.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'run/cancelled' })
  expect(signals[0]?.aborted).toBe(true)
  const next = lint()
  await vi.waitFor(() => expect(ends).toHaveLength(2))
  ends[1]?.()
  expect(await next).toMatchObject({ errors: 0 })
})

it.each([
  ['a call', (call: object) => call],
  ['a call of a batch', (call: object) => [call]],
])('%s that reads is cancelled when its client disconnects', async (_, wrap) => {
  const tree = prefixPaths('skills/greet', createActionSkill('demo.greet'))
  const server = await startTestServer({ tree })
  const offloader = await server.runtime.offloader()
  const perform = vi.spyOn(offloader, 'perform').mockImplementation(
    async (_name, _input, { signal }) =>
      await new Promise<never>((__, fail) => {
        signal?.addEventListener('abort', () => fail(new Error('cancelled')), { once: true })
      }),
  )
  const client = new AbortController()
  const params = { name: 'demo.greet' }
  const call = { jsonrpc: '2.0', id: 1, method: 'lint_skill', params }
  const sent = server.fetch('/rpc', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(wrap(call)),
    signal: client.signal,
  })
  await vi.waitFor(() => expect(perform).toHaveBeenCalledOnce())
  const options = perform.mock.calls[0]?.[2]
  expect(options?.principal).toEqual(expect.any(String))
  expect(options?.signal?.aborted).toBe(false)
  client.abort()
  await expect(sent).rejects.toThrow()
  await vi.waitFor(() => expect(options?.signal?.aborted).toBe(true))
})
