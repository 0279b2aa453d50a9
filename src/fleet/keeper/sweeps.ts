import { resolveStoreLimits } from '../../core/storage/store-limits.ts'
import { join } from 'node:path'
import type { Config } from '../../core/config/config.ts'
import {
  MAX_SESSIONS,
  SESSION_TTL_MS,
  type SessionListing,
} from '../../core/skill-context/session-store.ts'
import { openFleetBlobStore } from '../blobs/fleet-blob-store.ts'
import { sweepCatalogUploads } from '../catalog/sweep-catalog-uploads.ts'
import type { Engine } from '../engine/engine.ts'
import { markJobRemoved } from '../jobs/mark-job-removed.ts'
import { openObjects } from '../objects/open-objects.ts'
import { sweepDataUploads } from '../objects/sweep-uploads.ts'
import { openFleetOutputStore } from '../outputs/fleet-output-store.ts'
import { openFleetRunStore } from '../records/fleet-run-store.ts'
import type { FleetRunStoreOptions } from '../records/run-context.ts'
import { openFleetSessionStore } from '../sessions/fleet-session-store.ts'
import { sweepSnapshots } from '../workspaces/sweep-snapshots.ts'
import { checkEngineClock } from './engine-clock.ts'

export interface SweepContext {
  engine: Engine
  config: Pick<Config, 'store' | 'directories' | 'workspace'>
  /** False if the start of a node is gone for certain. Without it, runs without an end are kept. */
  isAlive?: FleetRunStoreOptions['isAlive']
  /** Only counts what would be removed. */
  dryRun: boolean
}

/** The counts of one sweep; in a dry run, of the objects that would be removed. */
export interface SweepResult {
  removed: number
  /** 0 if the sizes are not known. */
  bytesFreed: number
}

export interface Sweep {
  name: 'runs' | 'outputs' | 'blobs' | 'sessions' | 'snapshots' | 'uploads' | 'archives'
  /** For messages. */
  title: string
  run(context: SweepContext): Promise<SweepResult>
}

/** All sweeps of a fleet, in the order in which they run: entries before the chunks that they name. */
export const SWEEPS: readonly Sweep[] = [
  { name: 'runs', title: 'Removing expired runs', run: sweepRuns },
  { name: 'outputs', title: 'Removing expired outputs', run: sweepOutputs },
  { name: 'sessions', title: 'Removing expired sessions', run: sweepSessions },
  { name: 'snapshots', title: 'Removing expired snapshots', run: sweepWorkspaces },
  { name: 'uploads', title: 'Removing abandoned uploads', run: sweepAbandoned(sweepDataUploads) },
  { name: 'blobs', title: 'Removing expired blobs', run: sweepBlobs },
  {
    name: 'archives',
    title: 'Removing abandoned archives of skills',
    run: sweepAbandoned(sweepCatalogUploads),
  },
]

/** Runs a sweep, unless the clocks of this machine and of the engine differ. */
export async function runSweep(sweep: Sweep, context: SweepContext): Promise<SweepResult> {
  await checkEngineClock(context.engine)
  return await sweep.run(context)
}

async function sweepRuns({ engine, config, isAlive, dryRun }: SweepContext): Promise<SweepResult> {
  const outputs = openFleetOutputStore(engine, { limits: resolveStoreLimits(config).outputs })
  const runs = openFleetRunStore(engine, {
    // It writes no runs, so that no run belongs to it.
    holder: { node: 'keeper', start: '' },
    objects: openObjects(engine, 'data'),
    limits: resolveStoreLimits(config).runs,
    isAlive,
    async onRemoved(id) {
      await outputs.remove(id)
      await markJobRemoved(engine, id)
    },
  })
  const { removed, bytesFreed } = await runs.expire({ dryRun })
  return { removed, bytesFreed }
}

async function sweepOutputs({ engine, config, dryRun }: SweepContext): Promise<SweepResult> {
  const outputs = openFleetOutputStore(engine, { limits: resolveStoreLimits(config).outputs })
  const { removed, bytesFreed } = await outputs.sweep({ dryRun })
  return { removed, bytesFreed }
}

async function sweepBlobs({ engine, config, dryRun }: SweepContext): Promise<SweepResult> {
  const cacheDir = join(config.directories.cache, 'fleet-blobs')
  const blobs = openFleetBlobStore(engine, { limits: resolveStoreLimits(config).blobs, cacheDir })
  // It also removes abandoned uploads, which another sweep counts.
  const { expired, bytesFreed } = await blobs.collect({ dryRun })
  return { removed: expired.length, bytesFreed }
}

async function sweepSessions({ engine, dryRun }: SweepContext): Promise<SweepResult> {
  const sessions = openFleetSessionStore(engine)
  const before = await sessions.list()
  if (dryRun) return { removed: countExpired(before), bytesFreed: 0 }
  await sessions.sweep()
  const left = new Set((await sessions.list()).map(({ key }) => key))
  return { removed: before.filter(({ key }) => !left.has(key)).length, bytesFreed: 0 }
}

async function sweepWorkspaces({
  engine,
  config,
  isAlive,
  dryRun,
}: SweepContext): Promise<SweepResult> {
  const { ttlMs } = config.store
  const { packs, bytes } = await sweepSnapshots(engine, { ttlMs, isAlive, dryRun })
  return { removed: packs, bytesFreed: bytes }
}

function countExpired(sessions: readonly SessionListing[]): number {
  const oldest = Date.now() - SESSION_TTL_MS
  const expired = sessions.filter(({ changedAt }) => changedAt < oldest).length
  return Math.max(expired, sessions.length - MAX_SESSIONS)
}

function sweepAbandoned(
  sweep: (engine: Engine, options: { dryRun: boolean }) => Promise<readonly string[]>,
): Sweep['run'] {
  return async ({ engine, dryRun }) => {
    const uploads = await sweep(engine, { dryRun })
    return { removed: uploads.length, bytesFreed: 0 }
  }
}
