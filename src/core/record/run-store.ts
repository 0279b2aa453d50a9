import type { PlainObject } from '../manifest/manifest.ts'

export type RunState = 'running' | 'completed' | 'failed' | 'cancelled' | 'lost'

/** What every run leaves, whatever door it came through. */
export interface RunRecord {
  id: string
  kind: 'execute_skill' | 'run_code'
  state: RunState
  /** Who asked: `cli`, a token's name, an MCP client. */
  requester: string
  skill: { name: string; version: string; digest: string } | undefined
  mounted: readonly { name: string; version: string; digest: string }[]
  language: string
  /** Digests instead of contents. */
  request: { argsDigest: string; codeDigest: string | undefined; inputBlobs: readonly string[] }
  /** Allow or deny with reasons; granted network entries and names of secrets. */
  decision: PlainObject
  /** The isolation that was really applied. */
  isolation: PlainObject | undefined
  limits: PlainObject
  startedAt: string
  endedAt: string | undefined
  durationMs: number | undefined
  exitCode: number | null
  signal: string | null
  error: { type: string; message: string } | undefined
  summary: string | undefined
  usage: PlainObject | undefined
  outputBlobs: readonly string[]
  sizes: { stdout: number; stderr: number; output: number } | undefined
  hashes: { stdout: string; stderr: string; output: string } | undefined
  /** Attempts to reach the network, each with decision and reason. */
  egress: readonly PlainObject[]
}

/** One piece of what a run said. */
export interface LogLine {
  at: number
  stream: 'stdout' | 'stderr' | 'log'
  level?: 'debug' | 'info' | 'warning' | 'error'
  text: string
}

/** A run in progress, being recorded. */
export interface RunRecording {
  /** Appends to the run's log; what exceeds the configured size is counted, not kept. */
  log(line: LogLine): void
  /** Durable before it resolves. */
  finish(record: RunRecord): Promise<void>
}

/** Records of all runs. Several processes may use one store at once. */
export interface RunStore {
  /** Durable before it resolves, so that a crash leaves a record in state `running`. */
  begin(record: RunRecord): Promise<RunRecording>
  /** Throws `run/not-found`. A record whose process died is reported as `lost`. */
  get(id: string): Promise<RunRecord>
  /** Newest first. */
  list(): AsyncIterable<RunRecord>
  logs(id: string): AsyncIterable<LogLine>
  remove(id: string): Promise<boolean>
  /** Removes expired records and what is over quota. */
  collect(): Promise<{ removed: number; bytes: number }>
}
