// @module-tag slow
// @module-tag nightly
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { writeBlob } from '../../../../src/core/storage/write-blob.ts'
import { createRunId } from '../../../../src/core/runs/history/run-id.ts'
import { openFleetBlobStore } from '../../../../src/fleet/blobs/fleet-blob-store.ts'
import type { Engine } from '../../../../src/fleet/engine/engine.ts'
import { openObjects } from '../../../../src/fleet/objects/open-objects.ts'
import { createRecord } from '../../../core/runs/history/example-record.ts'
import { OPEN_OPTIONS, openNodeStore } from '../../../fleet/records/run-stores.ts'
import { createFolder } from '../../../helpers/skills.ts'
import { createTenant, useServer } from '../fleet-server.ts'

const server = useServer()
const SHORT = { SKILLS_STORE_TTL: '1s', SKILLS_STORE_RUNS_TTL: '1s' }

async function createFleet() {
  const tenant = await createTenant(server.url)
  await tenant.fleet(['init'])
  return tenant
}

/** Stores a run and a blob that have expired a day ago, and chunks of a running writer. */
async function storeExpired(engine: Engine) {
  const runs = openNodeStore(engine, 'w1')
  const startedAt = new Date(Date.now() - 86_400_000).toISOString()
  const record = createRecord(createRunId(), { started_at: startedAt })
  const opened = await runs.open(record, OPEN_OPTIONS)
  opened.log(randomBytes(300_000))
  await opened.close({ ...record, status: 'completed', logs: opened.describeLogs() })
  const limits = { maxBlobBytes: 1e9, quotaBytes: 1e9, ttlMs: 1e9 }
  const blobs = openFleetBlobStore(engine, { limits, cacheDir: createFolder() })
  await writeBlob(blobs, [randomBytes(300_000)], 'a/b')
  const writer = openObjects(engine, 'data').writer()
  await writer.write(randomBytes(600_000))
  await expect.poll(async () => (await engine.measure('data')).messages).toBeGreaterThan(2)
  return { runs, record, writer }
}

describe('skills fleet gc', () => {
  it('of an empty fleet removes nothing', async () => {
    const { fleet } = await createFleet()
    expect(await fleet(['gc'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'Nothing has expired or is abandoned\n',
    })
  })

  it('without streams names the command that creates them', async () => {
    const { fleet } = await createTenant(server.url)
    const { code, stderr } = await fleet(['gc'])
    expect(code).toBe(3)
    expect(stderr).toContain('skills fleet init')
  })

  it('accepts no arguments', async () => {
    const { fleet } = await createTenant(server.url)
    expect((await fleet(['gc', 'x'])).code).toBe(2)
    expect((await fleet(['gc', '--force'])).code).toBe(2)
  })

  it('keeps what has not expired, and the chunks of running writers', async () => {
    const { engine, fleet } = await createFleet()
    const { runs, record, writer } = await storeExpired(engine)
    expect((await fleet(['gc'])).stdout).toBe('')
    expect((await runs.get(record.run_id)).status).toBe('completed')
    const ref = await writer.close()
    expect(await openObjects(engine, 'data').readAll(ref)).toHaveLength(600_000)
  })

  it('removes what has expired, and with --dry-run only counts it', async () => {
    const { engine, fleet } = await createFleet()
    const { writer } = await storeExpired(engine)
    await expect
      .poll(async () => (await fleet(['gc', '--dry-run'], { env: SHORT })).stdout, {
        timeout: 20_000,
      })
      .toMatch(/^would remove 1 run, .*\nwould remove 1 blob, .*\n$/)
    const sizes = async () => (await engine.measure('data')).messages
    const before = await sizes()
    const { code, json } = await fleet(['gc', '--json'], { env: SHORT })
    expect(code).toBe(0)
    expect(json()).toMatchObject({
      schema: 'skills.fleet-gc/v1',
      dry_run: false,
      sweeps: [
        { name: 'runs', removed: 1, bytes_freed: expect.any(Number) as number },
        { name: 'outputs', removed: 0, bytes_freed: 0 },
        { name: 'sessions', removed: 0, bytes_freed: 0 },
        { name: 'snapshots', removed: 0, bytes_freed: 0 },
        { name: 'uploads', removed: 0, bytes_freed: 0 },
        { name: 'blobs', removed: 1, bytes_freed: 300_000 },
        { name: 'archives', removed: 0, bytes_freed: 0 },
      ],
    })
    expect(await sizes()).toBeLessThan(before)
    const ref = await writer.close()
    expect(await openObjects(engine, 'data').readAll(ref)).toHaveLength(600_000)
  })
})
