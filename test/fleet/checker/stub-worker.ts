import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import { addEndPoints, addFencePoints } from './failpoint.ts'
import { openStubWorker } from './open-stub-worker.ts'

/** A stub worker in a process of its own. Arguments: address, name, places, folder of the history. */
const [url = '', name = '', places = '', dir = ''] = process.argv.slice(2)
const engine = await openEngine({ servers: url, name, tenant: 'main', patienceMs: 30_000 })
const worker = openStubWorker(engine, {
  name,
  places: Number(places),
  dir,
  wrapEngine: addFencePoints,
  wrapEnds: addEndPoints,
})
process.on('SIGTERM', () => {
  void (async () => {
    await worker.finish(20_000)
    worker.stop()
    await engine.close()
    process.disconnect?.()
  })()
})
process.on('message', (message) => {
  // An event loop that is blocked sends no heartbeats.
  const until = Date.now() + Number(message)
  while (Date.now() < until);
})
process.send?.('ready')
