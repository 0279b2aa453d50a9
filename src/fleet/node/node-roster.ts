import type { FleetNode } from '../../core/fleet-report.ts'
import type { Engine } from '../engine/engine.ts'
import type { NodeState } from '../messages/node-state.ts'
import { parseNodeState } from '../messages/parse-node-state.ts'

/** Nodes that are not heard for this long are not listed. */
const FORGET_MS = 60_000
const CHECK_MS = 10_000
/** Bounds the memory that hostile senders can use. */
const MAX_NODES = 10_000

interface HeardNode {
  state: NodeState
  /** Milliseconds since 1970. */
  heardAt: number
}

/** Lists the nodes whose heartbeats arrive. */
export class NodeRoster {
  #heard = new Map<string, HeardNode>()
  #stops: (() => void)[]

  constructor(engine: Engine) {
    const timer = setInterval(() => this.#forget(), CHECK_MS).unref()
    this.#stops = [
      engine.subscribe('hb.>', ({ subject, body }) => this.#hear(subject, body)),
      () => clearInterval(timer),
    ]
  }

  /** Workers, then fronts, by name. */
  list(): FleetNode[] {
    const byName = [...this.#heard.values()].sort((a, b) => (a.state.node < b.state.node ? -1 : 1))
    const ofRole = (role: NodeState['role']) => byName.filter(({ state }) => state.role === role)
    return [...ofRole('worker'), ...ofRole('front')].map(toFleetNode)
  }

  stop(): void {
    for (const stop of this.#stops) stop()
  }

  #hear(subject: string, body: Uint8Array): void {
    const state = parseNodeState(subject, body)
    if (!state) return
    if (state.isLeaving === true) this.#heard.delete(subject)
    else if (this.#heard.has(subject) || this.#heard.size < MAX_NODES)
      this.#heard.set(subject, { state, heardAt: Date.now() })
  }

  #forget(): void {
    for (const [subject, { heardAt }] of this.#heard) {
      if (Date.now() - heardAt > FORGET_MS) this.#heard.delete(subject)
    }
  }
}

function toFleetNode({ state, heardAt }: HeardNode): FleetNode {
  const { node: name, role, build: version, running, waiting, isDraining: draining } = state
  const common = { name, role, version, running, waiting, draining }
  const heard_at = new Date(heardAt).toISOString()
  if (state.role === 'front') {
    return { ...common, places: null, line: null, pool: null, labels: [], heard_at }
  }
  const { places, line, pool, labels } = state
  return { ...common, places, line, pool, labels, heard_at }
}
