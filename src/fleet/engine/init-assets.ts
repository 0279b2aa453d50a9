import { SkillsError } from '../../errors.ts'
import { compareSemver } from '../../util/semver.ts'
import { listAssets, nameStream, type Lifetimes, type StreamAsset } from './assets.ts'
import { readAssetsState, requireSameVersion, storeAssetsVersion } from './assets-version.ts'
import type { NatsEngine } from './open-engine.ts'
import {
  createStream,
  initConsumer,
  listDifferences,
  listSettings,
  readSettings,
} from './stream-settings.ts'

/** Older servers lose acknowledged messages of replicated streams when processes are killed. */
const MIN_REPLICATED_VERSION = '2.10.23'

export interface InitOptions {
  lifetimes: Lifetimes
  /** Number of servers that store each message. */
  replicas: number
  /** Maximum of queued and running jobs. */
  maxJobs?: number
  /** Time after which a job whose worker gives no sign is delivered again. */
  ackWaitMs?: number
}

/** A stream, and its change by `skills fleet init`. */
export interface InitializedStream {
  name: string
  state: 'created' | 'updated' | 'unchanged'
}

/**
 * Creates the streams of a tenant, or changes their lifetimes. Removes nothing. Refuses streams of another
 * version, before it changes anything.
 */
export async function initAssets(
  engine: NatsEngine,
  { lifetimes, replicas, maxJobs, ackWaitMs }: InitOptions,
): Promise<InitializedStream[]> {
  if (replicas > 1 && compareSemver(engine.version, MIN_REPLICATED_VERSION) < 0) {
    throw new SkillsError(
      'config/invalid',
      `nats-server ${engine.version} can lose acknowledged messages of replicated streams`,
      { hint: `Update it to ${MIN_REPLICATED_VERSION} or newer, or type --replicas 1` },
    )
  }
  const state = await readAssetsState(engine)
  requireSameVersion(state)
  const done: InitializedStream[] = []
  for (const asset of listAssets(lifetimes, maxJobs)) {
    done.push(await initStream(engine, asset, replicas))
    if (asset.keeps === 'queue') await initConsumer(engine, asset, ackWaitMs)
  }
  if (state.version === 0) await storeAssetsVersion(engine, state)
  return done
}

async function initStream(
  engine: NatsEngine,
  asset: StreamAsset,
  replicas: number,
): Promise<InitializedStream> {
  const { tenant } = engine
  const name = nameStream(tenant, asset.name)
  const found = await readSettings(engine, asset)
  if (!found) {
    await createStream(engine, asset, replicas)
    return { name, state: 'created' }
  }
  const wanted = listSettings(tenant, asset, replicas)
  if (listDifferences(found, wanted).length === 0) return { name, state: 'unchanged' }
  await engine.manage(async ({ streams }) => await streams.update(name, wanted))
  return { name, state: 'updated' }
}
