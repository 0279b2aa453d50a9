// @module-tag slow
// @module-tag nightly
import { expect, it } from 'vitest'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import { createRecord } from '../../core/runs/history/example-record.ts'
import { IS_FULL } from '../../helpers/matrix.ts'
import { listAllIds } from '../../core/runs/history/run-store-suite.ts'
import { openTestEngine, useNatsServer } from '../objects/open-test-engine.ts'
import { openNodeStore, OPEN_OPTIONS } from './run-stores.ts'

const RUNS = IS_FULL ? 2000 : 400
const AT_ONCE = 20

const context = useNatsServer()

it('many runs are listed in pages, newest first, while others begin', async () => {
  const engine = await openTestEngine(context.server)
  const store = openNodeStore(engine, 'worker')
  for (let count = 0; count < RUNS; count += AT_ONCE) {
    const added = Array.from({ length: AT_ONCE }, async (_, at) => {
      const record = createRecord(createRunId())
      const opened = await store.open(record, OPEN_OPTIONS)
      // One in a hundred has no end, and one in a hundred fails.
      const number = count + at
      if (number % 100 === 0) return
      await opened.close({ ...record, status: number % 100 === 1 ? 'failed' : 'completed' })
    })
    await Promise.all(added)
  }
  const begun: string[] = []
  for await (const { subject } of engine.list('runs', 'r.*.begun')) {
    begun.unshift(subject.split('.')[1] as string)
  }
  const listed: string[] = []
  for (let cursor: string | undefined; ;) {
    const page = await store.list({ limit: 77, cursor })
    listed.push(...page.runs.map((run) => run.run_id))
    if (page.next_cursor === null) break
    cursor = page.next_cursor
    await store.open(createRecord(createRunId()), OPEN_OPTIONS)
  }
  expect(listed).toEqual(begun)
  expect(new Set(listed).size).toBe(RUNS)
  expect(await listAllIds(store, { status: 'failed', limit: 7 })).toHaveLength(RUNS / 100)
  const [oldest = ''] = begun.slice(-1)
  expect(await store.find(oldest.slice(0, 20), 2)).toEqual([oldest])
  const { kept } = await store.expire()
  expect(kept.count).toBe(RUNS - RUNS / 100)
})

it('runs far from others in the stream are listed', async () => {
  const engine = await openTestEngine(context.server)
  const store = openNodeStore(engine, 'worker')
  const add = async () => {
    const record = createRecord(createRunId())
    await (await store.open(record, OPEN_OPTIONS)).close({ ...record, status: 'completed' })
    return record.run_id
  }
  const first = await add()
  for (let round = 0; round < 60; round++) {
    const ids = await Promise.all(Array.from({ length: 20 }, async () => await add()))
    await Promise.all(ids.map(async (id) => await engine.remove('runs', `r.${id}.*`)))
  }
  const last = await add()
  expect(await listAllIds(store, { limit: 1 })).toEqual([last, first])
})
