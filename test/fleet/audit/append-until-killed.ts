// Appends to the chain of a start of a node and prints the hash of each acknowledged record.
import { openFleetAuditLog } from '../../../src/fleet/audit/fleet-audit-log.ts'
import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import { createEntry } from '../../core/audit/entries.ts'

const [servers = '', tenant = '', start = ''] = process.argv.slice(2)
const engine = await openEngine({ servers, name: 'w1', tenant, patienceMs: 30_000 })
const log = openFleetAuditLog(engine, { node: 'w1', start })
await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (;;) {
      const { hash } = await log.append(createEntry(), { durable: true })
      process.stdout.write(`${hash}\n`)
    }
  }),
)
