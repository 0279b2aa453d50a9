// @module-tag nats-server
import { openFleetBlobStore } from '../../../src/fleet/blobs/fleet-blob-store.ts'
import { testBlobStore } from '../../core/storage/blob-store-suite.ts'
import { createFolder } from '../../helpers/skills.ts'
import { openTestEngine, useNatsServer } from '../objects/open-test-engine.ts'

const nats = useNatsServer()

testBlobStore('a fleet', async (limits) => {
  const engine = await openTestEngine(nats.server)
  return openFleetBlobStore(engine, { limits, cacheDir: createFolder() })
})
