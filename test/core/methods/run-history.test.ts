import { describe, expect, it } from 'vitest'
import type { RunRecord } from '../../../src/core/runs/history/run-record.ts'
import type { RunCall } from '../../../src/core/runs/run-call.ts'
import type { Runtime } from '../../../src/core/runtime.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createRecord } from '../runs/history/example-record.ts'
import { createRuntimeIn } from '../runs/run-warm.ts'

const LOCAL: RunCall = { cwd: '/', env: {} }
const ADA: RunCall = { ...LOCAL, caller: { door: 'http', name: 'ada', principal: 'ada' } }
const MALLORY: RunCall = {
  ...LOCAL,
  caller: { door: 'http', name: 'mallory', principal: 'mallory' },
}
const OPERATOR: RunCall = {
  ...LOCAL,
  caller: { door: 'http', name: 'ops', principal: 'ops', isOperator: true },
}

let count = 0

/** Stores the record of a run that started at this second of a day. */
async function store(runtime: Runtime, second: number, change: Partial<RunRecord> = {}) {
  const id = `run_${(count += 1).toString(16).padStart(24, '0')}`
  const started = createRecord(id, {
    started_at: new Date(Date.UTC(2026, 10, 20, 0, 0, second)).toISOString(),
    who: { door: 'http', caller: 'ada' },
  })
  const record = await (
    await runtime.runs()
  ).open(started, { isIdFromCaller: false, maxLogBytes: 1000 })
  await record.close({ ...started, status: 'completed', duration_ms: 5, ...change })
  return id
}

async function listIds(runtime: Runtime, params: object, call: RunCall = LOCAL) {
  const { runs } = await runtime.listRunHistory(params, call)
  return runs.map(({ run_id }) => run_id)
}

async function openRuntime(): Promise<Runtime> {
  return await createRuntimeIn(createFolder(), { 'store.runs.ttl': '3650d' })
}

