import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import { MAX_MESSAGE_BYTES, type CallAnswer } from '../../../src/fleet/messages/call-messages.ts'
import { createIdentity } from '../../../src/fleet/node/identity.ts'
import { RunCallEnds } from '../../../src/fleet/node/run-call-ends.ts'
import { openObjects } from '../../../src/fleet/objects/open-objects.ts'
import { Worker } from '../../../src/fleet/worker/worker.ts'
import { addEndPoints, addFencePoints, passFailpoint } from './failpoint.ts'
import { openHistory } from './history.ts'
import type { StubParams } from './test-front.ts'

/**
 * A worker whose runs only wait: everything but the sandbox is real. Arguments: address, name, places, folder
 * of the history.
 */
const [url = '', name = '', places = '', dir = ''] = process.argv.slice(2)
const engine = await openEngine({ servers: url, name, tenant: 'main', patienceMs: 30_000 })
const identity = createIdentity(name)
const objects = openObjects(engine, 'data')
const note = openHistory(dir, `${name}-${identity.start}`)
const worker = new Worker({
  engine: addFencePoints(engine),
  identity,
  places: Number(places),
  line: 2,
  pool: 'default',
  labels: [],
  build: 'stub',
  orphanGraceMs: 10_000,
  ends: addEndPoints(new RunCallEnds({ engine, identity, objects })),
  catalog: { revision: 0, waitFor: async () => {} },
  readActiveLogs: async () => undefined,
  async perform({ call, attempt, params, params_ref: ref }, accepted) {
    const large = ref && (await objects.readAll(ref)).toString()
    const { ms, data, size = 0 } = (large ? JSON.parse(large) : params) as StubParams
    note({ t: 'begin', call, node: name, attempt, at: Date.now() })
    accepted.tell({ k: 'event', event: { type: 'state', run_id: call, state: 'running' } })
    await passFailpoint('in-run')
    const { signal } = accepted.cancelling
    await sleep(ms, undefined, { signal }).catch(() => {})
    note({ t: 'end', call, node: name, attempt, at: Date.now() })
    if (signal.aborted)
      return { error: { code: 'run/cancelled', message: 'The run was cancelled' } }
    const text = { received: data?.length, text: 'x'.repeat(size) }
    return await shrink({ result: { status: 'completed', call, node: name, ...text } })
  },
})

async function shrink(answer: CallAnswer): Promise<CallAnswer> {
  const text = JSON.stringify(answer)
  if (text.length <= MAX_MESSAGE_BYTES) return answer
  return { ref: await objects.write(Buffer.from(text)) }
}

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
