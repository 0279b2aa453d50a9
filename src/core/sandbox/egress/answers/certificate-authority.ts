import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import {
  encodeBitString,
  encodeContext,
  encodeDer,
  encodeInteger,
  encodeObjectId,
  encodeTime,
} from './der.ts'

/** Code of a run can have a fixed clock, at which certificates must be valid. */
const VALID = { from: new Date('2000-01-01T00:00:00Z'), to: new Date('2049-12-31T23:59:59Z') }
/** Names that wildcard entries allow are chosen by code of the run. */
const MAX_CERTIFICATES = 256

const ECDSA_WITH_SHA256 = encodeDer('sequence', [encodeObjectId('1.2.840.10045.4.3.2')])
const COMMON_NAME = encodeObjectId('2.5.4.3')
const IDS = {
  subjectKey: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKey: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const
const SERVER_AUTHENTICATION = encodeObjectId('1.3.6.1.5.5.7.3.1')
const TRUE = encodeDer('boolean', Buffer.from([0xff]))
const KEY_USAGE_SIGNS_CERTIFICATES = encodeBitString(Buffer.from([0x04]), 2)
const KEY_USAGE_SIGNS_DATA = encodeBitString(Buffer.from([0x80]), 7)
const CA_WITHOUT_INTERMEDIATES = [TRUE, encodeInteger(Buffer.from([0]))]

interface KeyPair {
  privateKey: KeyObject
  publicKey: KeyObject
}

/**
 * A certificate authority of one run. Its keys exist only in the memory of this process, and only
 * that run trusts it.
 */
export class CertificateAuthority {
  /** The certificate that programs of the run trust. */
  readonly certificate: string
  readonly #keys: KeyPair = createKeys()
  readonly #name = encodeName(`skills test ${randomBytes(4).toString('hex')}`)
  readonly #contexts = new Map<string, SecureContext>()

  constructor() {
    const extensions = [
      encodeExtension(IDS.basicConstraints, encodeDer('sequence', CA_WITHOUT_INTERMEDIATES), true),
      encodeExtension(IDS.keyUsage, KEY_USAGE_SIGNS_CERTIFICATES, true),
      encodeExtension(IDS.subjectKey, encodeDer('octetString', computeKeyId(this.#keys))),
    ]
    this.certificate = this.#issue(this.#name, this.#keys, extensions)
  }

  /** Creates the certificate of a host and its key, once per run. */
  createContext(host: string): SecureContext {
    const created = this.#contexts.get(host)
    if (created) return created
    if (this.#contexts.size >= MAX_CERTIFICATES) {
      throw new Error(`More than ${MAX_CERTIFICATES} hosts in one run`)
    }
    const keys = createKeys()
    const authorityKey = encodeDer(0x80, computeKeyId(this.#keys))
    const extensions = [
      encodeExtension(IDS.basicConstraints, encodeDer('sequence', []), true),
      encodeExtension(IDS.keyUsage, KEY_USAGE_SIGNS_DATA, true),
      encodeExtension(IDS.extendedKeyUsage, encodeDer('sequence', [SERVER_AUTHENTICATION])),
      encodeExtension(IDS.alternativeName, encodeDer('sequence', [encodeHost(host)])),
      encodeExtension(IDS.subjectKey, encodeDer('octetString', computeKeyId(keys))),
      encodeExtension(IDS.authorityKey, encodeDer('sequence', [authorityKey])),
    ]
    // The alternative name counts. A common name has at most 64 characters.
    const cert = this.#issue(encodeName('recorded host'), keys, extensions)
    const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' })
    const context = createSecureContext({
      cert,
      key,
      // Otherwise Node would read its authorities, which takes longer than a request.
      ca: [],
      minVersion: 'TLSv1.2',
    })
    this.#contexts.set(host, context)
    return context
  }

  #issue(subject: Buffer, { publicKey }: KeyPair, extensions: Buffer[]): string {
    const serial = randomBytes(16)
    // A leading zero byte would not be the shortest form.
    serial[0] = 0x40 | (serial[0] ?? 0)
    const body = encodeDer('sequence', [
      encodeContext(0, encodeInteger(Buffer.from([2]))),
      encodeInteger(serial),
      ECDSA_WITH_SHA256,
      this.#name,
      encodeDer('sequence', [encodeTime(VALID.from), encodeTime(VALID.to)]),
      subject,
      publicKey.export({ type: 'spki', format: 'der' }),
      encodeContext(3, encodeDer('sequence', extensions)),
    ])
    const signature = sign('sha256', body, this.#keys.privateKey)
    const certificate = encodeDer('sequence', [body, ECDSA_WITH_SHA256, encodeBitString(signature)])
    const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
    return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
  }
}

function createKeys(): KeyPair {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function computeKeyId({ publicKey }: KeyPair): Buffer {
  return createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest()
}

function encodeName(text: string): Buffer {
  const attribute = encodeDer('sequence', [COMMON_NAME, encodeDer('utf8', Buffer.from(text))])
  return encodeDer('sequence', [encodeDer('set', [attribute])])
}

/** Encodes a DNS name or an address for the alternative names of a certificate. */
function encodeHost(host: string): Buffer {
  if (isIP(host) === 0) return encodeDer(0x82, Buffer.from(host, 'latin1'))
  return encodeDer(0x87, isIP(host) === 4 ? parseIpv4(host) : parseIpv6(host))
}

function parseIpv4(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number))
}

function parseIpv6(address: string): Buffer {
  const [head = '', tail] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const [first, last] = [groups(head), groups(tail ?? '')]
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length
  const all = [...first, ...Array.from({ length: zeros }, () => '0'), ...last]
  return Buffer.from(all.map((each) => each.padStart(4, '0')).join(''), 'hex')
}

function encodeExtension(id: string, value: Buffer, isCritical = false): Buffer {
  return encodeDer('sequence', [
    encodeObjectId(id),
    ...(isCritical ? [TRUE] : []),
    encodeDer('octetString', value),
  ])
}
