import { pipeline, type Readable, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { removeHeaders, type FlatHeaders } from './flat-headers.ts'
import type { RequestMask } from './request-mask.ts'

/** An answer whose body has yet to be searched. */
export interface DecodedAnswer {
  headers: string[]
  body: Readable
}

/** An answer whose coding cannot be searched. */
export class CodingError extends Error {}

/**
 * Puts stand-ins in place of values in the headers of an answer. Servers are asked for no coding; what
 * is encoded all the same is decoded, because a value in it would not be found.
 */
export function maskAnswer(
  { headers, body }: { headers: FlatHeaders; body: Readable },
  mask: RequestMask,
  countBytes: (bytes: number) => boolean,
): DecodedAnswer {
  const coding = findCoding(headers)
  const decoder = coding === 'identity' ? undefined : openDecoder(coding)
  const kept = mask.maskHeaders(
    removeHeaders(headers, [
      ...(decoder ? ['content-encoding', 'content-length'] : []),
      ...(mask.keepsAnswerLength ? [] : ['content-length']),
    ]),
  )
  if (!decoder) return { headers: kept, body }
  decoder.on('data', (chunk: Buffer) => {
    if (!countBytes(chunk.length)) decoder.destroy()
  })
  return { headers: kept, body: pipeline(body, decoder, () => {}) }
}

/** Answers without a body may name a coding: they have not even its end. */
function openDecoder(coding: string): Transform {
  const finishFlush = constants.Z_SYNC_FLUSH
  if (coding === 'gzip' || coding === 'x-gzip') return createGunzip({ finishFlush })
  if (coding === 'br')
    return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })
  if (coding === 'deflate') return createInflate({ finishFlush })
  throw new CodingError(
    `the answer has the coding "${coding.slice(0, 40)}", in which no secret can be found`,
  )
}

/** All codings of an answer in one text. */
function findCoding(headers: FlatHeaders): string {
  const values = headers.filter(
    (_, at) => at % 2 === 1 && /^content-encoding$/i.test(headers[at - 1] ?? ''),
  )
  const named = values.map((each) => each.trim().toLowerCase()).filter((each) => each !== '')
  return named.join(', ') || 'identity'
}
