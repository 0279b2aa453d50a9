import { sign, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { VerificationKey } from '../keys/verification-key.ts'
import { decodeBase64 } from './base64.ts'
import { parseStrictJson, type RefuseJson } from './strict-json.ts'

/** A signed payload, as in DSSE v1. */
export interface SignedEnvelope {
  payloadType: string
  payload: Buffer
  signatures: readonly EnvelopeSignature[]
  /** The bundle of sigstore that the envelope is a part of, as parsed. */
  sigstore?: unknown
}

export interface EnvelopeSignature {
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

/** Keys that made at least one of the signatures, each once. The hints only order the attempts. */
export function findSigners(
  { payloadType, payload, signatures }: SignedEnvelope,
  keys: readonly VerificationKey[],
): VerificationKey[] {
  const signed = encodeSignedBytes(payloadType, payload)
  const found = new Set<VerificationKey>()
  for (const { keyId, bytes } of signatures) {
    const ordered = keys.toSorted((a, b) => Number(b.id === keyId) - Number(a.id === keyId))
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
  const isSigstore = typeof type.value === 'string' && SIGSTORE_TYPE.test(type.value)
  const envelope = isSigstore ? document.at('dsseEnvelope') : document
  const signatures = envelope.at('signatures').list(MAX_SIGNATURES)
  const decode = (member: ReturnType<typeof envelope.at>) => {
    const bytes = decodeBase64(member.text())
    if (!bytes) throw member.refuse('canonical base64')
    return bytes
  }
  return {
    ...(isSigstore && { sigstore: document.value }),
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
