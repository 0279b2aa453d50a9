import { cancelledError } from '../../errors.ts'
import type { HomeRef } from '../messages/call-messages.ts'
import type { NodeIdentity } from '../node/identity.ts'
import type { Home } from '../workspaces/home-record.ts'
import { engineSilentError, noWorkerError } from './errors.ts'
import { fillVacancy, findHome, type HomeServices } from './homes.ts'
import type { CallPlace } from '../messages/method-places.ts'
import type { WorkerView } from './worker-view.ts'

export interface PlacingServices extends HomeServices {
  identity: NodeIdentity
  enginePatienceMs: number
}

/** Place of a call that a worker performs. */
export type SentPlace = Exclude<CallPlace, { where: 'front' }>

/** Requirements of a call, and the workers that it has tried. */
export interface WantedPlace {
  needsPlace: boolean
  excluded: Set<string>
  signal: AbortSignal | undefined
}

/** Time that a call waits for a first worker, for example while all are restarted. */
const NO_WORKER_MS = 3000
/** Heartbeats arrive more often; a lost one delays a waiting call by at most this time. */
const RECHECK_MS = 200

/** Finds the worker of each call. */
export class CallPlacer {
  #options: PlacingServices

  constructor(options: PlacingServices) {
    this.#options = options
  }

  /** Waits until a worker has a place for a call: the home of its session, or any other one. */
  async place(
    place: SentPlace,
    wanted: WantedPlace,
  ): Promise<{ view: WorkerView; home: HomeRef | undefined }> {
    if (place.where === 'worker') {
      const fits = ({ state }: WorkerView) =>
        place.labels.every((label) => state.labels.includes(label))
      return { view: await this.#waitForWorker(wanted, fits), home: undefined }
    }
    const { key } = place
    for (;;) {
      const home = await this.#enterHome(place, wanted.signal)
      const view = await this.#waitForHome(home, wanted)
      // Otherwise the home may be another one now.
      if (view) return { view, home: { key, generation: home.generation } }
    }
  }

  /** Notes that a worker refused a call, and waits before its session is tried again. */
  async avoid(
    view: WorkerView,
    { excluded, signal }: WantedPlace,
    { isUnheard }: { isUnheard: boolean },
  ): Promise<void> {
    this.#options.workers.avoid(view, isUnheard)
    // With another worker to try, the call does not wait.
    if (excluded.has(view.state.node)) await this.#waitForChange(signal)
    excluded.add(view.state.node)
  }

  /** Waits until a worker has a place. Throws if there is no worker at all. */
  async #waitForWorker(
    { needsPlace, excluded, signal }: WantedPlace,
    fits: (view: WorkerView) => boolean,
  ): Promise<WorkerView> {
    const { workers, engine, enginePatienceMs } = this.#options
    const since = performance.now()
    for (;;) {
      if (signal?.aborted) throw cancelledError()
      const isFit = (each: WorkerView) =>
        workers.isLive(each) && !each.state.isDraining && fits(each)
      const chosen = workers.choose(excluded, fits)
      const view = needsPlace ? chosen : (chosen ?? workers.own.find(isFit))
      if (view) return view
      const isEmpty = !workers.own.some(isFit)
      if (isEmpty && engine.health.isSteady && performance.now() - since > NO_WORKER_MS)
        throw noWorkerError()
      if (engine.health.awayMs > enginePatienceMs) throw engineSilentError()
      await this.#waitForChange(signal)
      // Another try may be worthwhile now.
      excluded.clear()
    }
  }

  /** Returns the worker of a session if it has a place now, and otherwise waits a moment. */
  async #waitForHome(
    { node, start }: Home,
    { needsPlace, signal }: WantedPlace,
  ): Promise<WorkerView | undefined> {
    if (signal?.aborted) throw cancelledError()
    const { workers, identity, engine, enginePatienceMs } = this.#options
    if (engine.health.awayMs > enginePatienceMs) throw engineSilentError()
    const view = workers.find(node)
    const isThere = view?.state.start === start && workers.isLive(view)
    if (view && isThere && (!needsPlace || view.countPlaces(identity.name) > 0)) return view
    await this.#waitForChange(signal)
    return undefined
  }

  async #waitForChange(signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer)
        stop()
        signal?.removeEventListener('abort', finish)
        resolve()
      }
      const timer = setTimeout(finish, RECHECK_MS)
      const stop = this.#options.workers.onChange(finish)
      signal?.addEventListener('abort', finish, { once: true })
    })
  }

  /** Returns the home of a session, which gets one if it has none. */
  async #enterHome(
    { key, needsProcess }: { key: string; needsProcess: boolean },
    signal: AbortSignal | undefined,
  ): Promise<Home> {
    for (;;) {
      const found = await findHome(this.#options, { key, needsProcess })
      if ('home' in found) return found.home
      const wanted = { needsPlace: false, excluded: new Set<string>(), signal }
      const view = await this.#waitForWorker(wanted, () => true)
      const { node: name, start } = view.state
      const { vacancy } = found
      await fillVacancy(this.#options.engine, key, { worker: { name, start }, vacancy })
    }
  }
}
