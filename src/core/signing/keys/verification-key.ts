import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { SkillsError } from '../../../errors.ts'
import { decodeBase64 } from '../envelope/base64.ts'

/** A public key of Ed25519, or of ECDSA P-256 for bundles of sigstore. */
export interface VerificationKey {
  /** SHA-256 of its SubjectPublicKeyInfo, `sha256:<hex>`. */
  id: string
  publicKey: KeyObject
}

const KEY_BYTES = 32

/**
 * Encodings of points of small order, without the bit of the sign. Some texts have a valid
 * signature for such a key that needs no private key.
 */
const SMALL_ORDER = new Set(
  [
    '00'.repeat(KEY_BYTES),
    `01${'00'.repeat(KEY_BYTES - 1)}`,
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    ...['ec', 'ed', 'ee'].map((first) => `${first}${'ff'.repeat(KEY_BYTES - 2)}7f`),
  ].map((hex) => hex.toLowerCase()),
)

/** Checks that a key is a usable key of Ed25519. */
export function toVerificationKey(publicKey: KeyObject, place: string): VerificationKey {
  if (publicKey.type !== 'public' || publicKey.asymmetricKeyType !== 'ed25519') {
    throw unusableKeyError(place, `it is a key of ${publicKey.asymmetricKeyType}, expected Ed25519`)
  }
  const point = Buffer.from(exportKey(publicKey).subarray(-KEY_BYTES))
  point[KEY_BYTES - 1] = (point[KEY_BYTES - 1] ?? 0) & 0x7f
  if (SMALL_ORDER.has(point.toString('hex'))) {
    throw unusableKeyError(place, 'it is a point of small order, for which anyone can sign')
  }
  return identifyKey(publicKey)
}

function exportKey(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' })
}

function identifyKey(publicKey: KeyObject): VerificationKey {
  const digest = createHash('sha256').update(exportKey(publicKey)).digest('hex')
  return { id: `sha256:${digest}`, publicKey }
}

/**
 * Parses a key of a trust list: `BEGIN PUBLIC KEY`, or the base64 within it. Registries of npm sign
 * with ECDSA P-256.
 */
export function parseTrustedKey(text: string, place: string): VerificationKey {
  if (text.includes('PRIVATE KEY')) {
    throw unusableKeyError(place, 'it is a private key, which must not be passed on')
  }
  try {
    const trimmed = text.trim()
    const der = trimmed.startsWith('-----') ? undefined : decodeBase64(trimmed)
    const key = createPublicKey(der ? { key: der, format: 'der', type: 'spki' } : trimmed)
    return isP256(key) ? identifyKey(key) : toVerificationKey(key, place)
  } catch (cause) {
    if (cause instanceof SkillsError) throw cause
    throw unusableKeyError(place, 'it is not a public key', cause)
  }
}

function isP256({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1'
}

/** The base64 of a key's SubjectPublicKeyInfo. */
export function formatVerificationKey({ publicKey }: VerificationKey): string {
  return exportKey(publicKey).toString('base64')
}

function unusableKeyError(place: string, problem: string, cause?: unknown): SkillsError {
  return new SkillsError('key/unusable', `Cannot use the key "${place}": ${problem}`, {
    hint: 'Use the text that "skills keys export <name>" prints',
    cause,
  })
}
