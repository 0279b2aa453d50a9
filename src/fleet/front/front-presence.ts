import type { FleetReport } from '../../core/fleet-report.ts'
import type { Engine } from '../engine/engine.ts'
import { decodeMessage, encodeMessage } from '../messages/encoding.ts'
import { PROTOCOL, type FrontState } from '../messages/node-state.ts'
import { Heartbeat } from '../node/heartbeat.ts'
import type { NodeIdentity } from '../node/identity.ts'
import { NodeRoster } from '../node/node-roster.ts'
import { listAssets } from '../engine/assets.ts'
import { takeInTime } from '../engine/take-in-time.ts'

interface PresenceOptions {
  engine: Engine
  identity: NodeIdentity
  build: string
  runQueue: { readonly waiting: number; readonly running: number }
}

/** Reports a front to the other nodes, answers their requests, and lists them. */
export class FrontPresence {
  /** Resolves when an operator asks this front to stop. */
  readonly drained: Promise<void>
  #options: PresenceOptions
  #isDraining = false
  #heartbeat: Heartbeat
  #roster: NodeRoster
  #stopAnswering: () => void

  constructor(options: PresenceOptions) {
    this.#options = options
    const { engine, identity } = options
    let setDrained = () => {}
    this.drained = new Promise((resolve) => (setDrained = resolve))
    this.#roster = new NodeRoster(engine)
    this.#stopAnswering = engine.subscribe(`f.${identity.name}.ctl`, (request) => {
      const message: { op?: unknown } | undefined = decodeMessage(request.body)
      if (message?.op !== 'drain') return
      this.drain()
      const { running } = options.runQueue
      request.respond(encodeMessage({ start: identity.start, running }))
      setDrained()
    })
    const subject = `hb.f.${identity.name}`
    this.#heartbeat = new Heartbeat(engine, subject, (beat) => this.#describe(beat))
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  /** Tells other nodes that this one takes no more calls. */
  drain(): void {
    this.#isDraining = true
    this.#heartbeat.change()
  }

  async describeFleet(): Promise<FleetReport> {
    const { engine, identity } = this.#options
    return await describeFleet(engine, { node: identity.name, roster: this.#roster })
  }

  stop(): void {
    this.#heartbeat.stop()
    this.#stopAnswering()
    this.#roster.stop()
  }

  #describe(beat: number): FrontState {
    const { identity, build, runQueue } = this.#options
    return {
      v: PROTOCOL,
      role: 'front',
      node: identity.name,
      start: identity.start,
      beat,
      build,
      waiting: runQueue.waiting,
      running: runQueue.running,
      isDraining: this.#isDraining,
    }
  }
}

const NO_LIFETIMES = { runsMs: 0, blobsMs: 0, outputsMs: 0 }
/** An engine that takes longer does not answer: people wait for the report. */
const MEASURE_MS = 2000

/** Describes the fleet as one of its nodes sees it. */
async function describeFleet(
  engine: Engine,
  { node, roster }: { node: string; roster: NodeRoster },
): Promise<FleetReport> {
  const { version, tenant, health } = engine
  const isAnswering = health.awayMs === 0
  const streams = isAnswering
    ? await takeInTime(measureStreams(engine), MEASURE_MS).catch(() => undefined)
    : undefined
  return {
    node,
    tenant,
    engine: { version, answering: isAnswering, streams: streams ?? null },
    nodes: roster.list(),
  }
}

async function measureStreams(engine: Engine) {
  return await Promise.all(
    listAssets(NO_LIFETIMES).map(async ({ name }) => {
      const { messages, bytes } = await engine.measure(name)
      return { name, messages, bytes }
    }),
  )
}
