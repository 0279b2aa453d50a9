/** Version of the messages between nodes: `major.minor`. Nodes with equal majors understand each other. */
export const PROTOCOL = '1.0'

/** Heartbeat of a worker, every half second and when its places change: `hb.w.<node>`. */
export interface WorkerState {
  v: string
  role: 'worker'
  node: string
  /** Drawn at each start of the node. */
  start: string
  /** Counts the heartbeats of this start, so that an older one is recognized. */
  beat: number
  /** Version of the program. */
  build: string
  /** Fronts of other pools send it no calls. */
  pool: string
  /** `repo:<name>` for each registered repository of its machine. */
  labels: readonly string[]
  /** Runs at once, and runs that may wait here for one of them. */
  places: number
  line: number
  running: number
  waiting: number
  isDraining: boolean
  /** Number of the last call that the worker received from each front. */
  seen: Readonly<Record<string, number>>
  /** Last change of the catalog that the worker has. */
  catalog: number
  /** Backend of its sandboxes; with `, strict` if weaker isolation is rejected. */
  isolation?: string
  /** Key to which fronts seal secrets, X25519 in base64url. Drawn at each start. */
  sealKey?: string
  /** True in the last heartbeat of a start. */
  isLeaving?: boolean
}

/** Heartbeat of a front: `hb.f.<node>`. */
export interface FrontState {
  v: string
  role: 'front'
  node: string
  start: string
  beat: number
  build: string
  /** Calls that wait for a place. */
  waiting: number
  /** Calls that workers perform for it. */
  running: number
  isDraining: boolean
  isLeaving?: boolean
}

export type NodeState = WorkerState | FrontState

/** Time between two heartbeats. */
export const HEARTBEAT_MS = 500
