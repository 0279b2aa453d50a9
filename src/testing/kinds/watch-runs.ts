import type { RunEvent } from '../../core/runs/run-call.ts'
import type { NetworkDecision } from '../../core/sandbox/egress/decision.ts'
import type { Isolation } from '../../core/sandbox/isolation.ts'

/** Events of the runs of one case. */
export interface WatchedRuns {
  onEvent: (event: RunEvent) => void
  /** The same for commands, whose output is no log. */
  onCommandEvent: (event: RunEvent) => void
  network: readonly NetworkDecision[]
  blobIds: readonly string[]
  readLogs(): string
  /** The isolation of the last run. */
  readIsolation(): Isolation | null
}

/** Collects the events of the runs of one case. */
export function watchRuns(): WatchedRuns {
  const lines: string[] = []
  const network: NetworkDecision[] = []
  const blobIds: string[] = []
  let isolation: Isolation | null = null
  const onCommandEvent = (event: RunEvent) => {
    if (event.type === 'network') network.push(event.decision)
    if (event.type === 'blob') blobIds.push(event.blob.id)
    if (event.type === 'isolated') isolation = event.isolation
  }
  const onEvent = (event: RunEvent) => {
    if (event.type === 'log') lines.push(event.text)
    else onCommandEvent(event)
  }
  return {
    network,
    blobIds,
    readLogs: () => lines.join(''),
    readIsolation: () => isolation,
    onEvent,
    onCommandEvent,
  }
}
