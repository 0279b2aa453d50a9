import { isDeepStrictEqual } from 'node:util'
import { SkillsError } from '../../errors.ts'
import { compareSemver } from '../../util/semver.ts'
import {
  ASSETS_VERSION,
  QUEUE_CONSUMER,
  READ_DIRECTLY,
  listAssets,
  nameStream,
  type Lifetimes,
  type StreamAsset,
} from './assets.ts'
import type { NatsEngine } from './open-engine.ts'
import { isStreamMissing } from './read-stream.ts'

/** Older servers lose acknowledged messages of replicated streams when processes are killed. */
const MIN_REPLICATED_VERSION = '2.10.23'

const VERSION_KEY = 'k.fleet.assets'

export interface InitOptions {
  lifetimes: Lifetimes
  /** Number of servers that store each message. */
  replicas: number
  /** Maximum of queued and running jobs. */
  maxJobs?: number
  /** Time after which a job whose worker gives no sign is delivered again. */
  ackWaitMs?: number
}

const DEFAULT_ACK_WAIT_MS = 30_000
/** Pulls of all workers together. */
const MAX_PULLS = 10_000

/** A stream, and its change by `skills fleet init`. */
export interface InitializedStream {
  name: string
  state: 'created' | 'updated' | 'unchanged'
}

/** Creates the streams of a tenant, or changes their lifetimes. Removes nothing. */
export async function initAssets(
  engine: NatsEngine,
  { lifetimes, replicas, maxJobs, ackWaitMs = DEFAULT_ACK_WAIT_MS }: InitOptions,
): Promise<InitializedStream[]> {
  if (replicas > 1 && compareSemver(engine.version, MIN_REPLICATED_VERSION) < 0) {
    throw new SkillsError(
      'config/invalid',
      `nats-server ${engine.version} can lose acknowledged messages of replicated streams`,
      { hint: `Update it to ${MIN_REPLICATED_VERSION} or newer, or type --replicas 1` },
    )
  }
  const assets = listAssets(lifetimes, maxJobs)
  const done: InitializedStream[] = []
  // The stream with the version is first: nothing of a newer fleet is changed.
  for (const asset of assets.filter(({ name }) => name === 'state')) {
    done.push(await initStream(engine, asset, replicas))
  }
  const current = await engine.last('state', VERSION_KEY)
  const version = current ? readVersion(current.body) : 0
  if (version > ASSETS_VERSION) throw newerAssetsError(version)
  for (const asset of assets.filter(({ name }) => name !== 'state')) {
    done.push(await initStream(engine, asset, replicas))
    if (asset.keeps === 'queue') await initConsumer(engine, asset, ackWaitMs)
  }
  if (version < ASSETS_VERSION) {
    const body = JSON.stringify({ assets: ASSETS_VERSION })
    await engine.replace('state', VERSION_KEY, { body, seq: current?.seq ?? 0 })
  }
  return done
}

/** Checks that the streams exist, in a version that this program knows. */
export async function checkAssets(engine: NatsEngine): Promise<void> {
  const current = await engine.last('state', VERSION_KEY)
  const version = current ? readVersion(current.body) : 0
  if (version > ASSETS_VERSION) throw newerAssetsError(version)
  if (version === ASSETS_VERSION) return
  if (version > 0) throw olderAssetsError(version)
  throw new SkillsError('fleet/unavailable', 'The streams of this fleet are not initialized', {
    hint: 'Type "skills fleet init --fleet <url>"',
  })
}

async function initStream(
  { client, connection, tenant }: NatsEngine,
  asset: StreamAsset,
  replicas: number,
): Promise<InitializedStream> {
  const name = nameStream(tenant, asset.name)
  const { streams } = await client.jetstreamManager(connection)
  const wanted = {
    subjects: asset.subjects.map((subject) => `sk.${tenant}.${subject}`),
    max_age: asset.maxAgeMs * 1e6,
    num_replicas: replicas,
    allow_direct: READ_DIRECTLY.has(asset.name),
    ...(asset.maxMessages !== undefined && { max_msgs: asset.maxMessages }),
  }
  const found = await streams.info(name).catch((error: unknown) => {
    if (isStreamMissing(client, error)) return undefined
    throw error
  })
  if (found) {
    const isSame = isDeepStrictEqual(wanted, pickKeys(found.config, Object.keys(wanted)))
    if (!isSame) await streams.update(name, wanted)
    return { name, state: isSame ? 'unchanged' : 'updated' }
  }
  const isQueue = asset.keeps === 'queue'
  const keepsOne = asset.keeps === 'one' || isQueue
  await streams.add({
    ...wanted,
    name,
    storage: client.StorageType.File,
    retention: isQueue ? client.RetentionPolicy.Workqueue : client.RetentionPolicy.Limits,
    discard: asset.keeps === 'newest' ? client.DiscardPolicy.Old : client.DiscardPolicy.New,
    max_msgs_per_subject: asset.keeps === 'all' ? -1 : 1,
    // Besides the condition of each write: no second message of a subject is stored at all.
    ...(keepsOne && { discard_new_per_subject: true }),
    ...(asset.isPermanent && { deny_delete: true, deny_purge: true }),
  })
  return { name, state: 'created' }
}

/** Creates the consumer of a queue. Pulls limit the deliveries, and a job is delivered until it has an end. */
async function initConsumer(
  { client, connection, tenant }: NatsEngine,
  { name }: StreamAsset,
  ackWaitMs: number,
): Promise<void> {
  const { consumers } = await client.jetstreamManager(connection)
  await consumers.add(nameStream(tenant, name), {
    durable_name: QUEUE_CONSUMER,
    ack_policy: client.AckPolicy.Explicit,
    ack_wait: ackWaitMs * 1e6,
    max_deliver: -1,
    max_ack_pending: -1,
    max_waiting: MAX_PULLS,
  })
}

function pickKeys(value: object, keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => keys.includes(key)))
}

function readVersion(body: Uint8Array): number {
  const { assets } = JSON.parse(Buffer.from(body).toString()) as { assets?: unknown }
  return typeof assets === 'number' ? assets : 0
}

function olderAssetsError(version: number): SkillsError {
  return new SkillsError(
    'fleet/unavailable',
    `The streams of this fleet have version ${version}; this program needs ${ASSETS_VERSION}`,
    { hint: 'Type "skills fleet init --fleet <url>"' },
  )
}

function newerAssetsError(version: number): SkillsError {
  return new SkillsError(
    'fleet/unavailable',
    `The streams of this fleet have version ${version}; this program knows ${ASSETS_VERSION}`,
    { hint: 'Update this program' },
  )
}
