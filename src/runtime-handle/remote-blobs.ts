import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { BlobFacts } from '../client/blobs.ts'
import { SkillsError } from '../errors.ts'
import { isText } from '../util/mime.ts'
import type { BlobPort, BlobSummary } from './handle.ts'
import { isConnectionError, isProtocolError, type RemoteContext } from './remote-context.ts'

/** Largest size sent with create_blob, which every runtime supports. Larger content is streamed. */
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
  { client, explainErrors, signal }: RemoteContext,
  id: string,
): Promise<BlobSummary> {
  try {
    return summarizeRemote(await client.blobFacts(id, { signal }))
  } catch (thrown) {
    if (!mayLackRoute(thrown)) return await explainErrors(Promise.reject(thrown as Error))
  }
  const sample = await explainErrors(client.readBlob({ blob_id: id }, { signal }))
  const size = sample.size_bytes ?? Buffer.byteLength(sample.content)
  return summarizeRemote({ blob_id: id, kind: sample.kind, size_bytes: size, digest: undefined })
}

/** Streams the blob if the runtime supports it; otherwise reads it in one piece. */
async function readRemoteBlob(
  { client, explainErrors, signal }: RemoteContext,
  id: string,
): Promise<Readable> {
  try {
    const { stream } = await client.downloadBlob(id, { signal })
    return Readable.fromWeb(stream)
  } catch (thrown) {
    if (!mayLackRoute(thrown)) return await explainErrors(Promise.reject(thrown as Error))
  }
  const request = client.readBlob({ blob_id: id, mode: 'full' }, { signal })
  const { content, encoding, truncated } = await explainErrors(request)
  if (!truncated) return Readable.from([Buffer.from(content, encoding ?? 'utf8')])
  throw new SkillsError('blob/too-large', 'The runtime returns only a part of this blob', {
    data: { blob_id: id },
  })
}

/** Streaming is an extension of the protocol; other runtimes do not know its path. */
function mayLackRoute(thrown: unknown): boolean {
  if (isProtocolError(thrown)) return thrown.httpStatus === 404
  const isOther = isConnectionError(thrown) && thrown.problem === 'not-a-runtime'
  return isOther && [404, 405, 501].includes(thrown.httpStatus ?? 0)
}

/** Stores content in a remote runtime and verifies its size and digest. */
// eslint-disable-next-line max-params -- the target, the content and its type
async function putRemoteBlob(
  { client, explainErrors, signal }: RemoteContext,
  source: AsyncIterable<Uint8Array>,
  kind: string,
): Promise<BlobSummary> {
  const measured = measureStream(source)
  const { start, isWhole } = await readStart(measured)
  if (isWhole && isText(start)) {
    const params = { content: start.toString('utf8'), kind }
    const { blob_id: id } = await explainErrors(client.createBlob(params, { signal }))
    return summarizeRemote({ blob_id: id, kind, ...measured.facts() })
  }
  const content = isWhole ? start : rejoin(start, measured)
  const stored = await explainErrors(client.uploadBlob(content, { kind, signal }))
  const sent = measured.facts()
  if (stored.size_bytes === sent.size_bytes && (stored.digest ?? sent.digest) === sent.digest) {
    return summarizeRemote({ ...stored, digest: sent.digest })
  }
  throw new SkillsError('remote/broken', 'The runtime stored different content than was sent', {
    hint: 'Send it again',
    data: { sent, stored },
  })
}

interface MeasuredStream {
  next(): Promise<Uint8Array | undefined>
  /** Size and digest of the chunks so far. */
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

/** Reads enough to know whether the content is small. */
async function readStart(input: MeasuredStream): Promise<{ start: Buffer; isWhole: boolean }> {
  const pieces: Uint8Array[] = []
  let size = 0
  for (;;) {
    const piece = await input.next()
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

/** Metadata of a remote blob; its age is unknown. */
function summarizeRemote({ blob_id: id, kind, size_bytes: size, digest }: BlobFacts): BlobSummary {
  return { id, kind, size, digest: digest ?? null, createdAt: null, expiresAt: null }
}
