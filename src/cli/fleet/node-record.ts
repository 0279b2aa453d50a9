import type { NodeState } from '../../fleet/messages/node-state.ts'

/** A node as in JSON. */
export interface NodeRecord {
  name: string
  role: NodeState['role']
  version: string
  protocol: string
  start: string
  running: number
  waiting: number
  draining: boolean
  /** Null for a front, as the next two. */
  places: number | null
  line: number | null
  pool: string | null
  labels: readonly string[]
}

export function toNodeRecord(state: NodeState): NodeRecord {
  const { node: name, role, build: version, v: protocol, start, running, waiting } = state
  const common = { name, role, version, protocol, start, running, waiting }
  const draining = state.isDraining
  if (state.role === 'front') {
    return { ...common, draining, places: null, line: null, pool: null, labels: [] }
  }
  const { places, line, pool, labels } = state
  return { ...common, draining, places, line, pool, labels }
}

/** Places of workers that accept calls, and those of them that are free. */
export function countPlaces(nodes: readonly NodeState[]): { total: number; free: number } {
  let total = 0
  let free = 0
  for (const node of nodes) {
    if (node.role !== 'worker' || node.isDraining) continue
    total += node.places
    free += Math.max(0, node.places - node.running)
  }
  return { total, free }
}
