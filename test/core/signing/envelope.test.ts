import { createPublicKey, createPrivateKey, sign, verify } from 'node:crypto'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { decodeBase64 } from '../../../src/core/signing/envelope/base64.ts'
import { readBundle } from '../../../src/core/signing/envelope/bundle-file.ts'
import {
  encodeSignedBytes,
  formatEnvelope,
  parseEnvelope,
} from '../../../src/core/signing/envelope/dsse.ts'
import { parseStrictJson } from '../../../src/core/signing/envelope/strict-json.ts'
import {
  parseTrustedKey,
  toVerificationKey,
} from '../../../src/core/signing/keys/verification-key.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createSigner, signRelease } from './signed-skill.ts'

const refuse = (problem: string) => new Error(problem)

describe('the signed bytes of DSSE', () => {
  it('are those of the example of the specification', () => {
    const bytes = encodeSignedBytes('http://example.com/HelloWorld', Buffer.from('hello world'))
    expect(bytes.toString()).toBe('DSSEv1 29 http://example.com/HelloWorld 11 hello world')
  })

  it('have lengths in bytes, and are unambiguous', () => {
    expect(encodeSignedBytes('é', Buffer.from('ü')).toString()).toBe('DSSEv1 2 é 2 ü')
    expect(encodeSignedBytes('', Buffer.alloc(0)).toString()).toBe('DSSEv1 0  0 ')
    const [a, b] = [
      encodeSignedBytes('a', Buffer.from('b c')),
      encodeSignedBytes('a b', Buffer.from('c')),
    ]
    expect(a.equals(b)).toBe(false)
  })

  it('verify with the key and the envelope of the specification', () => {
    const text = `{"payload": "aGVsbG8gd29ybGQ=",
      "payloadType": "http://example.com/HelloWorld",
      "signatures": [{"sig": "A3JqsQGtVsJ2O2xqrI5IcnXip5GToJ3F+FnZ+O88SjtR6rDAajabZKciJTfUiHqJPcIAriEGAHTVeCUjW2JIZA=="}]}`
    const { payload, payloadType, signatures } = parseEnvelope(text, refuse)
    const toCoordinate = (decimal: string) =>
      Buffer.from(BigInt(decimal).toString(16).padStart(64, '0'), 'hex').toString('base64url')
    const key = createPublicKey({
      format: 'jwk',
      key: {
        kty: 'EC',
        crv: 'P-256',
        x: toCoordinate(
          '46950820868899156662930047687818585632848591499744589407958293238635476079160',
        ),
        y: toCoordinate(
          '5640078356564379163099075877009565129882514886557779369047442380624545832820',
        ),
      },
    })
    const signature = { key, dsaEncoding: 'ieee-p1363' as const }
    const bytes = signatures[0]?.bytes ?? Buffer.alloc(0)
    expect(verify('sha256', encodeSignedBytes(payloadType, payload), signature, bytes)).toBe(true)
    expect(verify('sha256', payload, signature, bytes)).toBe(false)
  })
})

