import { randomBytes } from 'node:crypto'
import { openFleetBlobStore } from '../../../src/fleet/blobs/fleet-blob-store.ts'
import { openEngine } from '../../../src/fleet/engine/open-engine.ts'

/** Writes a blob whose chunks are stored and whose entry is not, prints its id, and is killed. */
const [servers = '', tenant = '', cacheDir = ''] = process.argv.slice(2)
const engine = await openEngine({ servers, name: 'killed', tenant, patienceMs: 10_000 })
const limits = { maxBlobBytes: 1e9, quotaBytes: 1e9, ttlMs: 1e9 }
const writer = await openFleetBlobStore(engine, { limits, cacheDir }).writer({ kind: 'a/b' })
await writer.write(randomBytes(1_200_000))
await writer.seal()
process.stdout.write(writer.id, () => process.kill(process.pid, 'SIGKILL'))
