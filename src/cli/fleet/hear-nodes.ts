import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../../fleet/engine/engine.ts'
import type { NodeState } from '../../fleet/messages/node-state.ts'
import { parseNodeState } from '../../fleet/messages/parse-node-state.ts'

/** More than two heartbeats of each node. */
const LISTENING_MS = 1200
/** Bounds the memory that hostile senders can use. */
const MAX_NODES = 10_000

export interface HeardNodes {
  /** Workers, then fronts, by name. */
  nodes: readonly NodeState[]
  /** Number of senders whose heartbeats are not valid, or of another version. */
  unreadable: number
}

/** Listens to the heartbeats of all nodes for a while. */
export async function hearNodes(engine: Engine, signal: AbortSignal): Promise<HeardNodes> {
  const states = new Map<string, NodeState>()
  const unreadable = new Set<string>()
  const end = engine.subscribe('hb.>', ({ subject, body }) => {
    if (states.size + unreadable.size >= MAX_NODES) return
    const state = parseNodeState(subject, body)
    if (state) states.set(subject, state)
    else unreadable.add(subject)
  })
  try {
    await sleep(LISTENING_MS, undefined, { signal })
  } finally {
    end()
  }
  const nodes = [...states].sort(([a], [b]) => compareSubjects(a, b)).map(([, state]) => state)
  return { nodes, unreadable: [...unreadable].filter((subject) => !states.has(subject)).length }
}

/** `hb.w.…` before `hb.f.…`, then by name. */
function compareSubjects(a: string, b: string): number {
  const isSameRole = a.slice(0, 5) === b.slice(0, 5)
  return isSameRole === a < b ? -1 : 1
}
