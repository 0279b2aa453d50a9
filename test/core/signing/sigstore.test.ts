import { describe, expect, it } from 'vitest'
import { formatEnvelope, parseEnvelope } from '../../../src/core/signing/envelope/dsse.ts'
import { openSigstoreVerifier } from '../../../src/core/signing/sigstore/verify-sigstore.ts'
import { formatStatement } from '../../../src/core/signing/statement/statement.ts'
import { parseIdentityPattern, parseIssuer } from '../../../src/core/signing/trust/identity.ts'
import { formatTrust, parseTrust } from '../../../src/core/signing/trust/parse-trust.ts'
import type { TrustedIdentity } from '../../../src/core/signing/trust/trust-list.ts'
import { digestBytes } from '../../../src/core/signing/statement/digest-bytes.ts'
import { ISSUER, startAuthority, WORKFLOW, type SignatureFacts } from './sigstore-authority.ts'
import { createSigner, signRelease, verifyFiles } from './signed-skill.ts'

const refuse = (problem: string) => new Error(problem)

function trustIdentity(facts: Partial<TrustedIdentity> = {}) {
  const identity = 'https://github.com/alice/skills/.github/workflows/release.yml@*'
  const entry: TrustedIdentity = {
    name: 'alice-ci',
    id: `${ISSUER} ${identity}`,
    identity,
    issuer: ISSUER,
    sources: ['github:alice/*'],
    isFirstUse: false,
    ...facts,
  }
  return { keys: [entry], rules: [] }
}

/** The usual release, signed by the workflow of the authority. */
async function signByWorkflow(facts: SignatureFacts = {}) {
  const authority = await startAuthority()
  const { payload } = signRelease(createSigner('unused'))
  const text = await authority.sign(payload, facts)
  const sigstore = await openSigstoreVerifier(authority.root, refuse)
  return { authority, text, sigstore, envelopes: [parseEnvelope(text, refuse)] }
}

