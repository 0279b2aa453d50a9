import { isUtf8 } from 'node:buffer'
import { SkillsError } from '../errors.ts'
import { formatBytes } from '../util/quantity.ts'

export interface BodyLimits {
  maxBytes: number
  /** In which the whole body must have come. */
  timeoutMs: number
}

/** Reads a body as text; refuses what is too large, too slow or no UTF-8. */
export async function readBody(request: Request, limits: BodyLimits): Promise<string> {
  const announced = request.headers.get('content-length')
  if (announced !== null && Number(announced) > limits.maxBytes) throw tooLarge(limits.maxBytes)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow(limits.timeoutMs)), limits.timeoutMs)
  })
  const reading =
    announced === null
      ? collect(request, limits.maxBytes)
      : request.arrayBuffer().then((bytes) => Buffer.from(bytes))
  reading.catch(() => {})
  try {
    return decode(await Promise.race([reading, late]))
  } finally {
    clearTimeout(timer)
  }
}

/** A body of unknown length: counted as it comes. */
async function collect(request: Request, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function decode(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  throw new SkillsError('rpc/not-json', 'Parse error: the body is no UTF-8')
}

function tooLarge(maxBytes: number): SkillsError {
  return new SkillsError('http/too-large', `Expected a body of at most ${formatBytes(maxBytes)}`, {
    hint: 'Store large content with PUT /blobs',
    data: { max_bytes: maxBytes },
  })
}

function tooSlow(timeoutMs: number): SkillsError {
  return new SkillsError('http/timeout', `The body did not come within ${timeoutMs} ms`)
}
