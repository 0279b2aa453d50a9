import { Readable } from 'node:stream'
import type { Config } from '../../core/config/config.ts'
import type { MethodPerformer } from '../../core/methods/method.ts'
import type { DetachedStarter } from '../../core/runs/detached/detached-request.ts'
import type { Stores } from '../../core/services.ts'
import type { ServedNode } from '../../server/served-node.ts'
import type { Engine } from '../engine/engine.ts'
import type { CatalogOptions } from '../catalog/open-catalog.ts'
import { encodeMessage } from '../messages/encoding.ts'
import type { UseCounter } from '../../server/quotas/use-counter.ts'
import type { RateLimiter } from '../../server/auth/rate-limiter.ts'
import { openFrontJobs } from '../jobs/open-front-jobs.ts'
import { MAX_MESSAGE_BYTES, type CallAnswer } from '../messages/call-messages.ts'
import type { NodeIdentity } from '../node/identity.ts'
import { openNodeStores, type NodeStores } from '../node/open-stores.ts'
import { refuseSameName } from '../node/refuse-same-name.ts'
import { SessionForwarding } from '../forward/session-forwarding.ts'
import { CallInbox } from './call-inbox.ts'
import { FleetCaller } from './fleet-caller.ts'
import { FleetQueue } from './fleet-queue.ts'
import { ENGINE_PATIENCE_MS } from '../node/silence.ts'
import { FrontMetrics } from './front-metrics.ts'
import { FrontPresence } from './front-presence.ts'
import { Workers } from './workers.ts'
import type { Objects } from '../objects/objects.ts'
import { findForeignRun } from './find-foreign-run.ts'
import { resolveAnswer } from './resolve-answer.ts'
import type { WatchServices } from './watch-run.ts'
import type { WorkerView } from './worker-view.ts'
import { resolveLimits } from '../../server/limits.ts'
import { openFleetLimits } from '../limits/open-limits.ts'
import type { RunHolder } from '../records/run-begun.ts'
import { createKeeperJobs } from '../keeper/keeper-jobs.ts'
import { startKeeper, type Keeper } from '../keeper/keeper.ts'
import type { OnJobProblem } from '../keeper/run-jobs.ts'

export interface FrontOptions
  extends Pick<CatalogOptions, 'onProblem'>, Pick<FrontKeeperOptions, 'onKeeperProblem'> {
  engine: Engine
  identity: NodeIdentity
  config: Config
  build: string
  hasSeveralCallers: boolean
  /** Called with a setting that weakens the fleet. */
  onWarning?: (message: string) => void
}

/** A front: it performs calls on workers, and reads what they stored. */
export interface Front {
  readonly stores: NodeStores['stores'] & Pick<Stores, 'describeFleet'>
  /** Options of the server of this front. */
  readonly serving: {
    perform: MethodPerformer
    runQueue: FleetQueue
    rateLimiter: RateLimiter
    useCounter: UseCounter
    node: ServedNode
  }
  /** Starts detached runs on workers. */
  readonly startDetached: DetachedStarter
  /** Describes the workers that may get calls of this front. */
  describeWorkers(): WorkersOffer
  /** Resolves when an operator asks this node to stop. */
  readonly drained: Promise<void>
  /** Called when skills of the catalog changed. */
  onSkillsChanged(handle: () => void): () => void
  /** Tells other nodes that this one takes no more calls. */
  drain(): void
  close(): Promise<void>
}

const LOGS_MS = 2000
const PATIENCE = { enginePatienceMs: ENGINE_PATIENCE_MS }

export async function openFront(options: FrontOptions): Promise<Front> {
  const { engine, identity, config, build, onProblem } = options
  const workers = await hearWorkers(options)
  const node = await openNodeStores({
    engine,
    identity,
    config,
    hasCall: () => false,
    isAlive: ({ node: name, start }) => workers.isThere(name, start),
    readActiveLogs: async (run, { node: name }, offset) =>
      await followLogs(engine, { node: name, run, offset }),
    ...(onProblem && { onProblem }),
  })
  const inbox = new CallInbox(engine, identity.name)
  const { ends, objects, catalog } = node
  const services = { engine, identity, workers, inbox, ends, objects, catalog, ...PATIENCE }
  const limits = await openFrontLimits(engine, workers, {
    front: identity.name,
    config,
    hasSeveralCallers: options.hasSeveralCallers,
  })
  const { runQueue, rateLimiter, useCounter } = limits
  const metrics = new FrontMetrics({ engine, node: identity.name, workers, runQueue })
  const caller = new FleetCaller({ ...services, onEvent: (event) => metrics.note(event) })
  const presence = new FrontPresence({ engine, identity, build, runQueue })
  const isDraining = () => presence.isDraining
  const jobs = await openFrontJobs({ ...services, config, onWarning: options.onWarning })
  const sessions = new SessionForwarding(services)
  const keeper = startFrontKeeper(options, (name, start) => workers.isThere(name, start))
  return {
    stores: { ...node.stores, describeFleet: async () => await presence.describeFleet() },
    serving: {
      perform: caller.perform,
      runQueue,
      rateLimiter,
      useCounter,
      node: createServedNode({ ...services, sessions, metrics, isDraining }),
    },
    startDetached: jobs.start,
    describeWorkers: () => describeWorkers(workers.usable),
    drained: presence.drained,
    onSkillsChanged: (handle) => catalog.onChange(handle),
    drain: () => presence.drain(),
    async close() {
      presence.stop()
      jobs.stop()
      await keeper.stop()
      await limits.close()
      workers.stop()
      inbox.stop()
      sessions.stop()
      await node.close()
      await engine.close()
    },
  }
}

