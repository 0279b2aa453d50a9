import { createHmac, type BinaryToTextEncoding } from 'node:crypto'
import type { NetworkRefusal } from '../decision.ts'
import { findHeader } from './flat-headers.ts'
import type { MaskedSecret } from './masked-secret.ts'
import { isSignedByAws, signAgain, type SignedRequest } from './sigv4.ts'

const ALGORITHMS = ['sha256', 'sha1', 'sha512', 'sha384'] as const
const ENCODINGS: readonly BinaryToTextEncoding[] = ['hex', 'base64', 'base64url']

/** True if a request is signed with one of the stand-ins, so that its whole body is needed. */
export function needsSignature(
  request: Pick<SignedRequest, 'path' | 'headers'>,
  secrets: readonly MaskedSecret[],
): boolean {
  return secrets.some(({ places }) =>
    places.some((place) => {
      if (place.kind === 'sigv4') return isSignedByAws(request)
      return place.kind === 'hmac' && findHeader(request.headers, place.name) >= 0
    }),
  )
}

/** Computes the signatures of a request again, with the values in place of the stand-ins. */
export function signRequest(
  before: SignedRequest,
  after: SignedRequest,
  secrets: readonly MaskedSecret[],
): SignedRequest | NetworkRefusal {
  let signed = after
  for (const secret of secrets) {
    for (const place of secret.places) {
      if (place.kind === 'sigv4' && isSignedByAws(before)) {
        const parts = signAgain(before, signed, secret)
        if (!parts) return refuseSignature(secret, 'AWS Signature Version 4 of the whole request')
        signed = { ...signed, ...parts }
      }
      if (place.kind !== 'hmac' || findHeader(before.headers, place.name) < 0) continue
      const headers = signBody(before, signed, secret, place.name)
      if (!headers) return refuseSignature(secret, `an HMAC of the body in ${place.name}`)
      signed = { ...signed, headers }
    }
  }
  return signed
}

// eslint-disable-next-line max-params -- two requests, a secret and a header
function signBody(
  before: SignedRequest,
  after: SignedRequest,
  { standIn, value }: MaskedSecret,
  name: string,
): string[] | undefined {
  const at = findHeader(before.headers, name)
  const written = before.headers[at] ?? ''
  for (const algorithm of ALGORITHMS) {
    for (const encoding of ENCODINGS) {
      const old = createHmac(algorithm, standIn).update(before.body).digest(encoding)
      if (!written.includes(old)) continue
      const renewed = createHmac(algorithm, value).update(after.body).digest(encoding)
      return after.headers.map((text, index) =>
        index === at ? text.replace(old, () => renewed) : text,
      )
    }
  }
  return undefined
}

function refuseSignature({ name }: MaskedSecret, expected: string): NetworkRefusal {
  const message = `The signature by ${name} cannot be computed again: only ${expected} can; for another scheme, declare the secret without hosts`
  return { reason: 'request-refused', message }
}
