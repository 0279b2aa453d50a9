import { createHash, createHmac } from 'node:crypto'
import { decodePercents } from '../../../../util/text/decode-percents.ts'
import { findHeader, type FlatHeaders } from './flat-headers.ts'

/** A request whose signature is computed again. `body` is undefined if it was not read. */
export interface SignedRequest {
  method: string
  path: string
  headers: FlatHeaders
  body: Buffer
}

/** The parts of a signature of the scheme AWS Signature Version 4. */
interface Signature {
  /** `<date>/<region>/<service>/aws4_request`. */
  scope: string
  date: string
  signedHeaders: readonly string[]
  value: string
  inQuery: boolean
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256\s+Credential=[^/,\s]+\/(\d{8}\/[^/,\s]+\/[^/,\s]+\/aws4_request)\s*,\s*SignedHeaders=([^,\s]+)\s*,\s*Signature=([0-9a-f]{64})$/
const SCOPE = /^[^/]+\/(\d{8}\/[^/]+\/[^/]+\/aws4_request)$/

/** True if the request has a signature of this scheme, in a header or in its query. */
export function isSignedByAws({ path, headers }: Pick<SignedRequest, 'path' | 'headers'>): boolean {
  return (
    getHeader(headers, 'authorization')?.startsWith('AWS4-') === true ||
    path.includes('X-Amz-Signature=')
  )
}

/**
 * Signs a request again. `before` is the request as its program signed it with the stand-in, which
 * tells how it writes the path; undefined if no way of writing it gives that signature.
 */
export function signAgain(
  before: SignedRequest,
  after: SignedRequest,
  keys: { standIn: string; value: string },
): Pick<SignedRequest, 'path' | 'headers'> | undefined {
  const signature = readSignature(before)
  if (!signature || hasSignedPieces(before.headers)) return undefined
  const encodesTwice = [true, false].find(
    (each) => computeSignature(before, signature, each, keys.standIn) === signature.value,
  )
  if (encodesTwice === undefined) return undefined
  const renewed = computeSignature(after, signature, encodesTwice, keys.value)
  const replace = (text: string) => text.replace(signature.value, renewed)
  return {
    path: signature.inQuery ? replace(after.path) : after.path,
    headers: after.headers.map((text, at) =>
      at % 2 === 1 && (after.headers[at - 1] ?? '').toLowerCase() === 'authorization'
        ? replace(text)
        : text,
    ),
  }
}

/** True if the pieces of the body have signatures too, each computed from that of the piece before. */
function hasSignedPieces(headers: FlatHeaders): boolean {
  return getHeader(headers, 'x-amz-content-sha256')?.startsWith('STREAMING-AWS4-') === true
}

function readSignature({ path, headers }: SignedRequest): Signature | undefined {
  const found = AUTHORIZATION.exec(getHeader(headers, 'authorization') ?? '')
  if (!found) return readSignedQuery(new URLSearchParams(path.slice(path.indexOf('?') + 1)))
  const [, scope = '', names = '', value = ''] = found
  const date = getHeader(headers, 'x-amz-date') ?? ''
  return { scope, date, signedHeaders: names.split(';'), value, inQuery: false }
}

function readSignedQuery(query: URLSearchParams): Signature | undefined {
  const get = (name: string) => query.get(`X-Amz-${name}`)
  const scope = SCOPE.exec(get('Credential') ?? '')?.[1]
  const value = get('Signature') ?? ''
  if (scope === undefined || !/^[0-9a-f]{64}$/.test(value)) return undefined
  const signedHeaders = (get('SignedHeaders') ?? 'host').split(';')
  return { scope, date: get('Date') ?? '', signedHeaders, value, inQuery: true }
}

// eslint-disable-next-line max-params -- a request, its signature, a way and a key
function computeSignature(
  request: SignedRequest,
  signature: Signature,
  encodesTwice: boolean,
  key: string,
): string {
  const { scope, date } = signature
  const canonical = buildCanonicalRequest(request, signature, encodesTwice)
  const text = ['AWS4-HMAC-SHA256', date, scope, digestSha256(canonical)].join('\n')
  const signingKey = scope
    .split('/')
    .reduce<Buffer>(
      (secret, part) => createHmac('sha256', secret).update(part).digest(),
      Buffer.from(`AWS4${key}`),
    )
  return createHmac('sha256', signingKey).update(text).digest('hex')
}

function buildCanonicalRequest(
  { method, path, headers, body }: SignedRequest,
  { signedHeaders, inQuery }: Signature,
  encodesTwice: boolean,
): string {
  const [name = '', query = ''] = splitOnce(path, '?')
  const pairs = query
    .split('&')
    .filter((pair) => pair !== '' && !(inQuery && pair.startsWith('X-Amz-Signature=')))
    .map((pair) => splitOnce(pair, '=').map((each) => encodeStrictly(decodePercents(each))))
    .map(([key = '', value = '']) => [key, value] as const)
    .sort(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
  const lines = signedHeaders.map((each) => `${each}:${joinHeader(headers, each)}\n`)
  const payload =
    getHeader(headers, 'x-amz-content-sha256') ??
    (inQuery ? 'UNSIGNED-PAYLOAD' : digestSha256(body))
  return [
    method,
    encodesTwice ? name.split('/').map(encodeStrictly).join('/') : name,
    pairs.map(([key, value]) => `${key}=${value}`).join('&'),
    lines.join(''),
    signedHeaders.join(';'),
    payload,
  ].join('\n')
}

function splitOnce(text: string, mark: string): string[] {
  const at = text.indexOf(mark)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function joinHeader(headers: FlatHeaders, name: string): string {
  const values = headers.filter(
    (_, at) => at % 2 === 1 && (headers[at - 1] ?? '').toLowerCase() === name,
  )
  return values.map((each) => each.trim().replace(/ +/g, ' ')).join(',')
}

function getHeader(headers: FlatHeaders, name: string): string | undefined {
  return headers[findHeader(headers, name)]
}

function digestSha256(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex')
}
