// @module-tag slow
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../../src/core/runs/run-call.ts'
import { SkillsError } from '../../../src/errors.ts'
import { buildMain, runPython, createRuntimeIn } from '../runs/run-python.ts'
import { fillDisk, NO_SMALL_DISK, createSmallDisk } from './small-disk.ts'

const MIB = 1024 ** 2

async function catchError(work: Promise<unknown>): Promise<SkillsError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(SkillsError)
  return error as SkillsError
}

describe.skipIf(NO_SMALL_DISK)(
  `a full disk${NO_SMALL_DISK ? ` (not run: ${NO_SMALL_DISK})` : ''}`,
  () => {
    it('rejects a blob with a hint, leaves nothing of it, and the store continues', async () => {
      const data = createSmallDisk(4 * MIB)
      const runtime = await createRuntimeIn(data)
      const large = { content: 'x'.repeat(5 * MIB), kind: 'text/plain' }
      const error = await catchError(runtime.createBlob(large))
      expect(error.code).toBe('store/full')
      expect(error.hint).toContain('skills blobs gc')
      expect(readdirSync(join(data, 'blobs', '.drafts'))).toEqual([])
      const { blob_id } = await runtime.createBlob({ content: 'small', kind: 'text/plain' })
      expect((await runtime.readBlob({ blob_id })).content).toBe('small')
    })

    it('rejects a run before its start if its record cannot be written', async () => {
      const data = createSmallDisk(4 * MIB)
      const releaseSpace = fillDisk(data)
      const runs: string[] = []
      const call = {
        onEvent: ({ type }: RunEvent) => type === 'state' && runs.push(type),
      }
      const error = await catchError(runPython(buildMain('return 1'), { data, call }))
      expect(error.code).toBe('store/full')
      expect(runs).toEqual([])
      releaseSpace()
      expect((await runPython(buildMain('return 1'), { data })).output).toBe(1)
    })

    it('does not prevent removals, which free space', async () => {
      const data = createSmallDisk(4 * MIB)
      const runtime = await createRuntimeIn(data)
      const [blobs, runs] = [await runtime.blobs(), await runtime.runs()]
      const { blob_id } = await runtime.createBlob({ content: 'x', kind: 'text/plain' })
      const { run_id } = await runPython(buildMain('return 1'), { data })
      fillDisk(data)
      expect(await blobs.collect()).toMatchObject({ kept: { count: 1 } })
      expect(await runs.expire()).toMatchObject({ kept: { count: 1 } })
      await blobs.remove(blob_id)
      await runs.remove(run_id)
      expect((await blobs.list()).total).toBe(0)
      expect((await runs.list()).runs).toEqual([])
      expect(readdirSync(join(data, 'blobs', '.drafts'))).toEqual([])
      expect(readdirSync(join(data, 'runs', '.drafts'))).toEqual([])
    })

    it('ends a run that creates a blob that is too large, and the record states it', async () => {
      const data = createSmallDisk(8 * MIB)
      const code = 'from runtime import blobs\nblobs.write_bytes(bytes(20_000_000))\nreturn 1'
      const error = await catchError(runPython(buildMain(code), { data }))
      expect(error.code).toBe('store/full')
      const runtime = await createRuntimeIn(data)
      const [record] = (await (await runtime.runs()).list()).runs
      expect(record).toMatchObject({ status: 'failed', error: { type: 'store/full' }, blobs: [] })
      expect(readdirSync(join(data, 'blobs', '.drafts'))).toEqual([])
    })

    it('between two blobs of a run leaves neither of them visible', async () => {
      const data = createSmallDisk(8 * MIB)
      const code =
        'from runtime import blobs\nfor n in range(9):\n    blobs.write_text("x")\n    if n == 4: print("half", flush=True)\n    if n > 4: time.sleep(0.2)\nreturn 1'
      let releaseSpace = () => {}
      const onEvent = (event: RunEvent) => {
        // Space for the metadata of a few blobs.
        if (event.type === 'log') releaseSpace = fillDisk(data, 4)
      }
      const error = await catchError(runPython(buildMain(code), { data, call: { onEvent } }))
      expect(error.code).toBe('store/full')
      releaseSpace()
      const runtime = await createRuntimeIn(data)
      expect((await (await runtime.blobs()).list()).total).toBe(0)
      expect(readdirSync(join(data, 'blobs', '.drafts'))).toEqual([])
    })

    it('leaves no blob of a run visible if one of its drafts was removed', async () => {
      const data = createSmallDisk(8 * MIB)
      const code = 'from runtime import blobs\nfor _ in range(90): blobs.write_text("x")\nreturn 1'
      const drafts = join(data, 'blobs', '.drafts')
      const onEvent = (event: RunEvent) => {
        if (event.type !== 'state' || event.state !== 'collecting') return
        const [first = ''] = readdirSync(drafts)
        rmSync(join(drafts, first), { recursive: true })
      }
      const error = await catchError(runPython(buildMain(code), { data, call: { onEvent } }))
      expect(error.code).toBe('store/unavailable')
      const runtime = await createRuntimeIn(data)
      expect((await (await runtime.blobs()).list()).total).toBe(0)
      expect(readdirSync(drafts)).toEqual([])
    })

    it('is reported to the caller of a run that cannot be recorded; its blobs are removed', async () => {
      const data = createSmallDisk(8 * MIB)
      const states: string[] = []
      let releaseSpace = () => {}
      // More than the space that the disk released after the run's mark.
      const code =
        'from runtime import blobs\nblobs.write_text("made")\nprint("x" * 9999)\nreturn 1'
      const error = await catchError(
        runPython(buildMain(code), {
          data,
          call: {
            onEvent: (event) => {
              if (event.type === 'state') states.push(event.state)
              if (event.type === 'blob') releaseSpace = fillDisk(data)
            },
          },
        }),
      )
      expect(error.code).toBe('store/full')
      expect(error.hint).toContain('skills runs rm --expired')
      expect(states.at(-1)).toBe('failed')
      releaseSpace()
      const runtime = await createRuntimeIn(data)
      expect((await (await runtime.blobs()).list()).total).toBe(0)
      const [record] = (await (await runtime.runs()).list()).runs
      expect(record).toMatchObject({ status: 'interrupted', output: null })
      expect((await runPython(buildMain('return 2'), { data })).output).toBe(2)
      expect(readdirSync(join(data, 'runs', '.open'))).toEqual([])
      expect(readdirSync(join(data, 'runs', '.drafts'))).toEqual([])
    })
  },
)
