import type { WorkerView } from './worker-view.ts'

/** Capacity of the workers of a front. */
export interface WorkersOffer {
  count: number
  /** Runs at once. */
  places: number
  /** Their backends, joined; null if none is known. */
  isolation: string | null
}

export function describeWorkers(views: readonly Pick<WorkerView, 'state'>[]): WorkersOffer {
  const states = views.map(({ state }) => state)
  const known = states.flatMap(({ isolation }) => (isolation === undefined ? [] : [isolation]))
  const backends = [...new Set(known)].sort()
  return {
    count: states.length,
    places: states.reduce((sum, { places }) => sum + places, 0),
    isolation: backends.length === 0 ? null : backends.join(' or '),
  }
}
