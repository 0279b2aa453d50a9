// @module-tag slow
import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { openRunStore } from '../../../../src/core/runs/history/file-run-store.ts'
import { createRunId } from '../../../../src/core/runs/history/run-id.ts'
import { createFolder } from '../../../helpers/skills.ts'
import { killWriters } from '../../storage/kill-writers.ts'
import { createRecord } from './example-record.ts'

/** Lists markers of runs; an empty one belongs to a run that was killed before it began. */
function listMarkers(dir: string): string[] {
  const open = join(dir, '.open')
  return readdirSync(open).filter((name) => statSync(join(open, name)).size > 0)
}

describe('runs whose process is killed at any moment', () => {
  it('keep every acknowledged record, and are otherwise shown as interrupted', async () => {
    const dir = createFolder()
    const limits = { quotaBytes: 1e12, ttlMs: 1e9 }
    let interrupted = 0
    for (let round = 0; round < 3; round++) {
      const acknowledged = await killWriters('records', dir, 3)
      expect(acknowledged.size).toBeGreaterThan(0)
      const store = openRunStore(dir, limits)
      for (const [id, digest] of acknowledged) {
        const record = await store.get(id)
        expect(record.status).toBe('completed')
        expect(record.logs.digest).toBe(`sha256:${digest}`)
        const logs = await text(await store.logs(id))
        expect(createHash('sha256').update(logs).digest('hex')).toBe(digest)
      }
      const { runs } = await store.list({ limit: 100_000 })
      expect(new Set(runs.map((run) => run.run_id)).size).toBe(runs.length)
      expect(runs.filter((run) => run.status === 'running')).toEqual([])
      interrupted = runs.filter((run) => run.status === 'interrupted').length
      // The next start recovers all of them.
      const record = createRecord(createRunId())
      const open = await openRunStore(dir, limits).open(record, {
        isIdFromCaller: false,
        maxLogBytes: 9,
      })
      await open.close({ ...record, status: 'completed' })
      expect(listMarkers(dir)).toEqual([])
      expect(readdirSync(join(dir, '.drafts'))).toEqual([])
      const after = await store.list({ limit: 100_000 })
      expect(after.runs).toHaveLength(runs.length + 1)
    }
    expect(interrupted).toBeGreaterThan(0)
  })
})
