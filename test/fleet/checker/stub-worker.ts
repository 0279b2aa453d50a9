import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import { addEndPoints, addFencePoints } from './failpoint.ts'
import { speakNextMinor } from './next-minor.ts'
import { openStubWorker } from './open-stub-worker.ts'

/**
 * A stub worker in a process of its own. Arguments: address, name, places, folder of the history, and `next`
 * for the next minor of the protocol.
 */
const [url = '', name = '', places = '', dir = '', minor = ''] = process.argv.slice(2)
const opened = await openEngine({ servers: url, name, tenant: 'main', patienceMs: 30_000 })
const engine = minor === 'next' ? speakNextMinor(opened) : opened
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
