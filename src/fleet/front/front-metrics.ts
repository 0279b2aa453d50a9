import { makeMetrics, type Metrics } from '../../server/telemetry/metrics.ts'
import type { Engine } from '../engine/engine.ts'
import type { FleetQueue } from './fleet-queue.ts'
import type { FrontEvent } from './front-event.ts'
import type { Workers } from './workers.ts'

const HOWS = ['chance', 'home', 'any'] as const
const REASONS = ['full', 'draining', 'version', 'unheard'] as const
const CAUSES = ['gone', 'forgotten'] as const

interface FrontMetricSources {
  engine: Engine
  node: string
  workers: Workers
  runQueue: FleetQueue
}

/** Counts what happens to the calls of a front, and renders the metrics of its fleet. */
export class FrontMetrics {
  #metrics: Metrics
  #node: string

  constructor(sources: FrontMetricSources) {
    this.#node = sources.node
    this.#metrics = makeMetrics({
      counters: COUNTERS,
      histograms: {},
      gauges: defineGauges(sources),
    })
    // A rate over a series that appears with its first event misses that event.
    for (const how of HOWS) this.#count('placements', { how }, 0)
    for (const why of REASONS) this.#count('busy', { why }, 0)
    for (const cause of CAUSES) this.#count('interrupted', { cause }, 0)
    for (const name of ['revoked', 'attached', 'read_from_record'] as const)
      this.#count(name, {}, 0)
  }

  note(event: FrontEvent): void {
    if (event.t === 'placed') this.#count('placements', { how: event.how })
    else if (event.t === 'busy') this.#count('busy', { why: toKnownReason(event.why) })
    else if (event.t === 'interrupted') this.#count('interrupted', { cause: event.cause })
    else this.#count(event.t === 'read' ? 'read_from_record' : event.t, {})
  }

  async render(): Promise<string> {
    return await this.#metrics.render()
  }

  #count(name: CounterName, labels: Readonly<Record<string, string>>, amount = 1): void {
    const all = { node: this.#node, ...labels }
    this.#metrics.count(`skills_fleet_${name}_total`, all, amount)
  }
}

const COUNTERS = {
  skills_fleet_placements_total: 'Calls that were sent to a worker, by how it was chosen.',
  skills_fleet_busy_total: 'Calls that a worker refused, by reason.',
  skills_fleet_revoked_total: 'Attempts that were given up before they began.',
  skills_fleet_interrupted_total: 'Runs that were given up, by the state of their worker.',
  skills_fleet_attached_total: 'Calls that wait for a run that began before.',
  skills_fleet_read_from_record_total: 'Ends that were read from the record, not from a message.',
} as const

type CounterName =
  | 'placements'
  | 'busy'
  | 'revoked'
  | 'interrupted'
  | 'attached'
  | 'read_from_record'

function defineGauges({ engine, node, workers, runQueue }: FrontMetricSources) {
  const labels = { node }
  const countFree = () =>
    workers.usable
      .map((view) => Math.min(view.countFree(node), view.state.places))
      .reduce((sum, free) => sum + Math.max(0, free), 0)
  const { health } = engine
  return {
    skills_fleet_places: {
      help: 'Runs at once of these workers.',
      labels,
      read: () => workers.usable.reduce((sum, { state }) => sum + state.places, 0),
    },
    skills_fleet_free: {
      help: 'Calls that these workers accept now, at most one for each place.',
      labels,
      read: countFree,
    },
    skills_fleet_line: {
      help: 'Calls that wait at this front for a place.',
      labels,
      read: () => runQueue.waiting,
    },
    skills_fleet_workers: {
      help: 'Workers that this front may send calls to.',
      labels,
      read: () => workers.usable.length,
    },
    skills_fleet_engine_away_seconds: {
      help: 'Time since the start of this front in which the engine did not answer.',
      labels,
      read: () => health.totalAwayMs / 1000,
    },
    skills_fleet_engine_rtt_seconds: {
      help: 'Last time that the engine took to answer.',
      labels,
      read: () => health.roundTripMs / 1000,
    },
  }
}

/** Workers of other versions may send other reasons. */
function toKnownReason(why: string): string {
  return REASONS.some((each) => each === why) ? why : 'other'
}
