import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { NetworkRefusal } from '../decision.ts'
import { createReplaceStream, replaceBytes } from './replacer.ts'
import type { RequestMask, UnplacedStandIn } from './request-mask.ts'
import { needsSignature, signRequest } from './sign-request.ts'
import type { SignedRequest } from './sigv4.ts'
import { TextSearch } from './text-search.ts'

/** A body up to this size is read whole, so that its new length is known before it is sent. */
const MAX_WHOLE = 1024 * 1024
/** A signature covers the whole body. */
const MAX_SIGNED = 16 * 1024 * 1024

/** A request as it arrived, of either version of HTTP. */
export interface ArrivedRequest {
  method: string
  path: string
  /** Without those that only hold for one connection. */
  headers: readonly string[]
  fields: IncomingHttpHeaders
  body: Readable
  /** As declared; undefined for a body without a length. */
  length: number | undefined
  hasBody: boolean
}

/** A request as it is sent on. */
export interface UnmaskedRequest {
  path: string
  headers: readonly string[]
  /** A stream, whole bytes, or no body. */
  body: Readable | Buffer | undefined
  /** Undefined if the length is not known. */
  length: number | undefined
}

/** Puts the values into a request. */
export async function unmaskRequest(
  request: ArrivedRequest,
  mask: RequestMask,
  onUnplaced: (found: UnplacedStandIn) => void,
): Promise<UnmaskedRequest | NetworkRefusal> {
  const isSigned = needsSignature(request, mask.secrets)
  const head = mask.unmaskHead(request, isSigned ? () => {} : onUnplaced)
  if ('reason' in head) return head
  const { fields, hasBody } = request
  const search = new TextSearch(
    hasBody
      ? mask.listBodyReplacements(fields['content-type'], isEncoded(fields['content-encoding']))
      : [],
  )
  const { replacements } = search
  if (isSigned) return await signWholeRequest(request, { ...head, search }, mask)
  // A request with an empty body says so, since some servers demand a length.
  if (!hasBody) return { ...head, body: undefined, length: request.length }
  if (replacements.length === 0) return { ...head, body: request.body, length: request.length }
  const keepsLength = replacements.every(({ from, to }) => from.length === to.length)
  if (!keepsLength && request.length !== undefined && request.length <= MAX_WHOLE) {
    const body = replaceBytes(await readWhole(request.body, MAX_WHOLE), search, mask.checkFound)
    return { ...head, body, length: body.length }
  }
  const stream = createReplaceStream(search, mask.checkFound)
  request.body.on('error', (error) => stream.destroy(error))
  return {
    ...head,
    body: request.body.pipe(stream),
    length: keepsLength ? request.length : undefined,
  }
}

async function signWholeRequest(
  request: ArrivedRequest,
  { path, headers, search }: { path: string; headers: readonly string[]; search: TextSearch },
  mask: RequestMask,
): Promise<UnmaskedRequest | NetworkRefusal> {
  const whole = request.hasBody ? await readWhole(request.body, MAX_SIGNED) : Buffer.alloc(0)
  const { method } = request
  const before: SignedRequest = {
    method,
    path: request.path,
    headers: addHost(request),
    body: whole,
  }
  const body = replaceBytes(whole, search, mask.checkFound)
  const after = { method, path, headers: addHost({ ...request, headers }), body }
  const signed = signRequest(before, after, mask.secrets)
  if ('reason' in signed) return signed
  const sent = signed.headers.slice(2)
  return request.hasBody
    ? { path: signed.path, headers: sent, body, length: body.length }
    : { path: signed.path, headers: sent, body: undefined, length: undefined }
}

/** Signatures cover the Host header, which each hop writes itself. */
function addHost({ headers, fields }: Pick<ArrivedRequest, 'headers' | 'fields'>): string[] {
  return ['host', fields.host ?? fields[':authority']?.toString() ?? '', ...headers]
}

async function readWhole(body: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) throw new Error(`a signed body is longer than ${limit / 1024 / 1024} MiB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function isEncoded(coding: string | undefined): boolean {
  return coding !== undefined && coding.trim().toLowerCase() !== 'identity'
}
