// @module-tag nats-server
import { describe, expect, it } from 'vitest'
import { openFleetAuditLog } from '../../../src/fleet/audit/fleet-audit-log.ts'
import { verifyFleetAudit } from '../../../src/fleet/audit/verify-fleet-audit.ts'
import { createEpochJob } from '../../../src/fleet/keeper/keeper-jobs.ts'
import { createEntry } from '../../core/audit/entries.ts'
import { openTestEngine, useNatsServer } from '../objects/open-test-engine.ts'

const nats = useNatsServer()
const durable = { durable: true }

describe('the job that writes epochs', () => {
  it('writes one if there are new records, and none otherwise', async () => {
    const engine = await openTestEngine(nats.server)
    const write = createEpochJob()
    expect(await write(engine)).toBe(0)
    const log = openFleetAuditLog(engine, { node: 'w1', start: 's1' })
    await log.append(createEntry(), durable)
    expect(await write(engine)).toBe(1)
    expect(await write(engine)).toBe(0)
    await log.append(createEntry(), durable)
    expect(await write(engine)).toBe(1)
    const { epochs, problems } = await verifyFleetAudit(engine)
    expect({ epochs: epochs.epochs, problems }).toEqual({ epochs: 2, problems: [] })
  })

  it('continues the epochs of another keeper', async () => {
    const engine = await openTestEngine(nats.server)
    const log = openFleetAuditLog(engine, { node: 'w1', start: 's1' })
    const jobs = [createEpochJob(), createEpochJob()]
    for (let round = 0; round < 4; round++) {
      await log.append(createEntry(), durable)
      expect(await jobs[round % 2]?.(engine)).toBe(1)
    }
    expect((await verifyFleetAudit(engine)).problems).toEqual([])
  })
})
