import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ConnectionError, ProtocolError } from '../../client/index.ts'
import { makePlace, type Place } from '../../core/runs/protocol/save-blobs.ts'
import { SkillsError } from '../../errors.ts'
import { endingOf } from '../../util/mime.ts'
import type { BlobAccess, ShownBlob } from './access.ts'
import type { Remote } from './remote.ts'
import { shown, storeRemote } from './store-remote.ts'

/** The blobs of a remote runtime. */
export function remoteBlobs(remote: Remote): BlobAccess {
  const { client, ask, signal } = remote
  const options = { signal }
  return {
    put: async (source, kind) => await storeRemote(remote, source, kind),
    // The protocol cannot look for ids, so only whole ones will do.
    find: async (word) => (word.startsWith('blob:') ? word : `blob:${word}`),
    info: async (id) => await info(remote, id),
    read: async (id) => await read(remote, id),
    async whole(id) {
      const asked = client.readBlob({ blob_id: id, mode: 'full' }, options)
      const { content, encoding } = await ask(asked)
      return { content, ...(encoding && { encoding }) }
    },
    async save(ids, place) {
      const saved: string[] = []
      await makePlace(place)
      for (const id of ids) saved.push(await saveOne(remote, id, place))
      return saved
    },
  }
}

async function info({ client, ask, signal }: Remote, id: string): Promise<ShownBlob> {
  try {
    return shown(await client.blobFacts(id, { signal }))
  } catch (thrown) {
    if (!mayLackRoute(thrown)) return await ask(Promise.reject(thrown as Error))
  }
  const sample = await ask(client.readBlob({ blob_id: id }, { signal }))
  const size = sample.size_bytes ?? Buffer.byteLength(sample.content)
  return shown({ blob_id: id, kind: sample.kind, size_bytes: size, digest: undefined })
}

/** Streamed where the runtime can, else whole. */
async function read({ client, ask, signal }: Remote, id: string): Promise<Readable> {
  try {
    const { stream } = await client.downloadBlob(id, { signal })
    return Readable.fromWeb(stream)
  } catch (thrown) {
    if (!mayLackRoute(thrown)) return await ask(Promise.reject(thrown as Error))
  }
  const asked = client.readBlob({ blob_id: id, mode: 'full' }, { signal })
  const { content, encoding, truncated } = await ask(asked)
  if (!truncated) return Readable.from([Buffer.from(content, encoding ?? 'utf8')])
  throw new SkillsError('blob/too-large', 'The runtime gives only a part of this blob', {
    data: { blob_id: id },
  })
}

/** Streaming is beside the protocol: a runtime without it does not know the path. */
function mayLackRoute(thrown: unknown): boolean {
  if (thrown instanceof ProtocolError) return thrown.httpStatus === 404
  const isOther = thrown instanceof ConnectionError && thrown.problem === 'not-a-runtime'
  return isOther && [404, 405, 501].includes(thrown.httpStatus ?? 0)
}

async function saveOne(remote: Remote, id: string, { cwd, dir }: Place): Promise<string> {
  const { kind } = await info(remote, id)
  // An id from elsewhere is no path of this machine.
  const name = id.replace(/^blob:/, '').replaceAll(/[^\w-]/g, '_') + endingOf(kind)
  const path = resolve(cwd, dir, name)
  const target = createWriteStream(path, { flags: 'wx' })
  let isOurs = false
  target.once('open', () => (isOurs = true))
  try {
    await pipeline(await read(remote, id), target, { signal: remote.signal })
  } catch (cause) {
    if (isOurs) await rm(path, { force: true })
    if (cause instanceof SkillsError || remote.signal.aborted) throw cause
    throw new SkillsError('store/unavailable', `Cannot save the blob "${id}" in "${dir}"`, {
      hint: 'Name another folder with --out',
      cause,
    })
  }
  return join(dir, name)
}
