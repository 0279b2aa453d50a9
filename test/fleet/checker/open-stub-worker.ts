import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import type { CallEnds } from '../../../src/fleet/messages/call-ends.ts'
import {
  MAX_MESSAGE_BYTES,
  type CallAnswer,
  type StartMessage,
} from '../../../src/fleet/messages/call-messages.ts'
import { createIdentity, type NodeIdentity } from '../../../src/fleet/node/identity.ts'
import { RunCallEnds } from '../../../src/fleet/node/run-call-ends.ts'
import { openObjects } from '../../../src/fleet/objects/open-objects.ts'
import type { AcceptedCall } from '../../../src/fleet/worker/accepted-call.ts'
import { Worker } from '../../../src/fleet/worker/worker.ts'
import { passFailpoint } from './failpoint.ts'
import { openHistory } from './history.ts'
import type { StubParams } from './test-front.ts'

export interface StubWorkerOptions {
  name: string
  identity?: NodeIdentity
  places: number
  /** Folder of the history. */
  dir: string
  wrapEngine?: (engine: Engine) => Engine
  wrapEnds?: (ends: CallEnds) => CallEnds
}

/** A worker whose runs only wait: everything but the sandbox is real. */
export function openStubWorker(engine: Engine, options: StubWorkerOptions): Worker {
  const { name, places, dir, wrapEngine, wrapEnds } = options
  const identity = options.identity ?? createIdentity(name)
  const objects = openObjects(engine, 'data')
  const ends = new RunCallEnds({ engine, identity, objects })
  const note = openHistory(dir, `${name}-${identity.start}`)
  const perform = async (message: StartMessage, accepted: AcceptedCall): Promise<CallAnswer> => {
    const { call, attempt, params, params_ref: ref } = message
    const large = ref && (await objects.readAll(ref)).toString()
    const { ms, data, size = 0 } = (large ? JSON.parse(large) : params) as StubParams
    note({ t: 'begin', call, node: name, attempt, at: Date.now() })
    accepted.tell({ type: 'state', run_id: call, state: 'running' })
    await passFailpoint('in-run')
    const { signal } = accepted.cancelling
    await sleep(ms, undefined, { signal }).catch(() => {})
    note({ t: 'end', call, node: name, attempt, at: Date.now() })
    if (signal.aborted)
      return { error: { code: 'run/cancelled', message: 'The run was cancelled' } }
    const text = { received: data?.length, text: 'x'.repeat(size) }
    const answer = { result: { status: 'completed', call, node: name, ...text } }
    if (size <= MAX_MESSAGE_BYTES) return answer
    return { ref: await objects.write(Buffer.from(JSON.stringify(answer))) }
  }
  return new Worker({
    engine: wrapEngine?.(engine) ?? engine,
    identity,
    places,
    line: 2,
    reserve: 1,
    pool: 'default',
    labels: [],
    build: 'stub',
    ends: wrapEnds?.(ends) ?? ends,
    catalog: { revision: 0, waitFor: async () => {} },
    readActiveLogs: async () => undefined,
    perform,
  })
}
