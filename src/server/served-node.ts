import type { StreamedEvent } from '../core/runs/run-call.ts'
import type { Caller } from './auth/caller.ts'

/** A run that a machine of the fleet performs for another front. */
export interface ForeignRun {
  /** The caller that started it; undefined for the local user of another machine. */
  owner: { name: string; principal: string } | undefined
  /** Reports the events so far and new ones, and the end. The returned function ends it. */
  follow(listener: ForeignRunListener): () => void
}

export interface ForeignRunListener {
  /** `lost`: upper bound of the events before this one that are not available any more. */
  onEvent(event: StreamedEvent, lost: number): void
  onEnd(status: string): void
}

/** A request of an MCP session, whose caller was authenticated. */
export interface ForwardedSessionRequest {
  request: Request
  /** Parsed body of a POST request. */
  body: unknown
  caller: Caller
}

/** The node of a fleet that a server is. */
export interface ServedNode {
  /** Its name, with which the ids of its MCP sessions begin. */
  readonly name: string
  /**
   * Forwards the request of an MCP session to the node where it began. Undefined if it began here, or that
   * node is not there.
   */
  forward(request: ForwardedSessionRequest): Promise<Response | undefined>
  /** Sets the function that serves the requests of other nodes for sessions that began here. */
  receive(serve: (request: ForwardedSessionRequest) => Promise<Response>): void
  /** Resolves when no call of another node is served here, or after the time. */
  finish(timeoutMs: number): Promise<void>
  /** Why this node can perform no calls now; undefined if it can. */
  findProblem(): string | undefined
  /** Renders the metrics of the node in Prometheus text format. */
  renderMetrics(): Promise<string>
  /** Finds a run that began elsewhere; undefined if no machine performs it. */
  findRun(id: string): Promise<ForeignRun | undefined>
}
