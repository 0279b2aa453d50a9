// @module-tag nats-server
import { openFleetOutputStore } from '../../../src/fleet/outputs/fleet-output-store.ts'
import { testOutputStore } from '../../core/outputs/output-store-suite.ts'
import { openTestEngine, useNatsServer } from '../objects/open-test-engine.ts'

const nats = useNatsServer()

testOutputStore('a fleet', async (limits) => {
  return openFleetOutputStore(await openTestEngine(nats.server), { limits })
})
