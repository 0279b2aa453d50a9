import type { EngineStream } from './engine.ts'

/** Version of the streams. A node refuses those of another version. */
export const ASSETS_VERSION = 2

const DAY_MS = 86_400_000

/** How a stream of a tenant keeps its messages. */
export interface StreamAsset {
  name: EngineStream
  /** Subjects, without the prefix of the tenant. */
  subjects: readonly string[]
  /**
   * `one`: a subject has one message, which a later one cannot replace. `newest`: a later one replaces it.
   * `all`: a subject has many. `queue`: as `one`, until a worker has acknowledged it.
   */
  keeps: 'one' | 'newest' | 'all' | 'queue'
  /** Milliseconds after which a message is removed; 0 if never. */
  maxAgeMs: number
  /** True if messages can be removed only by age. */
  isPermanent: boolean
  /** Maximum of messages, beyond which new ones are refused. */
  maxMessages?: number
}

/** Lifetimes that the operator configures. */
export interface Lifetimes {
  runsMs: number
  blobsMs: number
  outputsMs: number
}

/** Chunks are stored before the entry that names them, and must not expire before it. */
export const ENTRY_MARGIN_MS = 3_600_000

/** Consumer of a queue, which all workers share. */
export const QUEUE_CONSUMER = 'workers'

const JOBS_AGE_MS = 7 * DAY_MS
/** Maximum of queued and running jobs of a tenant. */
const DEFAULT_MAX_JOBS = 10_000

/** Streams of one tenant. */
export function listAssets(
  { runsMs, blobsMs, outputsMs }: Lifetimes,
  maxJobs: number = DEFAULT_MAX_JOBS,
): readonly StreamAsset[] {
  const dataMs = Math.max(runsMs, blobsMs, outputsMs, DAY_MS) + ENTRY_MARGIN_MS
  return [
    // c.<call>.<attempt>: fences of calls; c.<call>.cancel, c.<call>.removed: marks of detached runs.
    { name: 'calls', subjects: ['c.>'], keeps: 'one', maxAgeMs: runsMs, isPermanent: false },
    // r.<run>.begun, r.<run>.end: records of runs.
    { name: 'runs', subjects: ['r.>'], keeps: 'one', maxAgeMs: runsMs, isPermanent: false },
    // d.<upload>.<n>: chunks, also of long logs; b.<blob>, u.<output>: entries that name them.
    {
      name: 'data',
      subjects: ['d.>', 'b.>', 'u.>'],
      keeps: 'one',
      maxAgeMs: dataMs,
      isPermanent: false,
    },
    // j.<caller>.<call>: detached runs that have not ended.
    {
      name: 'jobs',
      subjects: ['j.>'],
      keeps: 'queue',
      maxAgeMs: JOBS_AGE_MS,
      isPermanent: false,
      maxMessages: maxJobs,
    },
    // p.<workspace>.<digest>: packs of snapshots; q.<workspace>.<digest>: their marks, for sweeps.
    {
      name: 'workspaces',
      subjects: ['p.>', 'q.>'],
      keeps: 'one',
      maxAgeMs: 0,
      isPermanent: false,
    },
    // s.<digest>.<n>: chunks of the archives of skills.
    { name: 'skills', subjects: ['s.>'], keeps: 'one', maxAgeMs: 0, isPermanent: false },
    // k.<table>.<key>: values that change, such as sessions and grants.
    { name: 'state', subjects: ['k.>'], keeps: 'newest', maxAgeMs: 0, isPermanent: false },
    // ac.tokens.<name>, ac.policy.current: nodes cannot remove them.
    { name: 'access', subjects: ['ac.>'], keeps: 'newest', maxAgeMs: 0, isPermanent: true },
    // au.<node>.<start>: one chain of audit records for each start of a node.
    { name: 'audit', subjects: ['au.>'], keeps: 'all', maxAgeMs: 0, isPermanent: true },
  ]
}

/**
 * Streams whose messages any server may return: they never change, and one that a server does not have yet
 * is read from the leader.
 */
export const READ_DIRECTLY: ReadonlySet<EngineStream> = new Set(['data', 'workspaces', 'skills'])

/** Name of a stream in the engine, whose names are shared by all tenants. */
export function nameStream(tenant: string, stream: EngineStream): string {
  return `SKILLS_${tenant}_${stream}`
}
