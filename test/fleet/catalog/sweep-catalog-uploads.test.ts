// @module-tag nats-server
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { addToCatalog } from '../../../src/fleet/catalog/add-to-catalog.ts'
import { sweepCatalogUploads } from '../../../src/fleet/catalog/sweep-catalog-uploads.ts'
import { openNode } from './catalog-nodes.ts'
import { addition } from './catalog-skills.ts'
import { useTestFleet } from './test-fleet.ts'

const fleet = useTestFleet()
const DAY_MS = 86_400_000

describe('sweepCatalogUploads()', () => {
  it('removes archives that no entry names once they are old, and no others', async () => {
    const { engine, objects } = await openNode(fleet, { tenant: await fleet.createTenant() })
    await addToCatalog(engine, objects, addition('demo.a'))
    const { upload } = await objects.write(Buffer.from('left by a killed process'))
    expect(await sweepCatalogUploads(engine)).toEqual([])
    const tomorrow = Date.now() + DAY_MS
    vi.useFakeTimers({ toFake: ['Date'], now: tomorrow })
    onTestFinished(() => void vi.useRealTimers())
    expect(await sweepCatalogUploads(engine, { dryRun: true })).toEqual([upload])
    expect(await sweepCatalogUploads(engine)).toEqual([upload])
    expect(await sweepCatalogUploads(engine)).toEqual([])
  })
})
