import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { SkillsError } from '../../errors.ts'
import { formatBytes } from '../../util/quantity.ts'
import type { Deadlines } from './deadlines.ts'

interface BodyLimits {
  maxBytes: number
  timeoutMs: number
  deadlines: Deadlines
}

/** Reads up to this multiple of the limit before rejecting a body. */
const DRAIN_FACTOR = 8

/** Reads a body of UTF-8. Rejects bodies that are too large, too slow or not UTF-8. */
export async function readBody(
  request: Request,
  /** Node.js's message, if there is one: reading it needs no web stream. */
  incoming: IncomingMessage | undefined,
  limits: BodyLimits,
): Promise<Buffer> {
  const announced = request.headers.get('content-length')
  if (announced !== null && Number(announced) > limits.maxBytes)
    throw bodyTooLargeError(limits.maxBytes)
  const reading = incoming ? collectIncoming(incoming, limits) : collectBody(request, limits)
  return requireUtf8(await reading)
}

async function collectIncoming(incoming: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  const { maxBytes } = limits
  return await new Promise<Buffer>((resolve, reject) => {
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
      if (size <= maxBytes) chunks.push(chunk)
      // A client that is still sending does not read a response, so a slightly larger body is read
      // to its end.
      else if (size > maxBytes * DRAIN_FACTOR) refuse()
      else chunks = []
    }
    const end = () => {
      if (size > maxBytes) return refuse()
      done(() => resolve(chunks[0] && !chunks[1] ? chunks[0] : Buffer.concat(chunks)))
    }
    const fail = () => done(() => reject(bodyCutShortError()))
    const forget = limits.deadlines.schedule(() =>
      done(() => reject(bodyTimeoutError(limits.timeoutMs))),
    )
    incoming.on('data', take).on('end', end).on('error', fail).on('close', fail)
  })
}

async function collectBody(request: Request, limits: BodyLimits): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  let forget = () => {}
  const timeout = new Promise<never>((_, reject) => {
    forget = limits.deadlines.schedule(() => reject(bodyTimeoutError(limits.timeoutMs)))
  })
  const read = async () => {
    for await (const chunk of request.body ?? []) {
      size += chunk.length
      if (size > limits.maxBytes) throw bodyTooLargeError(limits.maxBytes)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }
  try {
    return await Promise.race([read(), timeout])
  } finally {
    forget()
  }
}

/** Throws `rpc/not-json` for a body that is not UTF-8. */
function requireUtf8(bytes: Buffer): Buffer {
  if (isUtf8(bytes)) return bytes
  throw new SkillsError('rpc/not-json', 'Parse error: the body is not UTF-8')
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
