import { sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { digestContent } from '../../../src/core/skills/content/content-manifest.ts'
import {
  encodeSignedBytes,
  signEnvelope,
  type SignedEnvelope,
} from '../../../src/core/signing/envelope/dsse.ts'
import { STATEMENT_PAYLOAD } from '../../../src/core/signing/statement/statement.ts'
import type { TrustRule } from '../../../src/core/signing/trust/trust-list.ts'
import {
  createEntry,
  createSigner,
  FILES,
  NOW,
  signRelease,
  trustSigners,
  verifyFiles,
} from './signed-skill.ts'

const [alice, bob, mallory] = ['alice', 'bob', 'mallory'].map((name) => createSigner(name)) as [
  ReturnType<typeof createSigner>,
  ReturnType<typeof createSigner>,
  ReturnType<typeof createSigner>,
]
const trust = trustSigners(alice, bob)

/** The same payload under a changed text, signed again. */
function signChanged(edit: (text: string) => string): SignedEnvelope {
  const { payload } = signRelease(alice)
  return signEnvelope(STATEMENT_PAYLOAD, Buffer.from(edit(payload.toString())), alice.signing)
}

describe('a signed skill', () => {
  it('is verified by the key of its signer, the control of the attacks', () => {
    const found = verifyFiles({ envelopes: [signRelease(alice)], trust })
    expect(found).toMatchObject({
      state: 'verified',
      signers: [{ key: { name: 'alice' }, state: 'valid' }],
      release: { source: { repo: 'github:alice/skills' } },
    })
  })

  it('without signatures is unsigned', () => {
    expect(verifyFiles({ envelopes: undefined, trust }).state).toBe('unsigned')
    expect(verifyFiles({ envelopes: [], trust }).state).toBe('unsigned')
  })

  it('is untrusted if no key of the list signed it', () => {
    const envelopes = [signRelease(mallory)]
    expect(verifyFiles({ envelopes, trust }).state).toBe('untrusted')
    const knowing = trustSigners(mallory)
    expect(verifyFiles({ envelopes, trust: knowing }).state).toBe('verified')
  })

  it.each([
    ['a changed file', [FILES[0]!, createEntry('main.py', 'x')], { changed: ['main.py'] }],
    ['an extra file', [...FILES, createEntry('z.py', '')], { extra: ['z.py'] }],
    ['a missing file', [FILES[0]!], { missing: ['main.py'] }],
    [
      'a changed mode',
      [FILES[0]!, { ...FILES[1]!, mode: '100755' as const }],
      { changed: ['main.py'] },
    ],
    [
      'a link in place of a file',
      [FILES[0]!, { ...FILES[1]!, mode: '120000' as const }],
      { changed: ['main.py'] },
    ],
  ])('with %s is changed, and the file is named', (_, files, changes) => {
    const found = verifyFiles({ envelopes: [signRelease(alice)], trust }, files)
    const none = { changed: [], extra: [], missing: [] }
    expect(found).toMatchObject({ state: 'changed', changes: { ...none, ...changes } })
  })

  it('is not verified by the signatures of another version or skill', () => {
    const older = [createEntry('SKILL.md', '# Old\n')]
    for (const name of ['demo.greet@0.9.0', 'demo.other@1.0.0']) {
      const envelopes = [signRelease(alice, { name, files: older })]
      const found = verifyFiles({ envelopes, trust })
      expect(found).toMatchObject({ state: 'other', subjects: [{ name }] })
    }
    const renamed = [signRelease(alice, { name: 'demo.greet@0.9.0' })]
    expect(verifyFiles({ envelopes: renamed, trust }).state).toBe('other')
  })

  it('of an older version with its own signatures is not the expected version', () => {
    const files = [createEntry('SKILL.md', '# Old\n')]
    const envelopes = [signRelease(alice, { name: 'demo.greet@0.9.0', files })]
    const artifact = {
      name: 'demo.greet@0.9.0',
      digest: digestContent(files),
      files,
    }
    const expected = 'demo.greet@1.0.0'
    expect(verifyFiles({ envelopes, trust, artifact, expected }).state).toBe('other')
    expect(verifyFiles({ envelopes, trust, artifact }).state).toBe('verified')
  })
})

describe('an envelope', () => {
  it('whose payload type was changed is not verified', () => {
    const envelope = { ...signRelease(alice), payloadType: 'application/json' }
    expect(() => verifyFiles({ envelopes: [envelope], trust })).toThrow(/payload type/)
  })

  it('of another payload type is refused even if its signature is valid', () => {
    const { payload } = signRelease(alice)
    const envelope = signEnvelope('application/vnd.other+json', payload, alice.signing)
    expect(() => verifyFiles({ envelopes: [envelope], trust })).toThrow(/payload type/)
  })

  it.each([
    ['the payload alone', (_type: string, payload: Buffer) => payload],
    ['another type', (_type: string, payload: Buffer) => encodeSignedBytes('x', payload)],
    [
      'lengths in characters',
      (type: string, payload: Buffer) =>
        Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} 0 `), payload]),
    ],
  ])('with a signature over %s is untrusted', (_, encode) => {
    const { payload, payloadType } = signRelease(alice)
    const signWith = (bytes: Buffer) => ({
      payload,
      payloadType,
      signatures: [{ keyId: alice.signing.id, bytes: sign(null, bytes, alice.signing.privateKey) }],
    })
    const attack = signWith(encode(payloadType, payload))
    expect(verifyFiles({ envelopes: [attack], trust }).state).toBe('untrusted')
    const control = signWith(encodeSignedBytes(payloadType, payload))
    expect(verifyFiles({ envelopes: [control], trust }).state).toBe('verified')
  })

  it('with a key id that lies counts for the key that signed', () => {
    const relabel = (envelope: SignedEnvelope, keyId: string) => ({
      ...envelope,
      signatures: envelope.signatures.map(({ bytes }) => ({ keyId, bytes })),
    })
    const forged = relabel(signRelease(mallory), alice.signing.id)
    expect(verifyFiles({ envelopes: [forged], trust }).state).toBe('untrusted')
    const mislabelled = relabel(signRelease(alice), bob.signing.id)
    const { signers } = verifyFiles({ envelopes: [mislabelled], trust })
    expect(signers.map(({ key }) => key.name)).toEqual(['alice'])
  })

  it('with a key twice in its signed payload is refused', () => {
    const twice = signChanged((text) =>
      text.replace('"predicateType"', '"predicateType":"x","predicateType"'),
    )
    expect(() => verifyFiles({ envelopes: [twice], trust })).toThrow(
      /"predicateType" is there twice/,
    )
    const control = signChanged((text) => text)
    expect(verifyFiles({ envelopes: [control], trust }).state).toBe('verified')
  })

  it('whose digest is not that of its list of files is refused', () => {
    const lying = signChanged((text) => text.replace('"size":8', '"size":9'))
    expect(() => verifyFiles({ envelopes: [lying], trust })).toThrow(/the digest of its files/)
  })
})

describe('a key', () => {
  const withAlice = (facts: Partial<typeof alice.trusted>) => ({
    keys: [{ ...alice.trusted, ...facts }],
    rules: [],
  })
  const envelopes = [signRelease(alice)]

  it('that is revoked never verifies, not even what it signed before', () => {
    const revoked = { since: '2026-11-20T00:00:00.000Z', reason: 'stolen' }
    const found = verifyFiles({ envelopes, trust: withAlice({ revoked }) })
    expect(found).toMatchObject({ state: 'revoked', signers: [{ state: 'revoked' }] })
  })

  it('that has expired does not verify, whatever time the signature claims', () => {
    const expires = '2026-11-22T00:00:00.000Z'
    expect(verifyFiles({ envelopes, trust: withAlice({ expires }) }).state).toBe('expired')
    const earlier = { now: NOW - 2 * 86_400_000 }
    expect(verifyFiles({ envelopes, trust: withAlice({ expires }), ...earlier }).state).toBe(
      'verified',
    )
  })

  it('for another source does not verify', () => {
    const claimed = [signRelease(alice, { repo: 'github:acme/skills' })]
    expect(verifyFiles({ envelopes: claimed, trust }).state).toBe('source')
    expect(verifyFiles({ envelopes, trust, source: 'github:acme/skills' }).state).toBe('source')
    expect(verifyFiles({ envelopes, trust, source: 'github:alice/other' }).state).toBe('verified')
  })

  it('for some sources does not verify what states none', () => {
    const unstated = [signRelease(alice, { repo: undefined })]
    expect(verifyFiles({ envelopes: unstated, trust }).state).toBe('source')
    const everywhere = withAlice({ sources: ['*'] })
    expect(verifyFiles({ envelopes: unstated, trust: everywhere }).state).toBe('verified')
  })
})

describe('a rule of two keys', () => {
  const rule = (keys?: readonly string[]): TrustRule => ({
    source: 'github:alice/*',
    threshold: 2,
    keys,
  })
  const both = { ...trust, rules: [rule()] }

  it('is fulfilled by two keys, in one envelope or in two', () => {
    const [first, second] = [signRelease(alice), signRelease(bob)]
    expect(verifyFiles({ envelopes: [first, second], trust: both }).state).toBe('verified')
    const joined = { ...first, signatures: [...first.signatures, ...second.signatures] }
    expect(verifyFiles({ envelopes: [joined], trust: both }).state).toBe('verified')
  })

  it('is not fulfilled by several signatures of one key', () => {
    const { signatures, ...rest } = signRelease(alice)
    const twice = {
      ...rest,
      signatures: [...signatures, { ...signatures[0]!, keyId: bob.signing.id }],
    }
    for (const envelopes of [[twice], [signRelease(alice), signRelease(alice, { files: FILES })]]) {
      const found = verifyFiles({ envelopes, trust: both })
      expect(found).toMatchObject({ state: 'threshold', threshold: { reached: 1, required: 2 } })
    }
  })

  it('counts no key that is revoked, unknown, or of other content', () => {
    const [, trustedBob] = trust.keys as [unknown, typeof bob.trusted]
    const revoked = { ...trustedBob, revoked: { since: '2026-01-01T00:00:00.000Z', reason: 'x' } }
    const cases = [
      { envelopes: [signRelease(alice), signRelease(bob)], keys: [alice.trusted, revoked] },
      { envelopes: [signRelease(alice), signRelease(mallory)], keys: trust.keys },
      {
        envelopes: [signRelease(alice), signRelease(bob, { files: [FILES[0]!] })],
        keys: trust.keys,
      },
    ]
    for (const { envelopes, keys } of cases) {
      const found = verifyFiles({ envelopes, trust: { keys, rules: [rule()] } })
      expect(found).toMatchObject({ state: 'threshold', threshold: { reached: 1, required: 2 } })
    }
  })

  it('counts only the keys that it names', () => {
    const carol = createSigner('carol')
    const three = { ...trustSigners(alice, bob, carol), rules: [rule(['alice', 'bob'])] }
    const envelopes = [signRelease(alice), signRelease(carol)]
    expect(verifyFiles({ envelopes, trust: three }).state).toBe('threshold')
    expect(verifyFiles({ envelopes: [...envelopes, signRelease(bob)], trust: three }).state).toBe(
      'verified',
    )
  })
})
