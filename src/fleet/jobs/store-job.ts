import type { Engine } from '../engine/engine.ts'
import { MAX_MESSAGE_BYTES } from '../messages/call-messages.ts'
import { isObjectRef } from '../objects/chunks.ts'
import type { ObjectRef, Objects } from '../objects/objects.ts'
import type { JobKey } from './job-key.ts'
import { parseQueuedFence, type JobCall, type QueuedFence, type StoredJob } from './queued-job.ts'

export interface JobCodec {
  tenant: string
  objects: Objects
  /** Undefined in a fleet without a key: calls are stored as they are. */
  key: JobKey | undefined
}

type JobName = Pick<QueuedFence, 'run_id' | 'digest'>

/** A job that this node cannot read: it has another key, or none. */
export class JobKeyError extends Error {
  override name = 'JobKeyError'
}

/** Encrypts the call of a run. A call that is too large for a message is stored as an object. */
export async function encodeJob(
  { tenant, objects, key }: JobCodec,
  name: JobName,
  call: JobCall,
): Promise<StoredJob> {
  const text = Buffer.from(JSON.stringify(call))
  const { bytes, cipher } = key
    ? key.seal(text, describeContext(tenant, name))
    : { bytes: text, cipher: null }
  if (bytes.length <= MAX_MESSAGE_BYTES)
    return { cipher, body: { inline: bytes.toString('base64') } }
  return { cipher, body: { object: await objects.write(bytes) } }
}

/** Reads the call of a run. Throws `JobKeyError` if this node does not have its key. */
export async function decodeJob(
  { tenant, objects, key }: JobCodec,
  fence: QueuedFence,
): Promise<JobCall> {
  const { cipher, body } = fence.job
  const bytes =
    'inline' in body ? Buffer.from(body.inline, 'base64') : await objects.readAll(body.object)
  if (!cipher) return JSON.parse(bytes.toString()) as JobCall
  if (!key) throw new JobKeyError('It is encrypted, and this node has no fleet.key')
  if (key.id !== cipher.key) throw new JobKeyError('It was encrypted with another fleet.key')
  return JSON.parse(key.open(bytes, cipher, describeContext(tenant, fence)).toString()) as JobCall
}

/** Lists the uploads that queued runs name. A sweep of the stream `data` must not remove them. */
export async function listJobUploads(engine: Engine): Promise<Set<string>> {
  const uploads = new Set<string>()
  for await (const { body } of engine.list('calls', 'c.*.0')) {
    const object = findJobObject(parseQueuedFence(body))
    if (object) uploads.add(object.upload)
  }
  return uploads
}

function findJobObject(fence: QueuedFence | undefined): ObjectRef | undefined {
  const { object } = (fence?.job.body ?? {}) as { object?: unknown }
  return isObjectRef(object) ? object : undefined
}

function describeContext(tenant: string, { run_id: id, digest }: JobName): string {
  return `${tenant} ${id} ${digest}`
}