describe('list_run_history', () => {
  it('filters by every property of a row', async () => {
    const runtime = await openRuntime()
    const plain = await store(runtime, 1)
    const other = await store(runtime, 2, {
      status: 'failed',
      kind: 'run_code',
      who: { door: 'cli', caller: 'root' },
      skills: [{ name: 'demo.other', version: '0.2.0', digest: null }],
      request: { args: { city: 'Zürich' }, args_cut: [], input_blobs: [], timeout_ms: null },
      error: { type: 'ValueError', message: 'bad' },
    })
    expect(await listIds(runtime, {})).toEqual([other, plain])
    for (const filter of [
      { status: 'failed' },
      { kind: 'run_code' },
      { skill: 'demo.other@0.2.0' },
      { entry_point: 'cli' },
      { caller: 'root' },
      { text: 'zÜRICH' },
      { text: other.slice(-6) },
      { text: 'demo.other' },
      { since: '2026-11-20T00:00:02Z' },
      { since: '2026-11-20T01:00:02+01:00' },
    ]) {
      expect(await listIds(runtime, filter), JSON.stringify(filter)).toEqual([other])
    }
    expect(await listIds(runtime, { until: '2026-11-20T00:00:02.000Z' })).toEqual([plain])
    expect(await listIds(runtime, { status: 'failed', caller: 'ada' })).toEqual([])
    const { runs } = await runtime.listRunHistory({ status: 'failed' }, LOCAL)
    expect(runs).toMatchObject([
      {
        target: 'code with demo.other@0.2.0',
        error_type: 'ValueError',
        live: false,
        args_cut: null,
      },
    ])
  })

  it('continues after a cursor, also within a limit of time', async () => {
    const runtime = await openRuntime()
    const ids: string[] = []
    for (let second = 0; second < 7; second++) ids.unshift(await store(runtime, second))
    const seen: string[] = []
    const until = '2026-11-20T00:00:06Z'
    for (let cursor: string | null = null, pages = 0; pages === 0 || cursor !== null; pages++) {
      const page = await runtime.listRunHistory(
        { limit: 2, until, ...(cursor !== null && { cursor }) },
        LOCAL,
      )
      seen.push(...page.runs.map(({ run_id }) => run_id))
      cursor = page.next_cursor
    }
    expect(seen).toEqual(ids.slice(1))
    const wrong = runtime.listRunHistory({ cursor: 'x' }, LOCAL)
    await expect(wrong).rejects.toMatchObject({ code: 'params/invalid' })
  })

  it('ends a page when it has read many records, and says how far', async () => {
    const runtime = await openRuntime()
    const oldest = await store(runtime, 0, { status: 'failed' })
    for (let second = 1; second <= 4; second++) await store(runtime, second)
    const runs = await runtime.runs()
    const page = await runs.list({ status: 'failed', maxRead: 3 })
    expect(page).toMatchObject({ runs: [], read_until: '2026-11-20T00:00:02.000Z' })
    const rest = await runs.list({ status: 'failed', cursor: page.next_cursor ?? '' })
    expect(rest.runs.map(({ run_id }) => run_id)).toEqual([oldest])
    expect(rest).not.toHaveProperty('read_until')
  })

  it('shows each caller its own runs, and an operator all', async () => {
    const runtime = await openRuntime()
    const ada = await store(runtime, 1)
    const mallory = await store(runtime, 2, { who: { door: 'mcp', caller: 'mallory' } })
    const cli = await store(runtime, 3, { who: { door: 'cli', caller: 'ada' } })
    expect(await listIds(runtime, {}, ADA)).toEqual([ada])
    expect(await listIds(runtime, {}, MALLORY)).toEqual([mallory])
    expect(await listIds(runtime, { caller: 'ada' }, MALLORY)).toEqual([])
    expect(await listIds(runtime, {}, OPERATOR)).toEqual([cli, mallory, ada])
    expect(await listIds(runtime, {}, LOCAL)).toEqual([cli, mallory, ada])
  })

  it('tells callers without a token apart by their key', async () => {
    const runtime = await openRuntime()
    const nobody: RunCall = {
      ...LOCAL,
      caller: { name: 'anonymous', principal: 'address 192.0.2.1' },
    }
    const other: RunCall = {
      ...nobody,
      caller: { ...nobody.caller, principal: 'address 192.0.2.2' },
    }
    const who = { door: 'http', caller: 'anonymous', principal: 'address 192.0.2.1' }
    const own = await store(runtime, 1, { who })
    expect(await listIds(runtime, {}, nobody)).toEqual([own])
    expect(await listIds(runtime, {}, other)).toEqual([])
    const record = runtime.getRunRecord({ run_id: own }, other)
    await expect(record).rejects.toMatchObject({ code: 'run/not-found' })
    expect(await runtime.getRunRecord({ run_id: own }, nobody)).toMatchObject({ own: true })
  })

  it('shortens arguments, and says what was cut', async () => {
    const runtime = await openRuntime()
    const request = {
      args: { text: '😀'.repeat(400), big: null },
      args_cut: [{ name: 'big', size_bytes: 5002 }],
      input_blobs: [],
      timeout_ms: null,
    }
    await store(runtime, 1, { request, summary: 'x'.repeat(500) })
    const [row] = (await runtime.listRunHistory({}, LOCAL)).runs
    expect(row?.args).toMatch(/^\{"text":"(?:😀)+…$/u)
    expect(row?.args_cut).toMatch(/^\d+ more characters; not recorded: big \(5002 bytes\)$/)
    const all = JSON.stringify(request.args)
    expect((row?.args.length ?? 0) - 1 + Number.parseInt(row?.args_cut ?? '', 10)).toBe(all.length)
    expect(row?.summary).toHaveLength(300)
  })

  it('returns whole records on request', async () => {
    const runtime = await openRuntime()
    const id = await store(runtime, 1)
    expect(await runtime.listRunHistory({}, LOCAL)).not.toHaveProperty('records')
    const { records } = await runtime.listRunHistory({ records: true }, LOCAL)
    expect(records).toEqual([await (await runtime.runs()).get(id)])
  })
})

describe('get_run_record', () => {
  it('returns the record to its caller and to operators, and hides it from others', async () => {
    const runtime = await openRuntime()
    const id = await store(runtime, 1)
    const read = async (call: RunCall) => await runtime.getRunRecord({ run_id: id }, call)
    const record = await (await runtime.runs()).get(id)
    expect(await read(ADA)).toMatchObject({ own: true, status: 'completed', detached: false })
    expect(await read(OPERATOR)).toEqual({ ...(await read(LOCAL)), own: false })
    expect((await read(LOCAL)).record).toEqual(record)
    await expect(read(MALLORY)).rejects.toMatchObject({ code: 'run/not-found' })
  })

  it('hides paths of this machine and the audit log from callers', async () => {
    const data = createFolder()
    const runtime = await createRuntimeIn(data, { 'store.runs.ttl': '3650d' })
    const policy = {
      allowed: false,
      reasons: [`The folder "${data}/private" is not allowed`],
      network: [],
      secrets: [],
      audit: { seq: 17, hash: 'ab' },
    }
    const request = {
      args: { executable: `${data}/bin/tool` },
      args_cut: [],
      input_blobs: [],
      timeout_ms: null,
    }
    const error = {
      type: 'policy/denied',
      message: `Not allowed: ${data}/private`,
      hint: `Add "${data}/private"`,
    }
    const id = await store(runtime, 1, {
      kind: 'execute',
      status: 'refused',
      policy,
      request,
      error,
    })
    const shown = await runtime.getRunRecord({ run_id: id }, ADA)
    expect(JSON.stringify(shown)).not.toContain(data)
    expect(JSON.stringify(shown)).not.toContain('"audit"')
    expect(shown.record).toMatchObject({ error: { message: 'Not allowed: …/private' } })
    const { records } = await runtime.listRunHistory({ records: true }, ADA)
    expect(JSON.stringify(records)).not.toContain(data)
    for (const method of ['getRun', 'cancelRun'] as const) {
      const run = await runtime[method]({ run_id: id }, ADA)
      expect(run.error, method).toEqual({
        type: 'policy/denied',
        message: 'Not allowed: …/private',
        hint: 'Add "…/private"',
      })
      expect(JSON.stringify(await runtime[method]({ run_id: id }, OPERATOR))).toContain(data)
    }
    // The control: an operator sees both.
    expect(JSON.stringify(await runtime.getRunRecord({ run_id: id }, OPERATOR))).toContain(data)
  })

  it('shows callers the paths in errors of their own code', async () => {
    const runtime = await openRuntime()
    const error = { type: 'ValueError', message: 'No such file: /etc/app/settings.json' }
    const isolation = { backend: 'namespaces', tier: 'strict' } as RunRecord['isolation']
    const id = await store(runtime, 1, { status: 'failed', isolation, error })
    expect(await runtime.getRun({ run_id: id }, ADA)).toMatchObject({ error })
    const { record } = await runtime.getRunRecord({ run_id: id }, ADA)
    expect(record).toMatchObject({ error })
  })

  it('reads records of versions without phases and use', async () => {
    const runtime = await openRuntime()
    const id = await store(runtime, 1)
    const { record } = await runtime.getRunRecord({ run_id: id }, LOCAL)
    expect(record).not.toHaveProperty('phases')
    expect(record).not.toHaveProperty('use')
  })
})
