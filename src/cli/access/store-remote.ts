import { createHash } from 'node:crypto'
import type { BlobFacts } from '../../client/index.ts'
import { SkillsError } from '../../errors.ts'
import { isText } from '../../util/mime.ts'
import type { ShownBlob } from './access.ts'
import type { Remote } from './remote.ts'

/** What goes by create_blob, which every runtime has; more than this is streamed. */
const SMALL = 256 * 1024

/** Stores what comes in a remote runtime, and makes sure that it is what arrived. */
// eslint-disable-next-line max-params -- where to, what, and of which type
export async function storeRemote(
  { client, ask, signal }: Remote,
  source: AsyncIterable<Uint8Array>,
  kind: string,
): Promise<ShownBlob> {
  const passed = watchPassing(source)
  const { start, isWhole } = await takeStart(passed)
  if (isWhole && isText(start)) {
    const params = { content: start.toString('utf8'), kind }
    const { blob_id: id } = await ask(client.createBlob(params, { signal }))
    return shown({ blob_id: id, kind, ...passed.facts() })
  }
  const content = isWhole ? start : rejoin(start, passed)
  const stored = await ask(client.uploadBlob(content, { kind, signal }))
  const sent = passed.facts()
  if (stored.size_bytes === sent.size_bytes && (stored.digest ?? sent.digest) === sent.digest) {
    return shown({ ...stored, digest: sent.digest })
  }
  throw new SkillsError('remote/broken', 'The runtime stored something else than was sent', {
    hint: 'Send it again',
    data: { sent, stored },
  })
}

interface Passing {
  next(): Promise<Uint8Array | undefined>
  /** Of all that has passed so far. */
  facts(): { size_bytes: number; digest: string }
}

function watchPassing(source: AsyncIterable<Uint8Array>): Passing {
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
async function takeStart(passing: Passing): Promise<{ start: Buffer; isWhole: boolean }> {
  const pieces: Uint8Array[] = []
  let size = 0
  for (;;) {
    const piece = await passing.next()
    if (!piece) return { start: Buffer.concat(pieces), isWhole: true }
    pieces.push(piece)
    size += piece.length
    if (size > SMALL) return { start: Buffer.concat(pieces), isWhole: false }
  }
}

async function* rejoin(start: Uint8Array, rest: Passing): AsyncGenerator<Uint8Array> {
  yield start
  for (let piece = await rest.next(); piece; piece = await rest.next()) yield piece
}

/** A blob of a remote runtime, which says nothing of its age. */
export function shown({ blob_id: id, kind, size_bytes: size, digest }: BlobFacts): ShownBlob {
  return { id, kind, size, digest: digest ?? null, createdAt: null, expiresAt: null }
}
