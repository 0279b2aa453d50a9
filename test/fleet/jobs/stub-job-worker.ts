import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import { readJobKey } from '../../../src/fleet/jobs/job-key.ts'
import { JobPuller } from '../../../src/fleet/jobs/job-puller.ts'
import { createIdentity } from '../../../src/fleet/node/identity.ts'
import { RunCallEnds } from '../../../src/fleet/node/run-call-ends.ts'
import { openObjects } from '../../../src/fleet/objects/open-objects.ts'
import { addEndPoints, addFencePoints } from '../checker/failpoint.ts'
import { openStubWorker } from '../checker/open-stub-worker.ts'

/** A stub worker that pulls jobs. Arguments: address, name, places, folder of the history, key file. */
const [url = '', name = '', places = '', dir = '', keyFile = ''] = process.argv.slice(2)
const options = { servers: url, name, tenant: 'main', patienceMs: 30_000 }
const engine = await openEngine(options)
const identity = createIdentity(name)
const objects = openObjects(engine, 'data')
const ends = new RunCallEnds({ engine, identity, objects })
const worker = openStubWorker(engine, {
  name,
  identity,
  places: Number(places),
  dir,
  wrapEngine: addFencePoints,
  wrapEnds: addEndPoints,
})
const jobs = new JobPuller({
  engine,
  identity,
  ends,
  worker,
  codec: { tenant: 'main', objects, key: await readJobKey(keyFile || undefined) },
  pool: 'default',
  labels: [],
  queue: await engine.openQueue('jobs'),
  perform: async (message, secrets) => await worker.performJob(message, secrets),
  cancel: (run) => worker.cancel(run),
  onProblem: (run, reason) => console.error(name, run, reason),
})
process.on('SIGTERM', () => {
  void (async () => {
    jobs.stop()
    await worker.finish(20_000)
    worker.stop()
    await engine.close()
    process.disconnect?.()
  })()
})
process.send?.('ready')