describe('an envelope', () => {
  it('is the same after it was written and read', () => {
    const envelope = signRelease(createSigner('alice'))
    expect(parseEnvelope(formatEnvelope(envelope), refuse)).toEqual(envelope)
  })

  it('may have base64 of either alphabet, but only one text for the same bytes', () => {
    expect(decodeBase64('-_8=')).toEqual(Buffer.from([0xfb, 0xff]))
    expect(decodeBase64('-_8')).toEqual(Buffer.from([0xfb, 0xff]))
    expect(decodeBase64('+/8=')).toEqual(Buffer.from([0xfb, 0xff]))
    // The decoder of Node takes each of these.
    for (const text of ['+/9=', '+/8', '+/8=\n', ' +/8=', '+_8=', '-_9=', '+/8=====', '+/8=x']) {
      expect(Buffer.from(text, 'base64').length).toBeGreaterThan(0)
      expect(decodeBase64(text)).toBeUndefined()
    }
  })

  it('with malleable base64 is refused', () => {
    const text = formatEnvelope(signRelease(createSigner('alice')))
    const signature = /"sig":"([^"]+)"/.exec(text)?.[1] ?? ''
    for (const other of [`${signature}\\n`, ` ${signature}`, signature.replace(/==$/, '')]) {
      const changed = text.replace(signature, other)
      expect(() => parseEnvelope(changed, refuse)).toThrow(/canonical base64/)
    }
  })

  it.each([
    [
      '{"payload":"","payload":"eA==","payloadType":"x","signatures":[]}',
      /"payload" is there twice/,
    ],
    ['{"payload":"","payloadType":"x"}', /signatures is missing/],
    ['{"payload":"","payloadType":7,"signatures":[]}', /payloadType is 7, expected a text/],
    [
      `{"payload":"","payloadType":"x","signatures":[${'{},'.repeat(9)}{}]}`,
      /more than 8 elements/,
    ],
    ['[]', /expected an object/],
    ['{', /it is not JSON/],
    ['['.repeat(100_000), /nested too deeply/],
  ])('is refused: %.60s', (text, message) => {
    expect(() => parseEnvelope(text, refuse)).toThrow(message)
  })

  it('with a key twice in a nested object is refused, also if one is escaped', () => {
    expect(() => parseStrictJson('{"a":[{"b":1,"\\u0062":2}]}', refuse)).toThrow(
      /"b" is there twice/,
    )
    expect(parseStrictJson('{"a":{"b":1},"b":{"b":2}}', refuse).at('b').at('b').count()).toBe(2)
  })
})

describe('a file of envelopes', () => {
  it('that is huge is refused before it is read', () => {
    const file = join(createFolder({ 'a.jsonl': '' }), 'a.jsonl')
    truncateSync(file, 64 * 1024 ** 3)
    expect(() => readBundle(file)).toThrow(/has 68719476736 bytes, expected at most 8388608/)
  })

  it('with too many lines is refused, and empty lines do not count', () => {
    const line = `${formatEnvelope(signRelease(createSigner('alice')))}\n`
    const file = join(createFolder({ 'a.jsonl': line.repeat(65) }), 'a.jsonl')
    expect(() => readBundle(file)).toThrow(/more than 64 lines/)
    writeFileSync(file, `${line}\n\n${line}`)
    expect(readBundle(file)).toHaveLength(2)
  })

  it('that is a folder is refused, and a missing one is absent', () => {
    const folder = createFolder()
    expect(() => readBundle(folder)).toThrow(/is not a file/)
    expect(readBundle(join(folder, 'none'))).toBeUndefined()
  })
})

describe('a public key', () => {
  const prefix = Buffer.from('302a300506032b6570032100', 'hex')

  it('of small order is refused: anyone can sign for it', () => {
    const identity = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)])
    const key = createPublicKey({
      key: Buffer.concat([prefix, identity]),
      format: 'der',
      type: 'spki',
    })
    const forged = Buffer.concat([identity, Buffer.alloc(32)])
    // The control: Node before 24 accepts this signature for every text.
    const isAccepted = Number.parseInt(process.versions.node, 10) < 24
    expect(verify(null, Buffer.from('any text'), key, forged)).toBe(isAccepted)
    expect(() => toVerificationKey(key, 'weak')).toThrow(/small order/)
    const negative = Buffer.from(identity)
    negative[31] = 0x80
    const text = Buffer.concat([prefix, negative]).toString('base64')
    expect(() => parseTrustedKey(text, 'weak')).toThrow(/small order/)
  })

  it('of another kind is refused, as is a private key', () => {
    const { signing } = createSigner('alice')
    const secret = signing.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    expect(() => parseTrustedKey(secret, 'x')).toThrow(/is a private key/)
    expect(createPrivateKey(secret).type).toBe('private')
    expect(() => parseTrustedKey('x', 'x')).toThrow(/is not a public key/)
    expect(sign(null, Buffer.from(''), signing.privateKey)).toHaveLength(64)
  })
})
