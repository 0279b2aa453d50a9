import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { QueryOutputParams } from '../../../src/core/methods/runtime-query-output/definition.ts'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import type { Runtime } from '../../../src/core/runtime.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createRuntimeIn, runPython } from '../runs/run-warm.ts'

const NOISY = `import sys
from runtime import log
def main(args):
    for n in range(args["lines"]):
        print(f"out {n}", flush=True)
        print(f"err {n}", file=sys.stderr, flush=True)
    sys.stdout.buffer.write(b"\\xff\\xfe bytes\\n")
    sys.stdout.flush()
    log.info("logged needle")
    return 1
`

async function readAll(runtime: Runtime, id: string, stream: 'stdout' | 'stderr') {
  const lineRange = { stream, startLine: 1, endLine: 1e9 }
  const { excerpts } = await runtime.queryOutput({ artifactHandle: id, lineRange, view: 'raw' })
  const [found] = excerpts
  return Buffer.from(found?.content ?? '', found?.encoding ?? 'utf8').toString('latin1')
}

describe("the streams of a skill's run", () => {
  it.each([3, 4000])('are readable separately, byte for byte (%i lines)', async (lines) => {
    const { runtime, run_id: id } = await runPython(NOISY, { args: { lines } })
    const numberLines = (word: string) =>
      Array.from({ length: lines }, (_, n) => `${word} ${n}\n`).join('')
    expect(await readAll(runtime, id, 'stdout')).toBe(`${numberLines('out')}\u00ff\u00fe bytes\n`)
    // Lines of runtime.log are part of the recorded stderr.
    expect(await readAll(runtime, id, 'stderr')).toBe(`${numberLines('err')}[info] logged needle\n`)
    const found = await runtime.queryOutput({ artifactHandle: id, queryTerms: ['NEEDLE'] })
    expect(found).toMatchObject({
      matchCount: 1,
      matchStatus: 'matched',
      totalLines: 2 * lines + 4,
      excerpts: [{ source: 'stderr', lineEnd: lines + 2 }],
    })
    expect(readdirSync(runtime.config.directories.data)).not.toContain('outputs')
  })

  it('are readable where they are blobs', async () => {
    const { runtime } = await runPython('def main(a):\n    return 1', {})
    const created = await runtime.createBlob({
      content: 'one\ntwo\nneedle\n',
      kind: 'text/plain',
    })
    const artifactHandle = created.blob_id
    const found = await runtime.queryOutput({ artifactHandle, queryTerms: ['needle'] })
    expect(found).toMatchObject({ artifactHandle, matchCount: 1, totalLines: 4, totalBytes: 15 })
    expect(found.excerpts).toMatchObject([{ source: 'stdout', lineEnd: 4 }])
    const last = await runtime.queryOutput({ artifactHandle, tail: 1, detail: 'standard' })
    expect(last.excerpts).toMatchObject([{ lineEnd: 3, content: 'needle' }])
    expect(last).not.toHaveProperty('run')
    await expect(runtime.queryOutput({ artifactHandle: 'blob:none' })).rejects.toMatchObject({
      code: 'blob/not-found',
    })
  })

  it('are readable only by their owner', async () => {
    const call = { caller: { door: 'http', name: 'alice' } } as const
    const { runtime, run_id: artifactHandle } = await runPython(NOISY, { args: { lines: 1 }, call })
    const queryOutput = async (query: Partial<QueryOutputParams>, caller?: string) =>
      await runtime.queryOutput(
        { artifactHandle, queryTerms: ['out'], ...query },
        caller === undefined ? {} : { caller: { name: caller } },
      )
    await expect(queryOutput({}, 'alice')).resolves.toMatchObject({ matchCount: 1 })
    await expect(queryOutput({})).resolves.toMatchObject({ matchCount: 1 })
    await expect(queryOutput({}, 'bob')).rejects.toMatchObject({ code: 'output/foreign' })
    await expect(queryOutput({ repoId: 'some' })).rejects.toMatchObject({ code: 'output/foreign' })
    await expect(queryOutput({ artifactHandle: createRunId() })).rejects.toMatchObject({
      code: 'output/not-found',
    })
  })

  it('of the local user are not readable by other callers', async () => {
    const { runtime, run_id: artifactHandle } = await runPython(NOISY, { args: { lines: 1 } })
    const query = { artifactHandle, queryTerms: ['out'] }
    for (const name of ['anonymous', 'root', 'alice']) {
      await expect(runtime.queryOutput(query, { caller: { name } })).rejects.toMatchObject({
        code: 'output/foreign',
      })
    }
  })

  it('are removed with the run record', async () => {
    const { runtime, run_id: id } = await runPython(NOISY, { args: { lines: 4000 } })
    await (await runtime.runs()).remove(id)
    await expect(
      runtime.queryOutput({ artifactHandle: id, queryTerms: ['out'] }),
    ).rejects.toMatchObject({ code: 'output/not-found' })
  })
})

describe("a program's output", () => {
  it('is removed with the run record', async () => {
    const data = createFolder()
    const runtime = await createRuntimeIn(data)
    const runId = createRunId()
    const outputs = await runtime.outputs()
    const writer = outputs.open({ runId, owner: undefined })
    await writer.stdout.write(Buffer.alloc(500_000, 'x'))
    await writer.finish({ status: 'success', exitCode: 0, signal: null })
    const started = new Date().toISOString()
    const { createRecord } = await import('../runs/history/example-record.ts')
    const runs = await runtime.runs()
    const record = { ...createRecord(runId), run_id: runId, kind: 'execute', started_at: started }
    const opened = await runs.open(record as never, { isIdFromCaller: false, maxLogBytes: 10 })
    await opened.close(record as never)
    expect(await runtime.queryOutput({ artifactHandle: runId, queryTerms: ['X'] })).toMatchObject({
      matchCount: 1,
    })
    await runs.remove(runId)
    expect(readdirSync(join(data, 'outputs')).filter((name) => !name.startsWith('.'))).toEqual([])
  })
})
