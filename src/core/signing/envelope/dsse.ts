import { sign, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { VerificationKey } from '../keys/verification-key.ts'
import { decodeBase64 } from './base64.ts'
import { parseStrictJson, type JsonValue, type RefuseJson } from './strict-json.ts'

/** A signed payload, as in DSSE v1. */
export interface SignedEnvelope {
  payloadType: string
  payload: Buffer
  signatures: readonly EnvelopeSignature[]
  /** The bundle of sigstore that the envelope is a part of, as parsed. */
  sigstore?: unknown
  /** True for a bundle that signs the bytes of an archive, and has no payload. */
  signsArchive?: true
}

interface EnvelopeSignature {
  /** A hint of the signer, which is not signed. */
  keyId: string | undefined
  bytes: Buffer
}

/** A private key, and the id of its public key. */
export interface SigningKey {
  id: string
  privateKey: KeyObject
}

const MAX_SIGNATURES = 8
const SIGSTORE_TYPE = /^application\/vnd\.dev\.sigstore\.bundle/

/** Pre-authentication encoding: the bytes that are signed. */
export function encodeSignedBytes(payloadType: string, payload: Uint8Array): Buffer {
  const type = Buffer.from(payloadType)
  const head = `DSSEv1 ${type.length} ${payloadType} ${payload.length} `
  return Buffer.concat([Buffer.from(head), payload])
}

export function signEnvelope(
  payloadType: string,
  payload: Buffer,
  { id, privateKey }: SigningKey,
): SignedEnvelope {
  const bytes = sign(null, encodeSignedBytes(payloadType, payload), privateKey)
  return { payloadType, payload, signatures: [{ keyId: id, bytes }] }
}

/**
 * Keys of Ed25519 that made at least one of the signatures, each once. The hints only order the
 * attempts. Other keys count in bundles of sigstore only.
 */
export function findSigners(
  { payloadType, payload, signatures }: SignedEnvelope,
  keys: readonly VerificationKey[],
): VerificationKey[] {
  const signed = encodeSignedBytes(payloadType, payload)
  const usable = keys.filter(({ publicKey }) => publicKey.asymmetricKeyType === 'ed25519')
  const found = new Set<VerificationKey>()
  for (const { keyId, bytes } of signatures) {
    const ordered = usable.toSorted((a, b) => Number(b.id === keyId) - Number(a.id === keyId))
    const signer = ordered.find(({ publicKey }) => verify(null, signed, publicKey, bytes))
    if (signer) found.add(signer)
  }
  return [...found]
}

export function formatEnvelope(envelope: SignedEnvelope): string {
  const { payloadType, payload, signatures, sigstore } = envelope
  if (sigstore !== undefined) return JSON.stringify(sigstore)
  return JSON.stringify({
    payload: payload.toString('base64'),
    payloadType,
    signatures: signatures.map(({ keyId, bytes }) => ({
      ...(keyId !== undefined && { keyid: keyId }),
      sig: bytes.toString('base64'),
    })),
  })
}

export function parseEnvelope(text: string, refuse: RefuseJson): SignedEnvelope {
  const document = parseStrictJson(text, refuse)
  const type = document.at('mediaType')
  const isBundle = typeof type.value === 'string' && SIGSTORE_TYPE.test(type.value)
  return isBundle ? parseBundleValue(document) : parseEnvelopeValue(document)
}

/** Parses a bundle of sigstore. Its signature is either in an envelope, or over an archive. */
export function parseBundleValue(bundle: JsonValue): SignedEnvelope {
  bundle.at('mediaType').matching(SIGSTORE_TYPE, 'the type of a bundle of sigstore')
  const [envelope, message] = [bundle.at('dsseEnvelope'), bundle.at('messageSignature')]
  if (!envelope.isAbsent && !message.isAbsent) throw message.refuse('no second signature')
  if (message.isAbsent) return { ...parseEnvelopeValue(envelope), sigstore: bundle.value }
  return {
    payloadType: '',
    payload: Buffer.alloc(0),
    signatures: [],
    sigstore: bundle.value,
    signsArchive: true,
  }
}

function parseEnvelopeValue(envelope: JsonValue): SignedEnvelope {
  const signatures = envelope.at('signatures').list(MAX_SIGNATURES)
  const decode = (member: JsonValue) => {
    const bytes = decodeBase64(member.text())
    if (!bytes) throw member.refuse('canonical base64')
    return bytes
  }
  return {
    payloadType: envelope.at('payloadType').text(),
    payload: decode(envelope.at('payload')),
    signatures: signatures.map((each) => {
      const keyId = each.at('keyid')
      return {
        keyId: keyId.isAbsent ? undefined : keyId.text(),
        bytes: decode(each.at('sig')),
      }
    }),
  }
}
