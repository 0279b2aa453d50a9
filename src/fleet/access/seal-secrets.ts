import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto'
import { computeDigest } from '../../core/runs/compute-digest.ts'

/** The call and the worker for which secrets are sealed. They cannot be opened for others. */
export interface SealBinding {
  call: string
  attempt: number
  method: string
  params: unknown
  /** Fields of the call that the front sends. */
  sent: object
  /** The worker, and its start. */
  node: string
  start: string
}

/** Secrets that only one start of a worker can open. All parts are in base64url. */
export interface SealedSecrets {
  /** Public part of a key that is used once. */
  key: string
  iv: string
  data: string
  tag: string
}

const INFO = 'skills fleet secrets 1'
const KEY_BYTES = 32
const IV_BYTES = 12
/** Length of a public key in base64url. */
const PUBLIC_KEY = /^[A-Za-z0-9_-]{43}$/

/** True for the public key of a worker, which any node could send. */
export function isSealingKey(value: unknown): value is string {
  return typeof value === 'string' && PUBLIC_KEY.test(value)
}

/** Seals values to the key of a worker. */
export function sealSecrets(
  values: ReadonlyMap<string, string>,
  workerKey: string,
  binding: SealBinding,
): SealedSecrets {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  const key = exportKey(publicKey)
  const secret = diffieHellman({ privateKey, publicKey: importKey(workerKey) })
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', deriveKey(secret, { key, workerKey }, binding), iv)
  const text = JSON.stringify([...values])
  const data = Buffer.concat([cipher.update(text), cipher.final()])
  return {
    key,
    iv: iv.toString('base64url'),
    data: data.toString('base64url'),
    tag: cipher.getAuthTag().toString('base64url'),
  }
}

/** The key of one start of a worker. Its private part is only in memory. */
export class SecretOpener {
  readonly publicKey: string
  #privateKey: KeyObject

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('x25519')
    this.publicKey = exportKey(publicKey)
    this.#privateKey = privateKey
  }

  /** Opens sealed values. Undefined if they are for another worker or another call, or were changed. */
  open(sealed: SealedSecrets, binding: SealBinding): ReadonlyMap<string, string> | undefined {
    try {
      const publicKey = importKey(sealed.key)
      const secret = diffieHellman({ privateKey: this.#privateKey, publicKey })
      const keys = { key: sealed.key, workerKey: this.publicKey }
      const iv = Buffer.from(sealed.iv, 'base64url')
      const cipher = createDecipheriv('aes-256-gcm', deriveKey(secret, keys, binding), iv, {
        authTagLength: 16,
      })
      cipher.setAuthTag(Buffer.from(sealed.tag, 'base64url'))
      const data = cipher.update(Buffer.from(sealed.data, 'base64url'))
      const text = Buffer.concat([data, cipher.final()]).toString()
      return new Map(JSON.parse(text) as [string, string][])
    } catch {
      return undefined
    }
  }
}

/** Binds the key to the call: with another call it is another key. */
function deriveKey(
  secret: Buffer,
  { key, workerKey }: { key: string; workerKey: string },
  { call, attempt, method, params, sent, node, start }: SealBinding,
): Buffer {
  // Parsed and serialized again at the worker, parameters have the same text.
  const facts = [call, attempt, node, start, computeDigest(JSON.stringify([method, params, sent]))]
  const info = JSON.stringify([INFO, ...facts])
  // The information of HKDF has at most 1024 bytes.
  return Buffer.from(hkdfSync('sha256', secret, key + workerKey, computeDigest(info), KEY_BYTES))
}

function exportKey(key: KeyObject): string {
  return key.export({ format: 'jwk' }).x ?? ''
}

function importKey(x: string): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' })
}
