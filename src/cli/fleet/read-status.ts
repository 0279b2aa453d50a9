import { SkillsError } from '../../errors.ts'
import { listAssets } from '../../fleet/engine/assets.ts'
import { checkAssets } from '../../fleet/engine/assets-version.ts'
import type { NodeState } from '../../fleet/messages/node-state.ts'
import type { Context } from '../context.ts'
import { hearNodes } from './hear-nodes.ts'
import { readLifetimes } from './lifetimes.ts'
import { countPlaces } from './node-record.ts'
import type { OpenFleet } from './open-fleet.ts'

/** The fleet as in JSON. */
export interface FleetStatus {
  engine: { servers: string; version: string; connected: boolean }
  tenant: string
  /** Empty if they do not exist. */
  streams: readonly { name: string; messages: number; bytes: number }[]
  workers: { total: number; draining: number }
  fronts: { total: number; draining: number }
  /** Senders whose heartbeats are not valid, or of another version. */
  unreadable: number
  /** Places of workers that accept calls. */
  places: { total: number; free: number }
  /** Calls that wait at fronts and workers. */
  waiting: number
  /** Why the fleet cannot perform calls. */
  problem: { message: string; hint: string | null } | null
}

/** Listens to the nodes, and measures the streams. */
export async function readStatus(context: Context, fleet: OpenFleet): Promise<FleetStatus> {
  const { engine, servers } = fleet
  const [{ nodes, unreadable }, { streams, problem }] = await Promise.all([
    hearNodes(engine, context.signal),
    readStreams(fleet),
  ])
  return {
    engine: { servers, version: engine.version, connected: engine.health.isAnswering },
    tenant: engine.tenant,
    streams,
    workers: countNodes(nodes, 'worker'),
    fronts: countNodes(nodes, 'front'),
    unreadable,
    places: countPlaces(nodes),
    waiting: nodes.reduce((sum, { waiting }) => sum + waiting, 0),
    problem: problem ?? findWorkerProblem(nodes, servers),
  }
}

/** Sizes of the streams, or the reason why nodes refuse them. */
async function readStreams({
  engine,
  config,
}: OpenFleet): Promise<Pick<FleetStatus, 'streams' | 'problem'>> {
  const streams: { name: string; messages: number; bytes: number }[] = []
  try {
    await checkAssets(engine)
    for (const { name } of listAssets(readLifetimes(config))) {
      const { messages, bytes } = await engine.measure(name)
      streams.push({ name, messages, bytes })
    }
    return { streams, problem: null }
  } catch (thrown) {
    // An engine that went away is not a state of the fleet.
    if (!(thrown instanceof SkillsError) || !engine.health.isAnswering) throw thrown
    return { streams, problem: { message: thrown.message, hint: thrown.hint ?? null } }
  }
}

function countNodes(nodes: readonly NodeState[], role: NodeState['role']) {
  const ofRole = nodes.filter((node) => node.role === role)
  const draining = ofRole.filter(({ isDraining }) => isDraining).length
  return { total: ofRole.length, draining }
}

function findWorkerProblem(nodes: readonly NodeState[], servers: string): FleetStatus['problem'] {
  const workers = nodes.filter(({ role }) => role === 'worker')
  if (workers.some(({ isDraining }) => !isDraining)) return null
  const message = workers.length === 0 ? 'No worker was heard' : 'All workers are draining'
  return { message, hint: `Start one: skills worker --fleet ${servers}` }
}
