import type { FleetReport } from '../../core/fleet-report.ts'
import { listAssets } from '../engine/assets.ts'
import type { Engine } from '../engine/engine.ts'
import { takeInTime } from '../engine/take-in-time.ts'
import type { NodeRoster } from './node-roster.ts'

const NO_LIFETIMES = { runsMs: 0, blobsMs: 0, outputsMs: 0 }
/** An engine that takes longer does not answer: people wait for the report. */
const MEASURE_MS = 2000

/** Describes the fleet as one of its nodes sees it. */
export async function describeFleet(
  engine: Engine,
  { node, roster }: { node: string; roster: NodeRoster },
): Promise<FleetReport> {
  const { version, tenant, health } = engine
  const isAnswering = health.awayMs === 0
  const streams = isAnswering
    ? await takeInTime(measureStreams(engine), MEASURE_MS).catch(() => undefined)
    : undefined
  return {
    node,
    tenant,
    engine: { version, answering: isAnswering, streams: streams ?? null },
    nodes: roster.list(),
  }
}

async function measureStreams(engine: Engine) {
  return await Promise.all(
    listAssets(NO_LIFETIMES).map(async ({ name }) => {
      const { messages, bytes } = await engine.measure(name)
      return { name, messages, bytes }
    }),
  )
}
