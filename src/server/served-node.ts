import type { RunEvent } from '../core/runs/run-call.ts'

/** A run that a machine of the fleet performs for another front. */
export interface ForeignRun {
  /** The caller that started it; undefined for the local user of another machine. */
  owner: { name: string; principal: string } | undefined
  /** Reports the events so far and new ones, and the end. The returned function ends it. */
  follow(listener: ForeignRunListener): () => void
}

export interface ForeignRunListener {
  /** `lost`: upper bound of the events before this one that are not available any more. */
  onEvent(event: RunEvent, lost: number): void
  onEnd(status: string): void
}

/** The node of a fleet that a server is. */
export interface ServedNode {
  /** Why this node can perform no calls now; undefined if it can. */
  findProblem(): string | undefined
  /** Renders the metrics of the node in Prometheus text format. */
  renderMetrics(): Promise<string>
  /** Finds a run that began elsewhere; undefined if no machine performs it. */
  findRun(id: string): Promise<ForeignRun | undefined>
}
