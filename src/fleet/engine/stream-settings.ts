import { isDeepStrictEqual } from 'node:util'
import { nameStream, QUEUE_CONSUMER, READ_DIRECTLY, type StreamAsset } from './assets.ts'
import type { NatsEngine } from './open-engine.ts'
import { isStreamMissing } from './read-stream.ts'

/** Pulls of all workers together. */
const MAX_PULLS = 10_000
const DEFAULT_ACK_WAIT_MS = 30_000

/** Settings of a stream that can be changed while it has messages. */
export interface StreamSettings {
  subjects: string[]
  allow_direct: boolean
  max_age: number
  num_replicas: number
  max_msgs?: number
}

/** Settings of a stream that follow from its version and from the configuration. */
export function listSettings(tenant: string, asset: StreamAsset, replicas: number): StreamSettings {
  return {
    subjects: asset.subjects.map((subject) => `sk.${tenant}.${subject}`),
    allow_direct: READ_DIRECTLY.has(asset.name),
    max_age: asset.maxAgeMs * 1e6,
    num_replicas: replicas,
    ...(asset.maxMessages !== undefined && { max_msgs: asset.maxMessages }),
  }
}

/** Reads the settings of a stream; undefined if it does not exist. */
export async function readSettings(engine: NatsEngine, { name }: Pick<StreamAsset, 'name'>) {
  try {
    const stream = nameStream(engine.tenant, name)
    return (await engine.manage(async ({ streams }) => await streams.info(stream))).config
  } catch (error) {
    if (isStreamMissing(engine.client, error)) return undefined
    throw error
  }
}

/** Names of the settings that differ from those of the stream. */
export function listDifferences(found: object, wanted: object): string[] {
  const current = found as Readonly<Record<string, unknown>>
  return Object.entries(wanted)
    .filter(([key, value]) => !isDeepStrictEqual(current[key], value))
    .map(([key]) => key)
}

/** Creates a stream. What is chosen here cannot be changed later. */
export async function createStream(
  engine: NatsEngine,
  asset: StreamAsset,
  replicas: number,
): Promise<void> {
  const { client, tenant } = engine
  const isQueue = asset.keeps === 'queue'
  const keepsOne = asset.keeps === 'one' || isQueue
  const settings = {
    ...listSettings(tenant, asset, replicas),
    name: nameStream(tenant, asset.name),
    storage: client.StorageType.File,
    retention: isQueue ? client.RetentionPolicy.Workqueue : client.RetentionPolicy.Limits,
    discard: asset.keeps === 'newest' ? client.DiscardPolicy.Old : client.DiscardPolicy.New,
    max_msgs_per_subject: asset.keeps === 'all' ? -1 : 1,
    // Besides the condition of each write: no second message of a subject is stored at all.
    ...(keepsOne && { discard_new_per_subject: true }),
    ...(asset.isPermanent && { deny_delete: true, deny_purge: true }),
  }
  await engine.manage(async ({ streams }) => await streams.add(settings))
}

/** Creates the consumer of a queue. Pulls limit the deliveries, and a job is delivered until it has an end. */
export async function initConsumer(
  engine: NatsEngine,
  { name }: StreamAsset,
  ackWaitMs: number = DEFAULT_ACK_WAIT_MS,
): Promise<void> {
  const settings = {
    durable_name: QUEUE_CONSUMER,
    ack_policy: engine.client.AckPolicy.Explicit,
    ack_wait: ackWaitMs * 1e6,
    max_deliver: -1,
    max_ack_pending: -1,
    max_waiting: MAX_PULLS,
  }
  const stream = nameStream(engine.tenant, name)
  await engine.manage(async ({ consumers }) => await consumers.add(stream, settings))
}
