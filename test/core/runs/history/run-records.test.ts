import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import type { RunRecord } from '../../../../src/core/runs/history/run-record.ts'
import type { RunEvent } from '../../../../src/core/runs/run-call.ts'
import type { Runtime } from '../../../../src/core/runtime.ts'
import { digestFolder } from '../../../../src/core/skills/content/read-content.ts'
import { createFolder } from '../../../helpers/skills.ts'
import { buildMain, createRuntimeIn, runPython } from '../run-warm.ts'

const ID = `run_${'ab'.repeat(12)}`

async function readOnlyRecord(runtime: Runtime): Promise<RunRecord> {
  const { runs } = await (await runtime.runs()).list()
  expect(runs).toHaveLength(1)
  return runs[0] as RunRecord
}

/** Returns the record of a run that threw. */
async function readRecordAfter(data: string, work: Promise<unknown>): Promise<RunRecord> {
  await expect(work).rejects.toThrow()
  return await readOnlyRecord(await createRuntimeIn(data))
}

function computeDigest(value: string): string {
  return `sha256:${createHash('sha256').update(value).digest('hex')}`
}

describe('the record of a run', () => {
  it('contains caller, request, limits, end and outputs', async () => {
    const code =
      'import sys\nfrom runtime import blobs\ndef main(args):\n    print("out")\n    print("err", file=sys.stderr)\n    blobs.write_text("made", kind="text/csv")\n    return {"summary": "Done.", "n": args["n"]}\n'
    const { runtime, dir, ...result } = await runPython(code, {
      args: { n: 7 },
      call: { caller: { door: 'http', name: 'ada', traceparent: '00-11-22-01' } },
    })
    const record = await (await runtime.runs()).get(result.run_id)
    expect(record).toMatchObject({
      run_id: result.run_id,
      kind: 'execute_skill',
      status: 'completed',
      who: { door: 'http', caller: 'ada', traceparent: '00-11-22-01' },
      request: {
        skill: 'test.run-it@0.1.0',
        args: { n: 7 },
        args_cut: [],
        input_blobs: [],
        timeout_ms: 20_000,
      },
      skills: [{ name: 'test.run-it', version: '0.1.0', digest: await digestFolder(dir) }],
      policy: { allowed: true, reasons: [], network: [], secrets: [] },
      isolation: result.isolation,
      limits: { wall_ms: 20_000 },
      exit: { code: 0, signal: null, ended_because: null },
      summary: 'Done.',
      error: null,
    })
    const output = JSON.stringify(result.output)
    expect(record.output).toEqual({
      size_bytes: output.length,
      digest: computeDigest(output),
      value: result.output,
    })
    expect(record.blobs).toEqual([
      {
        blob_id: result.output_blobs[0],
        kind: 'text/csv',
        size_bytes: 4,
        digest: computeDigest('made'),
      },
    ])
    const took = Date.parse(record.ended_at as string) - Date.parse(record.started_at)
    expect(record.duration_ms).toBe(took)
    const logs = await text(await (await runtime.runs()).logs(result.run_id))
    expect(logs.split('\n').toSorted()).toEqual(['', 'err', 'out'])
    expect(record.logs).toEqual({ size_bytes: 8, kept_bytes: 8, digest: computeDigest(logs) })
  })

  it('contains the digest of code, and the skills that it mounts', async () => {
    const runtime = await createRuntimeIn(createFolder())
    const code = 'def go(args): return None\n'
    const params = { language: 'python', code, entrypoint: 'go' }
    const { run_id } = await runtime.runCode(params, { cwd: '/', env: process.env })
    const { kind, request, who, output } = await (await runtime.runs()).get(run_id)
    expect(kind).toBe('run_code')
    expect(who.door).toBe('library')
    expect(who.caller).not.toBe('')
    expect(request.code).toEqual({
      digest: computeDigest(code),
      size_bytes: code.length,
      entrypoint: 'go',
    })
    expect(output?.value).toBeNull()
  })

  it('exists when the run returns', async () => {
    const data = createFolder()
    const reader = await (await createRuntimeIn(data)).runs()
    const statuses: Promise<[string, string]>[] = []
    const onEvent = (event: RunEvent) => {
      if (event.type !== 'state') return
      statuses.push(reader.get(event.run_id).then((record) => [event.state, record.status]))
    }
    await runPython(buildMain('return 1'), { data, call: { onEvent } })
    expect(await Promise.all(statuses)).toContainEqual(['running', 'running'])
    expect((await Promise.all(statuses)).at(-1)).toEqual(['completed', 'completed'])
  })

  it('contains the error of failed code', async () => {
    const { runtime, run_id } = await runPython(buildMain('raise KeyError("k")'))
    const record = await (await runtime.runs()).get(run_id)
    expect(record).toMatchObject({
      status: 'failed',
      error: { type: 'KeyError', message: "'k'" },
      output: null,
    })
    expect(record.error?.traceback).toContain('main.py')
  })

  it('contains the exceeded limit', async () => {
    const { runtime } = await runPython(buildMain('time.sleep(60)'), { timeoutMs: 300 })
    const { error, exit } = await readOnlyRecord(runtime)
    expect(error).toMatchObject({ type: 'Timeout', limit: { name: 'wall', value: 300 } })
    expect(exit?.ended_because).toBe('wall')
  })

  it('reports a cancellation', async () => {
    const data = createFolder()
    const cancelling = new AbortController()
    const onEvent = (event: RunEvent) => {
      if (event.type === 'log') cancelling.abort()
    }
    const run = runPython(buildMain('print("x", flush=True)\ntime.sleep(60)'), {
      data,
      call: { signal: cancelling.signal, onEvent },
    })
    const record = await readRecordAfter(data, run)
    expect(record).toMatchObject({ status: 'cancelled', error: { type: 'run/cancelled' } })
    expect(record.isolation).not.toBeNull()
    expect(await text(await (await (await createRuntimeIn(data)).runs()).logs(record.run_id))).toBe(
      'x\n',
    )
  })

  it.each([
    ['a blob that is not there', { blobs: [`blob:${'0'.repeat(32)}`] }, 'blob/not-found'],
    ['no Python', { settings: { 'run.python': '/nowhere/python3' } }, 'language/not-installed'],
  ])('reports that it could not start: %s', async (_, options, type) => {
    const data = createFolder()
    const record = await readRecordAfter(
      data,
      runPython(buildMain('return 1'), { data, ...options }),
    )
    expect(record).toMatchObject({ status: 'not_started', error: { type }, isolation: null })
  })

  it('does not exist for a request with invalid parameters', async () => {
    const data = createFolder()
    const run = runPython(buildMain('return 1'), { data, timeoutMs: 10 ** 9 })
    await expect(run).rejects.toMatchObject({ code: 'params/invalid' })
    expect((await (await (await createRuntimeIn(data)).runs()).list()).runs).toEqual([])
  })

  it('contains no secret in arguments, logs or errors', async () => {
    const secret = 's3cr3t-value-of-a-test!!'
    const code =
      'import os\ndef main(args):\n    print(args["a"])\n    raise ValueError(os.environ["TOKEN"])\n'
    const data = createFolder()
    const { runtime, run_id } = await runPython(code, {
      data,
      args: { a: `x ${secret}`, [secret]: Buffer.from(secret).toString('base64') },
      toml: '[permissions]\nsecrets = ["TOKEN"]\n',
      call: { grants: { secrets: new Map([['TOKEN', secret]]) } },
    })
    const store = await runtime.runs()
    const record = await store.get(run_id)
    expect(record.policy.secrets).toEqual(['TOKEN'])
    expect(record.request.args).toEqual({ a: 'x [redacted]', '[redacted]': '[redacted]' })
    expect(record.error?.message).toBe('[redacted]')
    expect(await text(await store.logs(run_id))).toContain('x [redacted]')
    expect(JSON.stringify(record)).not.toContain(secret)
  })

  it('truncates large arguments and lists them', async () => {
    const large = 'x'.repeat(5000)
    const { runtime } = await runPython(buildMain('return len(args)'), {
      args: { large, small: 1 },
    })
    const { request, output } = await readOnlyRecord(runtime)
    expect(output?.value).toBe(2)
    expect(request.args).toEqual({ large: null, small: 1 })
    expect(request.args_cut).toEqual([{ name: 'large', size_bytes: 5002 }])
  })

  it('contains all logs, up to the limit of output', async () => {
    const { runtime, run_id } = await runPython(buildMain('for n in range(50_000): print(n)'))
    const lines = (await text(await (await runtime.runs()).logs(run_id))).split('\n')
    expect(lines).toHaveLength(50_001)
    expect(lines[49_999]).toBe('49999')
    const settings = { 'run.limits.output': 100_000 }
    const flood = await runPython(buildMain('while True: print("y" * 99)'), { settings })
    expect(flood.error?.type).toBe('OutputLimit')
    const record = await readOnlyRecord(flood.runtime)
    expect(record.logs.kept_bytes).toBe(100_000)
    expect(await text(await (await flood.runtime.runs()).logs(flood.run_id))).toHaveLength(100_000)
  })

  it('uses the id that a caller chose, once', async () => {
    const data = createFolder()
    const options = { data, call: { runId: ID } }
    expect((await runPython(buildMain('return 1'), options)).run_id).toBe(ID)
    const again = runPython(buildMain('return 2'), options)
    await expect(again).rejects.toMatchObject({ code: 'params/invalid', data: { param: 'run_id' } })
    expect((await readOnlyRecord(await createRuntimeIn(data))).output?.value).toBe(1)
  })

  it('exists once if two runs of one id start at the same time', async () => {
    const data = createFolder()
    const options = { data, call: { runId: ID } }
    const both = await Promise.allSettled([
      runPython(buildMain('return 1'), options),
      runPython(buildMain('return 1'), options),
    ])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect((await readOnlyRecord(await createRuntimeIn(data))).status).toBe('completed')
  })

  it.each(['run_', 'run_12', `run_${'A'.repeat(24)}`, '../../x', `run_${'0'.repeat(65)}`])(
    'rejects an id like "%s"',
    async (runId) => {
      const run = runPython(buildMain('return 1'), { call: { runId } })
      await expect(run).rejects.toMatchObject({ code: 'params/invalid' })
    },
  )
})
