import { describe, expect, it } from 'vitest'
import { createClient, ProtocolError, type SkillsClient } from '../../src/client/index.ts'
import { parseTokens } from '../../src/server/auth/tokens.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'

const NAMES = ['ada', 'mallory', 'ops'] as const
const TOKENS = `ada-token-0123456789 ada
mallory-token-0123456789 mallory
ops-token-0123456789 ops run,operate
`
const ID = `run_${'cd'.repeat(12)}`
const CODE =
  'import time\ndef main(args):\n    print("begun", flush=True)\n    time.sleep(60)\n    return 1\n'

async function startWithTokens() {
  const server = await startTestServer({ tokens: parseTokens(TOKENS, 'tokens') })
  const entries = NAMES.map((name) => [
    name,
    createClient({ url: server.url, token: `${name}-token-0123456789`, retries: 0 }),
  ])
  const clients = Object.fromEntries(entries) as Record<(typeof NAMES)[number], SkillsClient>
  return { server, ...clients }
}

/** Starts a run whose call is open, and resolves when its code runs. */
async function startAttached(client: SkillsClient, server: TestServer) {
  const params = { language: 'python', code: CODE, _meta: { run_id: ID } }
  const answer = client.call('run_code', params).then(
    () => 'answered',
    (error: unknown) => readKind(error),
  )
  const logs = async () => await readLogs(client)
  await expect.poll(logs, { timeout: 30_000 }).toBe('begun\n')
  return { answer, record: async () => await (await server.runtime.runs()).get(ID) }
}

async function readLogs(client: SkillsClient): Promise<string> {
  return await client.readRunLogs({ run_id: ID }).then(
    ({ logs }) => logs,
    (error: unknown) => readKind(error),
  )
}

function readKind(error: unknown): string {
  return String((error as ProtocolError & { data?: { kind?: string } }).data?.kind)
}

async function readError(work: Promise<unknown>): Promise<{ kind: string; message: string }> {
  return await work.then(
    () => ({ kind: 'answered', message: '' }),
    (error: unknown) => ({ kind: readKind(error), message: (error as Error).message }),
  )
}

describe('a run whose call is open', () => {
  it('shows its logs while it runs to its caller and to operators', async () => {
    const { server, ada, mallory, ops } = await startWithTokens()
    const { answer } = await startAttached(ada, server)
    expect(await readLogs(ops)).toBe('begun\n')
    expect(await readLogs(mallory)).toBe('run/not-found')
    expect((await ada.listRunHistory()).runs).toMatchObject([{ run_id: ID, live: true }])
    expect((await ops.listRunHistory()).runs).toMatchObject([{ run_id: ID, live: true }])
    expect((await mallory.listRunHistory()).runs).toEqual([])
    await ada.cancelRun(ID)
    await answer
    const { logs, more } = await ada.readRunLogs({ run_id: ID })
    expect([logs, more]).toEqual(['begun\n', false])
  })

  it('is cancelled by its id, and its call gets the reason', async () => {
    const { server, ada } = await startWithTokens()
    const { answer, record } = await startAttached(ada, server)
    expect(await ada.cancelRun(ID)).toMatchObject({ status: 'cancelled', detached: false })
    expect(await answer).toBe('run/cancelled')
    expect(await record()).toMatchObject({
      status: 'cancelled',
      exit: { ended_because: 'cancelled' },
    })
    // A run that has ended stays as it is.
    expect(await ada.cancelRun(ID)).toMatchObject({ status: 'cancelled' })
  })

  it('is not cancelled by other callers', async () => {
    const { server, ada, mallory, ops } = await startWithTokens()
    const { answer, record } = await startAttached(ada, server)
    expect(await readError(mallory.cancelRun(ID))).toMatchObject({ kind: 'run/not-found' })
    const refused = await readError(ops.cancelRun(ID))
    expect(refused.message).toContain('Only the caller that started a run can cancel it')
    expect(await record()).toMatchObject({ status: 'running' })
    await ada.cancelRun(ID)
    expect(await answer).toBe('run/cancelled')
  })

  it('is not cancelled by a process that does not perform it', async () => {
    const { server, ada } = await startWithTokens()
    const { answer, record } = await startAttached(ada, server)
    const local = server.runtime.cancelRun({ run_id: ID }, { cwd: '/', env: {} })
    await expect(local).rejects.toThrow('belongs to a call that this process does not perform')
    expect(await record()).toMatchObject({ status: 'running' })
    await ada.cancelRun(ID)
    await answer
  })

  it('has its events for its caller and for operators only', async () => {
    const { server, ada, mallory, ops } = await startWithTokens()
    const { answer } = await startAttached(ada, server)
    const follow = async (client: SkillsClient) => {
      for await (const event of client.followRun(ID)) return event.type
      return 'none'
    }
    expect(await follow(ops)).toBe('state')
    expect(await readError(follow(mallory))).toMatchObject({ kind: 'run/not-found' })
    await ada.cancelRun(ID)
    await answer
  })
})