describe('a bundle of sigstore', () => {
  it('is verified by its identity with the root of its authority, the control of the attacks', async () => {
    const { envelopes, sigstore } = await signByWorkflow()
    const found = verifyFiles({ envelopes, sigstore, trust: trustIdentity() })
    expect(found).toMatchObject({ state: 'verified', signers: [{ key: { name: 'alice-ci' } }] })
  })

  it('is untrusted without a root, and with the root of another authority', async () => {
    const { envelopes } = await signByWorkflow()
    const other = await openSigstoreVerifier((await startAuthority()).root, refuse)
    for (const sigstore of [undefined, other]) {
      const found = verifyFiles({ envelopes, sigstore, trust: trustIdentity() })
      expect(found.state).toBe('untrusted')
    }
  })

  it.each([
    ['another workflow', WORKFLOW.replace('release.yml', 'test.yml'), ISSUER],
    ['a repository with a longer name', WORKFLOW.replace('/skills/', '/skills-2/'), ISSUER],
    ['another issuer', WORKFLOW, 'https://issuer.example'],
  ])('of %s is untrusted', async (_, identity, issuer) => {
    const { envelopes, sigstore } = await signByWorkflow({ identity, issuer })
    const found = verifyFiles({ envelopes, sigstore, trust: trustIdentity() })
    expect(found.state).toBe('untrusted')
    const exact = trustIdentity({ identity, issuer })
    expect(verifyFiles({ envelopes, sigstore, trust: exact }).state).toBe('verified')
  })

  it('of a revoked or expired identity, or for another source, does not verify', async () => {
    const { envelopes, sigstore } = await signByWorkflow()
    const since = '2026-01-01T00:00:00.000Z'
    for (const [state, facts] of [
      ['revoked', { revoked: { since, reason: 'x' } }],
      ['expired', { expires: since }],
      ['source', { sources: ['github:acme/*'] }],
    ] as const) {
      const found = verifyFiles({ envelopes, sigstore, trust: trustIdentity(facts) })
      expect(found.state).toBe(state)
    }
  })

  it.each([
    ['payload', (text: string) => text.replace(/"payload":"e/, '"payload":"f')],
    ['signature', (text: string) => text.replace(/"sig":"(.{8})/, '"sig":"MEUCIQDx')],
    [
      'entry of the log',
      (text: string) => text.replace(/"tlogEntries":\[.*?\}\],/, '"tlogEntries":[],'),
    ],
    [
      'time in the log',
      (text: string) => text.replace(/"integratedTime":"\d/, '"integratedTime":"9'),
    ],
  ])('with a changed %s is untrusted', async (_, change) => {
    const { text, sigstore } = await signByWorkflow()
    expect(change(text)).not.toBe(text)
    const envelopes = [parseEnvelope(change(text), refuse)]
    const found = verifyFiles({ envelopes, sigstore, trust: trustIdentity() })
    expect(found.state).toBe('untrusted')
  })

  it('whose signature was taken for a key is untrusted, and the reverse', async () => {
    const alice = createSigner('alice')
    const { text, sigstore } = await signByWorkflow()
    const bundle = JSON.parse(text) as { dsseEnvelope: object }
    const signed = JSON.parse(formatEnvelope(signRelease(alice))) as object
    const trust = { keys: [...trustIdentity().keys, alice.trusted], rules: [] }
    const swapped = JSON.stringify({ ...bundle, dsseEnvelope: signed })
    for (const each of [swapped, JSON.stringify(bundle.dsseEnvelope)]) {
      const envelopes = [parseEnvelope(each, refuse)]
      expect(verifyFiles({ envelopes, sigstore, trust }).state).toBe('untrusted')
    }
  })

  it('is written as it was read', async () => {
    const { text, envelopes } = await signByWorkflow()
    expect(JSON.parse(formatEnvelope(envelopes[0]!))).toEqual(JSON.parse(text))
  })
})

describe('the provenance of an archive', () => {
  it('verifies the archive with these bytes, and no other', async () => {
    const authority = await startAuthority()
    const archiveDigest = digestBytes(Buffer.from('archive'))
    const subjects = [{ name: 'greet-1.0.0.tar.gz', digest: archiveDigest }]
    const payload = formatStatement('https://slsa.dev/provenance/v1', subjects, {})
    const envelopes = [parseEnvelope(await authority.sign(payload), refuse)]
    const sigstore = await openSigstoreVerifier(authority.root, refuse)
    const verify = (digest: string | undefined, expected?: string) =>
      verifyFiles({
        envelopes,
        sigstore,
        trust: trustIdentity(),
        source: 'github:alice/skills',
        expected,
        artifact: {
          name: 'demo.greet@1.0.0',
          digest: digestBytes(Buffer.from('tree')),
          files: [],
          archiveDigest: digest,
        },
      }).state
    expect(verify(archiveDigest)).toBe('verified')
    expect(verify(archiveDigest, 'demo.greet@1.0.0')).toBe('verified')
    expect(verify(archiveDigest, 'demo.greet@2.0.0')).toBe('other')
    expect(verify(digestBytes(Buffer.from('x')))).toBe('other')
    expect(verify(undefined)).toBe('other')
  })
})

describe('an identity of the trust list', () => {
  it('is the same after it was written and read', () => {
    const text = formatTrust(trustIdentity())
    expect(formatTrust(parseTrust(text, 'trust.json'))).toBe(text)
    const broken = text.replace('"issuer"', '"isuer"')
    expect(() => parseTrust(broken, 'trust.json')).toThrow(/expected one of the keys/)
  })

  it.each([
    '*',
    'https://*',
    'https://github.com/*',
    'https://github.com/al*',
    'https://a/b/*/c',
    '',
  ])('must not have the pattern %j', (pattern) => {
    expect(() => parseIdentityPattern(pattern)).toThrow(/is not an identity/)
  })

  it.each(['https://github.com/alice/*', WORKFLOW, 'alice@example.com'])(
    'may have the pattern %s',
    (pattern) => {
      expect(parseIdentityPattern(pattern)).toBe(pattern)
      expect(() => parseIssuer('token.actions.githubusercontent.com')).toThrow(/is not the issuer/)
    },
  )
})

describe('a trusted root', () => {
  it.each([
    ['{}', /mediaType is missing/],
    [
      '{"mediaType":"application/vnd.dev.sigstore.trustedroot+json"}',
      /a log or an authority of time/,
    ],
    [
      '{"mediaType":"application/vnd.dev.sigstore.trustedroot+json","ctlogs":[],"tlogs":[{"publicKey":{"keyDetails":"x"}}]}',
      /is not a trusted root/,
    ],
  ])('that is not valid is refused: %s', async (text, message) => {
    await expect(openSigstoreVerifier(text, refuse)).rejects.toThrow(message)
  })
})
