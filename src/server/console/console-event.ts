import type { ReloadPartName } from '../reload/reloader.ts'

/** A change of the state of a run. */
export interface RunChange {
  run_id: string
  /** The state of a run is `ended` at its end, with its status. */
  state: string
  status?: string
  method?: string
  skill?: string
  caller: string
  /** Time of the change, as ISO 8601. */
  at: string
}

/** Data of the events of `/console/events`, by their name. */
export interface ConsoleEventData {
  /** The first event: runs that have not ended, and the scopes of the caller. */
  hello: { runs: RunChange[]; scopes: readonly string[] }
  run: RunChange
  /** Skills were added, changed or removed. */
  skills: object
  /** A part of the server was loaded again, or its change was refused. */
  reload: { part: ReloadPartName; result: 'loaded' | 'refused' }
  /** The last event: the reason why the stream ends. */
  end: { reason: ConsoleStreamEnd }
}

/** `slow`: the reader was too slow. `token`: its token is no longer accepted. `stopped`: of the server. */
export type ConsoleStreamEnd = 'slow' | 'token' | 'stopped'
