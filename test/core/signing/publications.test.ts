import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { encodeSignedBytes, formatEnvelope } from '../../../src/core/signing/envelope/dsse.ts'
import { parseTrustedKey } from '../../../src/core/signing/keys/verification-key.ts'
import { STATEMENT_PAYLOAD } from '../../../src/core/signing/statement/statement.ts'
import type { TrustedKey } from '../../../src/core/signing/trust/trust-list.ts'
import {
  createStatement,
  openRoot,
  PUBLICATION,
  summarize,
  verifyPackage,
} from './attestation-fixtures.ts'
import { startAuthority } from './sigstore-authority.ts'

describe('the publication of a package by its registry', () => {
  const createKey = (facts: Partial<TrustedKey> = {}) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const text = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    const trusted: TrustedKey = {
      ...parseTrustedKey(text, 'registry'),
      name: 'registry',
      sources: ['npm:@alice/*'],
      isFirstUse: false,
      ...facts,
    }
    return { privateKey, trusted }
  }
  const signWith = async (key: KeyObject) => {
    const authority = await startAuthority()
    const payload = createStatement({
      type: PUBLICATION,
      statementType: 'https://in-toto.io/Statement/v0.1',
      predicate: { name: '@alice/greet', version: '1.0.0', registry: 'https://registry.example' },
    })
    return {
      bundle: await authority.sign(payload, { key }),
      sigstore: await openRoot(authority.root),
      payload,
    }
  }

  it('is trusted if the list has the key of the registry', async () => {
    const { privateKey, trusted } = createKey()
    const { bundle, sigstore } = await signWith(privateKey)
    const found = verifyPackage([bundle], { sigstore, trusted: [trusted] })
    expect(summarize(found)).toEqual(['verified', 'trusted'])
    const others = [createKey().trusted, createKey().trusted]
    const missing = verifyPackage([bundle], { sigstore, trusted: others })
    expect(summarize(missing)).toEqual(['untrusted', 'unchecked'])
    expect(missing.attestations[0]?.problem).toContain('"SHA256:registry"')
  })

  it.each([
    ['revoked', { revoked: { since: '2026-01-01T00:00:00.000Z', reason: 'x' } }],
    ['expired', { expires: '2026-01-01T00:00:00.000Z' }],
    ['source', { sources: ['npm:@bob/*'] }],
  ])('by a key that is %s does not count', async (state, facts) => {
    const { privateKey, trusted } = createKey(facts)
    const { bundle, sigstore } = await signWith(privateKey)
    const found = verifyPackage([bundle], { sigstore, trusted: [trusted] })
    expect(summarize(found)).toEqual([state, state])
  })

  it('is not trusted without the log, which would allow any date', async () => {
    const { privateKey, trusted } = createKey()
    const { bundle, sigstore, payload } = await signWith(privateKey)
    const unlogged = bundle.replace(/"tlogEntries":\[.*?\}\]/, '"tlogEntries":[]')
    expect(unlogged).not.toBe(bundle)
    const found = verifyPackage([unlogged], { sigstore, trusted: [trusted] })
    expect(summarize(found)).toEqual(['untrusted', 'unchecked'])
    // The same key and statement in an envelope without a bundle.
    const bytes = sign('sha256', encodeSignedBytes(STATEMENT_PAYLOAD, payload), privateKey)
    const signatures = [{ keyId: undefined, bytes }]
    const plain = formatEnvelope({ payloadType: STATEMENT_PAYLOAD, payload, signatures })
    expect(summarize(verifyPackage([plain], { sigstore, trusted: [trusted] }))).toEqual([
      'untrusted',
    ])
    expect(createPublicKey(privateKey).asymmetricKeyType).toBe('ec')
  })
})
