import type { Signer } from '@sigstore/verify'
import type { CertificateIdentity } from '../trust/identity.ts'

/** Source Repository URI, which Fulcio copies from the token of the workflow. */
const REPOSITORY_OID = '1.3.6.1.4.1.57264.1.12'

/** Reads the identity of a verified certificate; undefined if it names no subject or no issuer. */
export function readCertificateIdentity({ identity }: Signer): CertificateIdentity | undefined {
  const [name, issuer] = [identity?.subjectAlternativeName, identity?.extensions?.issuer]
  if (name === undefined || issuer === undefined) return undefined
  const extension = identity?.oids?.find(({ oid }) => oid?.id.join('.') === REPOSITORY_OID)
  const repository = extension && decodeUtf8String(extension.value)
  return { identity: name, issuer, ...(repository !== undefined && { repository }) }
}

const UTF8_STRING = 0x0c

/** Decodes a UTF8String of DER, in the short form or with a length of one or two bytes. */
function decodeUtf8String(der: Buffer): string {
  const [tag, first = 0] = der
  const width = first < 0x80 ? 0 : first & 0x7f
  const length = width === 0 ? first : width <= 2 ? der.readUIntBE(2, width) : -1
  const bytes = der.subarray(2 + width)
  if (tag !== UTF8_STRING || bytes.length !== length) {
    throw new Error('the repository of the certificate is not a text')
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}