/** Hears workers while other nodes may answer that they have the name of this one. */
async function hearWorkers({ engine, identity, config }: FrontOptions): Promise<Workers> {
  const { pool } = config.worker
  const workers = new Workers(engine, identity.name, { pool })
  try {
    await refuseSameName(engine, 'front', identity)
    return workers
  } catch (error) {
    workers.stop()
    throw error
  }
}

/** Reads the logs so far from the worker that performs a run, in messages. */
async function followLogs(
  engine: Engine,
  { node, run, offset }: { node: string; run: string; offset: number },
): Promise<Readable | undefined> {
  const read = async (from: number) => {
    const body = encodeMessage({ op: 'logs', run, offset: from })
    return await engine.request(`w.${node}.ctl`, body, LOGS_MS)
  }
  const first = await read(offset).catch(() => undefined)
  if (!first) return undefined
  return Readable.from(
    (async function* () {
      let at = offset
      for (let part = first; part.length > 0; part = await read(at)) {
        yield Buffer.from(part)
        at += part.length
        if (part.length < MAX_MESSAGE_BYTES) return
      }
    })(),
  )
}

interface ServedNodeOptions extends Omit<WatchServices, 'readAnswer'> {
  objects: Objects
  metrics: FrontMetrics
  isDraining: () => boolean
  identity: NodeIdentity
  sessions: Pick<ServedNode, 'forward' | 'receive' | 'finish'>
}

/** Describes a front to its server. */
function createServedNode(options: ServedNodeOptions): ServedNode {
  const { engine, objects, metrics, isDraining, identity, sessions } = options
  const readAnswer = async (answer: CallAnswer) => await resolveAnswer(objects, answer)
  return {
    name: identity.name,
    forward: async (request) => await sessions.forward(request),
    receive: (serve) => sessions.receive(serve),
    finish: async (timeoutMs) => await sessions.finish(timeoutMs),
    findProblem() {
      if (isDraining()) return 'the node drains'
      return engine.health.awayMs === 0 ? undefined : 'the engine of the fleet does not answer'
    },
    renderMetrics: async () => await metrics.render(),
    findRun: async (id) => await findForeignRun({ ...options, readAnswer }, id),
  }
}

/** Capacity of the workers of a front. */
interface WorkersOffer {
  count: number
  /** Runs at once. */
  places: number
  /** Their backends, joined; null if none is known. */
  isolation: string | null
}

function describeWorkers(views: readonly Pick<WorkerView, 'state'>[]): WorkersOffer {
  const states = views.map(({ state }) => state)
  const known = states.flatMap(({ isolation }) => (isolation === undefined ? [] : [isolation]))
  const backends = [...new Set(known)].sort()
  return {
    count: states.length,
    places: states.reduce((sum, { places }) => sum + places, 0),
    isolation: backends.length === 0 ? null : backends.join(' or '),
  }
}

/** Limits of callers, which all fronts share. */
interface FrontLimits {
  runQueue: FleetQueue
  rateLimiter: RateLimiter
  useCounter: UseCounter
  close(): Promise<void>
}

async function openFrontLimits(
  engine: Engine,
  workers: Workers,
  options: { front: string; config: Config; hasSeveralCallers: boolean },
): Promise<FrontLimits> {
  const { front, config, hasSeveralCallers } = options
  const { waiting, callsPerSecond } = resolveLimits(config, hasSeveralCallers)
  const perCaller = config.serve.runsPerCaller
  const limits = await openFleetLimits(engine, { front, callsPerSecond })
  const { rateLimiter, useCounter, clock } = limits
  const shared = { engine, clock, front }
  const runQueue = new FleetQueue({ waiting, perCaller, hasSeveralCallers, shared })
  workers.onChange(() => runQueue.setCapacity(workers.capacity))
  return {
    runQueue,
    rateLimiter,
    useCounter,
    async close() {
      await runQueue.stop()
      await limits.close()
    },
  }
}

interface FrontKeeperOptions {
  engine: Engine
  identity: NodeIdentity
  config: Config
  /** Called with each failure of a job. */
  onKeeperProblem?: OnJobProblem
}

/** Starts the keeper of a front, which knows from heartbeats which workers are gone. */
function startFrontKeeper(
  { engine, identity, config, onKeeperProblem = () => {} }: FrontKeeperOptions,
  isThere: (node: string, start: string) => boolean | undefined,
): Keeper {
  const isOwn = ({ node, start }: RunHolder) => node === identity.name && start === identity.start
  // The front is not one of the workers, and may have runs of its own.
  const isAlive = (holder: RunHolder) => isOwn(holder) || isThere(holder.node, holder.start)
  return startKeeper(engine, {
    identity,
    createJobs: () => createKeeperJobs({ identity, config, isAlive }),
    onProblem: onKeeperProblem,
  })
}
