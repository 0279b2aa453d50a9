import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { SkillsError } from '../../errors.ts'
import { formatBytes } from '../../util/quantity.ts'
import { joinChunks } from '../../util/slices/join-chunks.ts'
import { runInSlices, type Steps } from '../../util/slices/run-in-slices.ts'
import type { ServerContext } from '../server-context.ts'
import { createBodyPacer, type BodyPacer } from './body-pacer.ts'

/** Bytes that are validated in one step. */
const PIECE_BYTES = 1024 ** 2
/** Bytes of a UTF-8 character after its first one. */
const MAX_CONTINUATION_BYTES = 3

interface BodyLimits {
  maxBytes: number
  timeoutMs: number
  deadlines: Deadlines
  pacer: BodyPacer
}

/** A body and the caller that sends it. */
interface SentBody extends BodyLimits {
  caller: string
}

/** Creates the limits of a route. */
export function createBodyLimits({
  limits,
  closing,
}: Pick<ServerContext, 'limits' | 'closing'>): BodyLimits {
  const { bodyBytes: maxBytes, bodyMs: timeoutMs } = limits
  const deadlines = makeDeadlines(timeoutMs, closing)
  return { maxBytes, timeoutMs, deadlines, pacer: createBodyPacer() }
}

/** Reads up to this multiple of the limit before rejecting a body. */
const DRAIN_FACTOR = 8

/** Reads a body of UTF-8. Rejects bodies that are too large, too slow or not UTF-8. */
export async function readBody(
  request: Request,
  /** Node.js's message, if there is one: reading it needs no web stream. */
  incoming: IncomingMessage | undefined,
  limits: SentBody,
): Promise<Buffer> {
  const announced = request.headers.get('content-length')
  if (announced !== null && Number(announced) > limits.maxBytes)
    throw bodyTooLargeError(limits.maxBytes)
  const reading = incoming ? collectIncoming(incoming, limits) : collectBody(request, limits)
  return await runInSlices(joinUtf8(await reading))
}

async function collectIncoming(incoming: IncomingMessage, limits: SentBody): Promise<Buffer[]> {
  const { maxBytes, pacer, caller } = limits
  return await new Promise<Buffer[]>((resolve, reject) => {
    let chunks: Buffer[] = []
    let size = 0
    const done = (settle: () => void) => {
      forget()
      incoming.off('data', take).off('end', end).off('error', fail).off('close', fail)
      settle()
    }
    const refuse = () => done(() => reject(bodyTooLargeError(maxBytes)))
    const take = (chunk: Buffer) => {
      size += chunk.length
      pacer.count(incoming, { bytes: chunk.length, read: size, caller })
      if (size <= maxBytes) chunks.push(chunk)
      // A client that is still sending does not read a response, so a slightly larger body is read
      // to its end.
      else if (size > maxBytes * DRAIN_FACTOR) refuse()
      else chunks = []
    }
    const end = () => {
      if (size > maxBytes) return refuse()
      done(() => resolve(chunks))
    }
    const fail = () => done(() => reject(bodyCutShortError()))
    const forget = limits.deadlines.schedule(() =>
      done(() => reject(bodyTimeoutError(limits.timeoutMs))),
    )
    incoming.on('data', take).on('end', end).on('error', fail).on('close', fail)
  })
}

async function collectBody(request: Request, limits: BodyLimits): Promise<Buffer[]> {
  const chunks: Buffer[] = []
  let size = 0
  let forget = () => {}
  const timeout = new Promise<never>((_, reject) => {
    forget = limits.deadlines.schedule(() => reject(bodyTimeoutError(limits.timeoutMs)))
  })
  const read = async () => {
    for await (const chunk of request.body ?? []) {
      size += chunk.length
      if (size > limits.maxBytes) throw bodyTooLargeError(limits.maxBytes)
      chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length))
    }
    return chunks
  }
  try {
    return await Promise.race([read(), timeout])
  } finally {
    forget()
  }
}

/** Joins the chunks of a body. Throws `rpc/not-json` for one that is not UTF-8. */
function* joinUtf8(chunks: Buffer[]): Steps<Buffer> {
  const bytes = yield* joinChunks(chunks)
  for (let start = 0; start < bytes.length;) {
    const end = findPieceEnd(bytes, start + PIECE_BYTES)
    if (!isUtf8(bytes.subarray(start, end))) {
      throw new SkillsError('rpc/not-json', 'Parse error: the body is not UTF-8')
    }
    start = end
    yield
  }
  return bytes
}

/** Returns the last index up to `limit` that is not inside of a character. */
function findPieceEnd(bytes: Buffer, limit: number): number {
  if (limit >= bytes.length) return bytes.length
  let end = limit
  while (limit - end < MAX_CONTINUATION_BYTES && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1
  return end
}

function bodyCutShortError(): SkillsError {
  return new SkillsError('rpc/invalid-request', 'The body is incomplete')
}

function bodyTooLargeError(maxBytes: number): SkillsError {
  return new SkillsError('http/too-large', `Expected a body of at most ${formatBytes(maxBytes)}`, {
    hint: 'Store large content with PUT /blobs',
    data: { max_bytes: maxBytes },
  })
}

function bodyTimeoutError(timeoutMs: number): SkillsError {
  return new SkillsError('http/timeout', `The body did not arrive within ${timeoutMs} ms`)
}

/** Many deadlines with one timer, because one timer per request is too expensive. */
interface Deadlines {
  /** Calls `late` after the deadline unless the returned function is called before. */
  schedule(onExpired: () => void): () => void
}

/** All deadlines have the same duration. They fire slightly late. */
function makeDeadlines(afterMs: number, closing: AbortSignal): Deadlines {
  const waiting = new Map<object, { at: number; onExpired: () => void }>()
  const expire = () => {
    const now = performance.now()
    for (const [key, { at, onExpired }] of waiting) {
      // Entries are in the order of their deadlines.
      if (at > now) return
      waiting.delete(key)
      onExpired()
    }
  }
  const timer = setInterval(expire, Math.max(20, Math.min(500, afterMs / 4))).unref()
  closing.addEventListener('abort', () => clearInterval(timer), { once: true })
  return {
    schedule(onExpired) {
      const key = {}
      waiting.set(key, { at: performance.now() + afterMs, onExpired })
      return () => void waiting.delete(key)
    },
  }
}
