/** A node of a fleet, as another node hears it. */
export interface FleetNode {
  name: string
  role: 'front' | 'worker'
  version: string
  /** Runs in progress. */
  running: number
  /** Calls that wait for a place. */
  waiting: number
  draining: boolean
  /** Runs at once; null for a front, as the next two. */
  places: number | null
  /** Calls that may wait at the worker. */
  line: number | null
  pool: string | null
  labels: readonly string[]
  /** Time of the last heartbeat, on the clock of the node that lists it. */
  heard_at: string
}

/** One stream of the engine. */
interface FleetStream {
  name: string
  messages: number
  bytes: number
}

/** The engine of a fleet and its nodes, as one node sees them. */
export interface FleetReport {
  /** Name of the node that reports. */
  node: string
  tenant: string
  engine: {
    version: string
    answering: boolean
    /** Null while the engine does not answer. */
    streams: readonly FleetStream[] | null
  }
  /** Workers, then fronts, by name. */
  nodes: readonly FleetNode[]
}
