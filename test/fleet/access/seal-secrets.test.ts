import { describe, expect, it } from 'vitest'
import {
  SecretOpener,
  sealSecrets,
  type SealBinding,
  type SealedSecrets,
} from '../../../src/fleet/access/seal-secrets.ts'

const SECRETS = new Map([
  ['API_KEY', 'value-of-the-api-key'],
  ['OTHER', 'ümlaut\nand a line'],
])
const CALL: SealBinding = {
  call: '0123456789abcdef',
  attempt: 1,
  method: 'execute_skill',
  params: { name: 'demo.greet', args: { n: 1.5, list: [null, 'ü'] } },
  sent: { caller: { door: 'http', name: 'alice' }, allowNetwork: false },
  node: 'worker-1',
  start: '00aa',
}

/** As the worker has it after the message. */
function transfer<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

/** Changes one character. */
function damage(text: string): string {
  return (text.startsWith('A') ? 'B' : 'A') + text.slice(1)
}

describe('sealed secrets', () => {
  const worker = new SecretOpener()
  const sealed = sealSecrets(SECRETS, worker.publicKey, CALL)

  it('are opened by the worker for the call', () => {
    expect(worker.open(transfer(sealed), transfer(CALL))).toEqual(SECRETS)
  })

  it('have no value and no name in clear', () => {
    const text = JSON.stringify(sealed)
    const decoded = Object.values(sealed).map((each) => Buffer.from(each, 'base64url').toString())
    for (const [name, value] of SECRETS) {
      for (const each of [text, ...decoded]) {
        expect(each).not.toContain(name)
        expect(each).not.toContain(value)
      }
    }
  })

  it('differ each time', () => {
    const again = sealSecrets(SECRETS, worker.publicKey, CALL)
    for (const part of ['key', 'iv', 'data', 'tag'] as const)
      expect(again[part]).not.toBe(sealed[part])
  })

  it('are not opened by another worker, or another start of the same', () => {
    expect(new SecretOpener().open(sealed, CALL)).toBeUndefined()
  })

  it.each<[string, Partial<SealBinding>]>([
    ['another call', { call: 'fedcba9876543210' }],
    ['another attempt', { attempt: 2 }],
    ['another method', { method: 'run_code' }],
    ['other parameters', { params: { name: 'demo.leak', args: {} } }],
    ['another caller', { sent: { ...CALL.sent, caller: { door: 'http', name: 'mallory' } } }],
    ['a call with the network', { sent: { ...CALL.sent, allowNetwork: true } }],
    ['another node', { node: 'worker-2' }],
    ['another start', { start: '00ab' }],
  ])('are not opened for %s', (_, other) => {
    expect(worker.open(sealed, { ...CALL, ...other })).toBeUndefined()
  })

  it.each<[string, SealedSecrets]>([
    ['data', { ...sealed, data: damage(sealed.data) }],
    ['tag', { ...sealed, tag: damage(sealed.tag) }],
    ['short tag', { ...sealed, tag: sealed.tag.slice(0, 8) }],
    ['iv', { ...sealed, iv: damage(sealed.iv) }],
    ['no iv', { ...sealed, iv: '' }],
    ['key', { ...sealed, key: damage(sealed.key) }],
    ['key of low order', { ...sealed, key: 'A'.repeat(43) }],
    ['no key', { ...sealed, key: '' }],
    ['other shape', null as unknown as SealedSecrets],
  ])('with a changed %s are not opened', (_, changed) => {
    expect(worker.open(changed, CALL)).toBeUndefined()
  })
})
