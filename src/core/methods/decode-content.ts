import { invalidParamError } from '../../errors.ts'
import type { Steps } from '../../util/slices/run-in-slices.ts'
import { splitText } from '../../util/slices/split-text.ts'

/** Characters of base64 that are decoded in one step; a multiple of four. */
const BASE64_CHARS = 64 * 1024
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*$/
/** The last characters may lack their padding. */
const BASE64_END = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

const LONE_SURROGATE = /\p{Surrogate}/u

/** Decodes the content of a parameter in short steps. Throws `params/invalid`. */
export function* decodeContent(
  param: string,
  { content, encoding }: { content: string; encoding?: string | undefined },
): Steps<Buffer[]> {
  if (encoding !== undefined) return yield* decodeBase64(param, content)
  const chunks: Buffer[] = []
  for (const piece of splitText(content)) {
    if (LONE_SURROGATE.test(piece)) {
      throw invalidParamError(param, 'it contains a lone surrogate, which UTF-8 cannot encode')
    }
    chunks.push(Buffer.from(piece))
    yield
  }
  return chunks
}

function* decodeBase64(param: string, content: string): Steps<Buffer[]> {
  const chunks: Buffer[] = []
  for (let start = 0; start < content.length; start += BASE64_CHARS) {
    const piece = content.slice(start, start + BASE64_CHARS)
    const isLast = start + BASE64_CHARS >= content.length
    if (!(isLast ? BASE64_END : BASE64).test(piece)) {
      throw invalidParamError(param, 'it is not base64')
    }
    chunks.push(Buffer.from(piece, 'base64'))
    yield
  }
  return chunks
}
