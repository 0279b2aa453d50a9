import { setTimeout as sleep } from 'node:timers/promises'
import type { Violation } from './check-history.ts'
import { FaultedFleet } from './faulted-fleet.ts'
import { summarize, type Summary } from './summarize.ts'

export interface RandomFaultOptions {
  minutes: number
  seed: number
  onRound?: (round: string) => void
}

export interface RandomFaultReport extends Summary {
  seed: number
  rounds: number
  faults: Record<string, number>
  violations: Violation[]
}

const WORKERS = 4
const ROUND_MS = 6000
const CALLS = 120

type Fault = (fleet: FaultedFleet, random: () => number) => Promise<void>

/** Faults, each of which begins at any time of a round. */
const FAULTS: Record<string, Fault> = {
  kill: async (fleet, random) => await fleet.kill(pickWorker(fleet, random)),
  drain: async (fleet, random) => await fleet.drain(pickWorker(fleet, random)),
  pause: async (fleet, random) => await fleet.pause(pickWorker(fleet, random), random() * 8000),
  block: async (fleet, random) => await fleet.block(pickWorker(fleet, random), random() * 8000),
  join: async (fleet, random) => await join(fleet, random() < 0.5 ? 'this' : 'next'),
  pauseEngine: async (fleet, random) => await fleet.pauseEngine(random() * 5000),
  killEngine: async (fleet, random) => await fleet.restartEngine('SIGKILL', random() * 2000),
  restartEngine: async (fleet, random) => await fleet.restartEngine('SIGTERM', random() * 2000),
}

/** Causes one or two random faults in each round, under load, and checks all histories after it. */
export async function causeRandomFaults(options: RandomFaultOptions): Promise<RandomFaultReport> {
  const random = createRandom(options.seed)
  const fleet = await FaultedFleet.start(WORKERS)
  const faults: Record<string, number> = {}
  const until = Date.now() + options.minutes * 60_000
  let violations: Violation[] = []
  let rounds = 0
  try {
    while (Date.now() < until && violations.length === 0) {
      const names = pickFaults(random)
      for (const name of names) faults[name] = (faults[name] ?? 0) + 1
      options.onRound?.(`${++rounds}: ${names.join(' and ')}`)
      const load = fleet.load({ calls: CALLS, overMs: ROUND_MS, random })
      await Promise.all([load, ...names.map(async (name) => await causeFault(fleet, name, random))])
      // A worker that was given up stores its late ends.
      await sleep(2500)
      violations = await fleet.check()
      await fleet.restoreWorkers(WORKERS)
    }
    return { seed: options.seed, rounds, faults, ...summarize(fleet.entries), violations }
  } finally {
    await fleet.close()
  }
}

/**
 * Starts a worker of this or of the next minor, again if the engine is away, as a service manager does.
 */
async function join(fleet: FaultedFleet, minor: 'this' | 'next', tries = 10): Promise<void> {
  try {
    await fleet.addWorker(4, { minor })
  } catch (error) {
    if (tries === 0) throw error
    await sleep(500)
    await join(fleet, minor, tries - 1)
  }
}

/** Two faults of one round are never both of the engine. */
function pickFaults(random: () => number): string[] {
  const names = Object.keys(FAULTS)
  const first = names[Math.floor(random() * names.length)] as string
  const others = names.filter((name) => !(name.endsWith('Engine') && first.endsWith('Engine')))
  return random() < 0.5 ? [first] : [first, others[Math.floor(random() * others.length)] as string]
}

async function causeFault(fleet: FaultedFleet, name: string, random: () => number): Promise<void> {
  await sleep(random() * ROUND_MS * 0.6)
  await FAULTS[name]?.(fleet, random)
}

function pickWorker({ workers }: FaultedFleet, random: () => number): string {
  const names = [...workers.keys()]
  return names[Math.floor(random() * names.length)] as string
}

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
