import { SkillsError } from '../../../errors.ts'
import { measureLatency } from '../../../fleet/bench/measure-latency.ts'
import { measureThroughput } from '../../../fleet/bench/measure-throughput.ts'
import { openBench, type OpenBench } from '../../../fleet/bench/open-bench.ts'
import { readSettings } from '../../../fleet/engine/stream-settings.ts'
import { parseDurationOption } from '../../../util/quantity.ts'
import { getTextOption, type CommandLine } from '../../command.ts'
import type { Context } from '../../context.ts'
import { explainEngineError, requireJetStream } from '../engine-problems.ts'
import { useFleetEngine, type OpenFleet } from '../open-fleet.ts'
import { untilAborted } from '../until-aborted.ts'
import { printBench, type BenchResult } from './print-bench.ts'

const MIN_TIME_MS = 1000
const MAX_TIME_MS = 60_000

/** `skills fleet bench`. */
export async function benchFleet(context: Context, call: CommandLine): Promise<number> {
  const timeMs = readTime(call)
  const address = await useFleetEngine(context, call, async (fleet) => await readAddress(fleet))
  const bench = await openBench(address)
  let isRemoved = false
  let result: BenchResult
  try {
    result = await untilAborted(context.signal, measure(context, bench, timeMs))
  } catch (thrown) {
    throw explainEngineError({ engine: bench.engine, servers: address.servers }, thrown)
  } finally {
    isRemoved = await bench.close()
    if (!isRemoved) noteLeftStreams(context, bench)
  }
  if (context.global.json) context.document('skills.fleet-bench/v1', { ...result, isRemoved })
  else printBench(context, result)
  return isRemoved ? 0 : 1
}

/** Finds the engine, and how many servers store the messages of the fleet. */
async function readAddress(fleet: OpenFleet) {
  await requireJetStream(fleet)
  const { engine, config, servers } = fleet
  const replicas = (await readSettings(engine, { name: 'state' }))?.num_replicas ?? 1
  return { servers, seedFile: config.fleet.seed, caFile: config.fleet.ca, replicas }
}

async function measure(context: Context, bench: OpenBench, timeMs: number): Promise<BenchResult> {
  const { signal } = context
  const { engine } = bench
  await bench.prepare()
  await bench.workers.resize(1)
  await bench.front.waitForWorkers(1, signal)
  context.note('Measuring the latency')
  const latency = await measureLatency(bench.front, { timeMs, signal })
  context.note('Measuring the throughput')
  const throughput = await measureThroughput(bench, { timeMs, signal })
  return { engine: { version: engine.version }, time_ms: timeMs, latency, throughput }
}

function noteLeftStreams(context: Context, { tenant }: OpenBench): void {
  context.note(`The streams SKILLS_${tenant}_… could not be removed: remove them from the engine`)
}

function readTime(call: CommandLine): number {
  const text = getTextOption(call, 'time') ?? ''
  const ms = parseDurationOption(text)
  if (ms !== undefined && ms >= MIN_TIME_MS && ms <= MAX_TIME_MS) return ms
  throw new SkillsError(
    'usage/invalid',
    `Expected a duration from 1s to 60s for --time, got "${text}"`,
    { hint: 'Write it as --time 5s' },
  )
}
