import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { BlobFacts } from '../client/blobs.ts'
import { SkillsError } from '../errors.ts'
import { isText } from '../util/mime.ts'
import type { BlobPort, BlobSummary } from './handle.ts'
import { isConnectionError, isProtocolError, type RemoteContext } from './remote-context.ts'

/** What goes by create_blob, which every runtime has; more than this is streamed. */
const MAX_INLINE_BYTES = 256 * 1024

/** The blobs of a remote runtime. */
export function createRemoteBlobs(remote: RemoteContext): BlobPort {
  return {
    put: async (source, kind) => await putRemoteBlob(remote, source, kind),
    info: async (id) => await fetchBlobInfo(remote, id),
    read: async (id) => await readRemoteBlob(remote, id),
  }
}

async function fetchBlobInfo(
  { client, explainErrors: ask, signal }: RemoteContext,
  id: string,
): Promise<BlobSummary> {
  try {
    return summarizeRemote(await client.blobFacts(id, { signal }))
  } catch (thrown) {
    if (!mayLackRoute(thrown)) return await ask(Promise.reject(thrown as Error))
  }
  const sample = await ask(client.readBlob({ blob_id: id }, { signal }))
  const size = sample.size_bytes ?? Buffer.byteLength(sample.content)
  return summarizeRemote({ blob_id: id, kind: sample.kind, size_bytes: size, digest: undefined })
}

/** Streamed where the runtime can, else whole. */
async function readRemoteBlob(
  { client, explainErrors: ask, signal }: RemoteContext,
  id: string,
): Promise<Readable> {
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
  if (isProtocolError(thrown)) return thrown.httpStatus === 404
  const isOther = isConnectionError(thrown) && thrown.problem === 'not-a-runtime'
  return isOther && [404, 405, 501].includes(thrown.httpStatus ?? 0)
}

/** Stores what comes in a remote runtime, and makes sure that it is what arrived. */
// eslint-disable-next-line max-params -- where to, what, and of which type
async function putRemoteBlob(
  { client, explainErrors: ask, signal }: RemoteContext,
  source: AsyncIterable<Uint8Array>,
  kind: string,
): Promise<BlobSummary> {
  const passed = measureStream(source)
  const { start, isWhole } = await readStart(passed)
  if (isWhole && isText(start)) {
    const params = { content: start.toString('utf8'), kind }
    const { blob_id: id } = await ask(client.createBlob(params, { signal }))
    return summarizeRemote({ blob_id: id, kind, ...passed.facts() })
  }
  const content = isWhole ? start : rejoin(start, passed)
  const stored = await ask(client.uploadBlob(content, { kind, signal }))
  const sent = passed.facts()
  if (stored.size_bytes === sent.size_bytes && (stored.digest ?? sent.digest) === sent.digest) {
    return summarizeRemote({ ...stored, digest: sent.digest })
  }
  throw new SkillsError('remote/broken', 'The runtime stored something else than was sent', {
    hint: 'Send it again',
    data: { sent, stored },
  })
}

interface MeasuredStream {
  next(): Promise<Uint8Array | undefined>
  /** Of all that has passed so far. */
  facts(): { size_bytes: number; digest: string }
}

function measureStream(source: AsyncIterable<Uint8Array>): MeasuredStream {
  const pieces = source[Symbol.asyncIterator]()
  const hash = createHash('sha256')
  let size = 0
  return {
    async next() {
      const { done, value } = await pieces.next()
      if (done === true) return undefined
      hash.update(value)
      size += value.length
      return value
    },
    facts: () => ({ size_bytes: size, digest: `sha256:${hash.copy().digest('hex')}` }),
  }
}

/** Enough to know whether it is small. */
async function readStart(passing: MeasuredStream): Promise<{ start: Buffer; isWhole: boolean }> {
  const pieces: Uint8Array[] = []
  let size = 0
  for (;;) {
    const piece = await passing.next()
    if (!piece) return { start: Buffer.concat(pieces), isWhole: true }
    pieces.push(piece)
    size += piece.length
    if (size > MAX_INLINE_BYTES) return { start: Buffer.concat(pieces), isWhole: false }
  }
}

async function* rejoin(start: Uint8Array, rest: MeasuredStream): AsyncGenerator<Uint8Array> {
  yield start
  for (let piece = await rest.next(); piece; piece = await rest.next()) yield piece
}

/** A blob of a remote runtime, which says nothing of its age. */
function summarizeRemote({ blob_id: id, kind, size_bytes: size, digest }: BlobFacts): BlobSummary {
  return { id, kind, size, digest: digest ?? null, createdAt: null, expiresAt: null }
}
