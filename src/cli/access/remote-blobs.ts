import { Readable } from 'node:stream'
import { ConnectionError, ProtocolError } from '../../client/index.ts'
import { saveBlobs } from '../../core/runs/protocol/save-blobs.ts'
import { SkillsError } from '../../errors.ts'
import type { BlobAccess, ShownBlob } from './access.ts'
import type { Remote } from './remote.ts'
import { shown, storeRemote } from './store-remote.ts'

/** The blobs of a remote runtime. */
export function remoteBlobs(remote: Remote): BlobAccess {
  const { client, ask, signal } = remote
  const options = { signal }
  const remoteSource = {
    info: async (id: string) => await info(remote, id),
    read: async (id: string) => await read(remote, id),
  }
  return {
    ...remoteSource,
    put: async (source, kind) => await storeRemote(remote, source, kind),
    // The protocol cannot look for ids, so only whole ones will do.
    find: async (word) => (word.startsWith('blob:') ? word : `blob:${word}`),
    async whole(id) {
      const asked = client.readBlob({ blob_id: id, mode: 'full' }, options)
      const { content, encoding } = await ask(asked)
      return { content, ...(encoding && { encoding }) }
    },
    save: async (ids, place) => await saveBlobs(remoteSource, ids, { ...place, signal }),
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
