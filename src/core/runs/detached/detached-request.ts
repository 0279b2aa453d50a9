import type { RunCall } from '../run-call.ts'
import type { DetachedKind } from './detached-run.ts'

/** Something to run without its caller. */
export interface DetachedRequest {
  kind: DetachedKind
  params: unknown
  /** True if a skill of the run declares secrets, so that its arguments may be confidential. */
  hasSecrets: boolean
  /** Audits a refusal before the process of the run starts, which audits all others. */
  auditRefusal(thrown: unknown): Promise<void>
}

/** A run that goes on, or the result of one that ended before it was accepted. */
export type DetachedAnswer = { runId: string } | { result: unknown }

/** Starts a run that continues without its call. */
export type DetachedStarter = (request: DetachedRequest, call: RunCall) => Promise<DetachedAnswer>
