// @module-tag nats-server
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import type { RunEvent } from '../../../src/core/runs/run-call.ts'
import { openEngine, type NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import type { EndDetails } from '../../../src/fleet/messages/call-ends.ts'
import type { CallReply, StartMessage } from '../../../src/fleet/messages/call-messages.ts'
import { nameEndAck } from '../../../src/fleet/messages/end-ack.ts'
import { decodeMessage, encodeMessage } from '../../../src/fleet/messages/encoding.ts'
import { Heartbeat } from '../../../src/fleet/node/heartbeat.ts'
import { storeEnd } from '../../../src/fleet/worker/store-end.ts'
import { startNatsServer, type TestServer } from '../../helpers/fleet/nats-server.ts'
import { createHistoryFolder, initFleet } from '../checker/stub-fleet.ts'
import { openTestFront, type TestFront } from '../checker/test-front.ts'
import { CallFleet } from './call-fleet.ts'

const NAME = 'scripted'
const ANSWER = { result: { status: 'announced' } }
const ACK = { stream: 'SK_main_runs', seq: 7 }
const REFUSAL = { error: { code: 400, err_code: 10_071, description: 'wrong last sequence: 6' } }

describe('an announced answer', () => {
  let server: TestServer
  let front: TestFront
  let worker: NatsEngine
  let heartbeat: Heartbeat
  const folder = createHistoryFolder()

  beforeAll(async () => {
    server = await startNatsServer()
    await initFleet(server.url)
    const address = { servers: server.url, tenant: 'main', patienceMs: 5000 }
    worker = await openEngine({ ...address, name: NAME })
    heartbeat = startHeartbeat(worker)
    front = await openTestFront(server.url, 'front1', { dir: folder.dir })
    while (front.workers.all.length === 0) await sleep(20)
  })
  afterAll(async () => {
    heartbeat.stop()
    await front.close()
    await worker.close()
    await server.close()
    folder.remove()
  })

  /** A call whose worker is the test, up to its acceptance. */
  async function beginCall() {
    const started = receiveStart(worker)
    let sent = 0
    let facts = 0
    const call = { env: {}, cwd: '/', runId: createRunId(), caller: { name: 'test' } }
    let outcome: unknown
    void front
      .perform({ ...call, onEvent: ({ type }) => type === 'cpu' && (facts += 1) }, { ms: 1 })
      .then((result) => (outcome = result))
    const { token } = await started
    const say = (reply: CallReply) => worker.publish(`a.front1.${token}`, encodeMessage(reply))
    say({ t: 'accepted', node: NAME, start: '1' })
    return {
      say,
      acknowledge: (ack: object, from = NAME) => {
        worker.publish(nameEndAck({ front: 'front1', token }, from).subject, encodeMessage(ack))
      },
      readOutcome: () => outcome,
      /** Resolves when the front has handled all earlier messages. */
      async settle() {
        sent += 1
        say({ t: 'fact', n: sent, fact: { type: 'cpu', ms: 1 } })
        await expect.poll(() => facts).toBe(sent)
      },
    }
  }

  it('counts when the engine has acknowledged its end', async () => {
    const call = await beginCall()
    call.say({ t: 'ending', answer: ANSWER })
    await call.settle()
    expect(call.readOutcome()).toBeUndefined()
    call.acknowledge(ACK)
    await expect.poll(call.readOutcome).toEqual(ANSWER.result)
  })

  it.each([
    ['refused', REFUSAL],
    ['about something else', { stream: 'SK_main_runs', success: true }],
  ])('does not count if the answer of the engine is %s', async (_, ack) => {
    const call = await beginCall()
    call.say({ t: 'ending', answer: ANSWER })
    call.acknowledge(ack)
    await call.settle()
    expect(call.readOutcome()).toBeUndefined()
    call.say({ t: 'end', answer: { result: { status: 'stored' } } })
    await expect.poll(call.readOutcome).toEqual({ status: 'stored' })
  })

  it('may be later than the acknowledgement: the end of the worker decides then', async () => {
    const call = await beginCall()
    call.acknowledge(ACK)
    call.say({ t: 'ending', answer: ANSWER })
    await call.settle()
    expect(call.readOutcome()).toBeUndefined()
    call.say({ t: 'end', answer: { result: { status: 'stored' } } })
    await expect.poll(call.readOutcome).toEqual({ status: 'stored' })
  })
})

describe('a worker', () => {
  it('announces a small answer before its end, which is a phase of the call', async () => {
    const fleet = await CallFleet.start()
    const replies: string[] = []
    const phases: string[] = []
    fleet.fronts.front2.engine.subscribe('a.front1.*', ({ body }) => {
      replies.push((decodeMessage(body) as { t: string }).t)
    })
    fleet.fronts.front2.engine.subscribe('st.front1.w1.*', () => void replies.push('stored'))
    const onEvent = (event: RunEvent) => {
      if (event.type === 'phase') phases.push(event.name)
    }
    await fleet.fronts.front1.perform({ ...fleet.createCall(), onEvent }, { ms: 5 })
    await expect
      .poll(() => replies.filter((each) => each !== 'fact'))
      .toEqual(['accepted', 'ending', 'stored', 'end'])
    expect(phases).toEqual(['fence', 'prepare', 'end'])
    replies.length = 0
    const call = fleet.createCall()
    await fleet.fronts.front1.perform(call, { ms: 5, size: 200_000 })
    await expect.poll(() => replies.filter((each) => each !== 'fact')).toEqual(['accepted', 'end'])
    await fleet.close()
  })

  it('does not announce the error with which an end is stored that cannot be', async () => {
    const written: (EndDetails & { answer: object })[] = []
    const ends = {
      async write(_call: string, answer: object, details: EndDetails = {}) {
        written.push({ answer, ...details })
        if (written.length === 1) throw new Error('no place for objects')
        return true
      },
      read: async () => undefined,
      declareInterrupted: async () => ANSWER,
    }
    const ackAt = nameEndAck({ front: 'front1', token: 't' }, NAME)
    const stored = await storeEnd(ends, createRunId(), { answer: ANSWER, ackAt })
    expect(stored).toMatchObject({ error: { code: 'store/unavailable' } })
    expect(written).toEqual([
      { answer: ANSWER, detached: undefined, ackAt },
      { answer: stored, detached: undefined },
    ])
  })
})

async function receiveStart(worker: NatsEngine): Promise<StartMessage> {
  return await new Promise((resolve) => {
    const stop = worker.subscribe(`w.${NAME}.start`, ({ body }) => {
      stop()
      resolve(decodeMessage(body) as StartMessage)
    })
  })
}

function startHeartbeat(worker: NatsEngine): Heartbeat {
  worker.subscribe(`w.${NAME}.ctl`, ({ respond }) =>
    respond(encodeMessage({ start: '1', isKnown: true })),
  )
  return new Heartbeat(worker, `hb.w.${NAME}`, (beat) => ({
    v: '1.0',
    role: 'worker',
    node: NAME,
    start: '1',
    beat,
    build: 'test',
    pool: 'default',
    labels: [],
    places: 4,
    line: 2,
    running: 0,
    waiting: 0,
    isDraining: false,
    seen: {},
    catalog: 0,
  }))
}
