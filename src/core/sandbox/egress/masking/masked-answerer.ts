import { Readable } from 'node:stream'
import type {
  AnswerableRequest,
  AnsweredResponse,
  RequestAnswerer,
} from '../answers/request-answerer.ts'
import type { NetworkDestination } from '../destination.ts'
import { formatHostHeader } from '../refusals.ts'
import { pairHeaders, removeHeaders } from './flat-headers.ts'
import { replaceBytes } from './replacer.ts'
import { unmaskRequest } from './request-body.ts'
import type { RequestMask } from './request-mask.ts'

/**
 * Fakes and recordings get requests with the values, as they would without masking: what is stored has
 * them redacted, and a stand-in is another one in each run.
 */
export function maskAnswerer(
  answerer: RequestAnswerer,
  maskFor: (destination: NetworkDestination) => RequestMask,
): RequestAnswerer {
  return {
    mode: answerer.mode,
    onUnanswerable: (problem) => answerer.onUnanswerable(problem),
    async answer(request, forward) {
      const mask = maskFor(request.destination)
      const answer = await answerer.answer(await unmaskWhole(request, mask), forward)
      return maskWhole(answer, mask)
    },
  }
}

async function unmaskWhole(
  request: AnswerableRequest,
  mask: RequestMask,
): Promise<AnswerableRequest> {
  const { destination, method, url, headers, body } = request
  const origin = url.slice(0, url.indexOf('/', destination.scheme.length + 3))
  const fields = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]))
  const unmasked = await unmaskRequest(
    {
      method,
      path: url.slice(origin.length),
      headers: headers.flat(),
      fields: { ...fields, host: formatHostHeader(destination) },
      body: Readable.from(body.length > 0 ? [body] : []),
      length: body.length,
      hasBody: body.length > 0,
    },
    mask,
    () => {},
  )
  if ('reason' in unmasked) throw new Error(unmasked.message)
  return {
    ...request,
    url: origin + unmasked.path,
    headers: pairHeaders(removeHeaders(unmasked.headers, ['content-length'])),
    body: await collectBody(unmasked.body),
  }
}

async function collectBody(body: Readable | Buffer | undefined): Promise<Buffer> {
  if (body === undefined || Buffer.isBuffer(body)) return body ?? Buffer.alloc(0)
  return Buffer.concat(await (body as AsyncIterable<Buffer> & Readable).toArray())
}

function maskWhole(
  { status, headers, body }: AnsweredResponse,
  mask: RequestMask,
): AnsweredResponse {
  return {
    status,
    headers: pairHeaders(mask.maskHeaders(headers.flat())),
    body: replaceBytes(body, mask.answerSearch),
  }
}
