import { availableParallelism } from 'node:os'
import { METHODS } from '../../core/methods/index.ts'
import type { LoadedConfig } from '../../core/config/load-config.ts'
import type { PolicySource } from '../../core/policy/policy.ts'
import type { RuntimeOptions } from '../../core/open-services.ts'
import { detectIsolation } from '../../core/sandbox/detect-isolation.ts'
import { createRuntime, type Runtime } from '../../core/runtime.ts'
import { endAllSessions } from '../../core/workspaces/sessions/end-sessions.ts'
import { allowsFastPaths } from '../../core/config/fast-paths.ts'
import { keepWarm } from '../../server/runs/keep-warm.ts'
import { openFleetPolicy } from '../access/fleet-policy.ts'
import { SecretOpener } from '../access/seal-secrets.ts'
import type { Engine } from '../engine/engine.ts'
import { openWorkerJobs } from '../jobs/open-worker-jobs.ts'
import { MAX_MESSAGE_BYTES } from '../messages/call-messages.ts'
import type { NodeIdentity } from '../node/identity.ts'
import { openNodeStores, type NodeStores } from '../node/open-stores.ts'
import { refuseSameName } from '../node/refuse-same-name.ts'
import { SessionHomes } from '../workspaces/session-homes.ts'
import { performCall } from './perform-call.ts'
import { Worker } from './worker.ts'

/**
 * Two runs wait here, so that a place is not free for the time of a message. Detached runs leave one
 * place to callers that wait.
 */
const QUEUE = { line: 2, reserve: 1 }

export interface OpenWorkerOptions {
  engine: Engine
  identity: NodeIdentity
  origins: LoadedConfig
  policy: PolicySource
  build: string
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  /** Runs get their declared network only if this worker and the front allow it. */
  allowNetwork: boolean
  onProblem: (message: string, reason: string) => void
}

export interface RunningWorker {
  readonly runtime: Runtime
  /** Concurrent runs. */
  readonly places: number
  /** Resolves when another node asked this one to stop. */
  readonly drained: Promise<void>
  /**
   * Accepts no more calls, lets runs finish for `graceMs`, then cancels the rest. Interactive commands
   * may continue for `fleet.drain_sessions`; then the files of each session go to another worker.
   */
  stop(graceMs: number): Promise<void>
}

/** Starts to perform calls of the fleet. */
export async function openWorker(options: OpenWorkerOptions): Promise<RunningWorker> {
  const { engine, identity, origins, policy, env, cwd, allowNetwork, onProblem } = options
  const places = origins.config.run.maxConcurrent ?? 2 * availableParallelism()
  const config = adaptConfig(origins.config, places)
  await refuseSameName(engine, 'worker', identity)
  let worker: Worker | undefined
  const node = await openStores(options, config, (run) => worker?.hasCall(run) === true)
  const fleetPolicy = await openFleetPolicy(engine)
  const stores = { ...node.stores, policy: fleetPolicy.restrict(policy) }
  const runtime = createWorkerRuntime({ config, origins, stores, fastPaths: allowsFastPaths(env) })
  await runtime.policy()
  const stopRefreshing = node.catalog.onChange(() => void runtime.repository.refresh())
  const methods = new Map(METHODS.map((method) => [method.name, method]))
  const homes = new SessionHomes({ engine, identity, services: runtime })
  const opener = new SecretOpener()
  const { ends, objects, catalog } = node
  const parts = { runtime, methods, identity, opener, objects, homes }
  const services = { ...parts, env, cwd, allowNetwork }
  const isolation = await detectIsolation(runtime, env)
  await keepWarm({ runtime, env, cwd })
  const labels = runtime.repositories.names().map((name) => `repo:${name}`)
  let setDrained = () => {}
  const drained = new Promise<void>((resolve) => (setDrained = resolve))
  worker = new Worker({
    ...QUEUE,
    pool: config.worker.pool,
    places,
    labels,
    engine,
    identity,
    build: options.build,
    ends,
    catalog,
    enterHome: async (home) => await homes.enter(home),
    perform: async (message, accepted) => await performCall(services, message, accepted),
    readActiveLogs: async (run, offset) => await readLogs(runtime, run, offset),
    isolation,
    sealKey: opener.publicKey,
    onDrained: setDrained,
  })
  const jobServices = { engine, identity, ends, objects, worker, config, labels, onProblem }
  const jobs = await openWorkerJobs(jobServices)
  return {
    runtime,
    places,
    drained,
    async stop(graceMs) {
      jobs.stop()
      await Promise.all([worker?.finish(graceMs), homes.drain(config.fleet.drainSessionsMs)])
      homes.stop()
      stopRefreshing()
      await endAllSessions(runtime)
      await runtime.sandboxes.stop()
      worker?.stop()
      fleetPolicy.close()
      await node.close()
      await engine.close()
    },
  }
}

async function openStores(
  { engine, identity, onProblem }: OpenWorkerOptions,
  config: LoadedConfig['config'],
  hasCall: (run: string) => boolean,
): Promise<NodeStores> {
  return await openNodeStores({
    engine,
    identity,
    config,
    hasCall,
    isAlive: () => undefined,
    readActiveLogs: async () => undefined,
    onProblem: ({ name, version, reason }) =>
      onProblem(`The skill ${name}@${version} of the fleet is not used`, reason),
  })
}

function createWorkerRuntime(
  options: Pick<RuntimeOptions, 'config' | 'origins' | 'stores' | 'fastPaths'>,
): Runtime {
  return createRuntime({
    ...options,
    tracking: 'pinned',
    runsInOtherProcesses: false,
    detachObstacle: 'A front of the fleet detaches runs, and not a worker: leave out "detach"',
  })
}

/** Fronts hold the calls that wait, so that the worker's own queue is short. */
function adaptConfig(config: LoadedConfig['config'], places: number): LoadedConfig['config'] {
  return { ...config, run: { ...config.run, maxConcurrent: places } }
}

/** A part of the logs of a run that is active here, as one message. */
async function readLogs(
  runtime: Runtime,
  run: string,
  offset: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of await (await runtime.runs()).logs(run, offset)) {
      chunks.push(chunk as Buffer)
      size += (chunk as Buffer).length
      if (size >= MAX_MESSAGE_BYTES) break
    }
  } catch {
    return undefined
  }
  return Buffer.concat(chunks).subarray(0, MAX_MESSAGE_BYTES)
}
