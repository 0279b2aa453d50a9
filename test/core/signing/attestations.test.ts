import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { STATEMENT_PAYLOAD } from '../../../src/core/signing/statement/statement.ts'
import {
  ARCHIVE,
  createProvenance,
  createStatement,
  FACTS,
  openRoot,
  signProvenance,
  summarize,
  trustWorkflow,
  verifyPackage,
  type StatementVariant,
} from './attestation-fixtures.ts'
import { ISSUER, startAuthority, WORKFLOW } from './sigstore-authority.ts'

const SHA512 = hash('sha512', ARCHIVE)
const SHA256 = hash('sha256', ARCHIVE)

/** Changes the payload of a bundle, and not its signature. */
function changePayload(bundle: string, change: (text: string) => string): string {
  const document = JSON.parse(bundle) as { dsseEnvelope: { payload: string } }
  const before = Buffer.from(document.dsseEnvelope.payload, 'base64').toString('utf8')
  expect(change(before)).not.toBe(before)
  document.dsseEnvelope.payload = Buffer.from(change(before)).toString('base64')
  return JSON.stringify(document)
}

describe('the provenance of a package of npm', () => {
  it('is trusted, the control of the attacks, and states how the package was built', async () => {
    const { bundle, sigstore } = await signProvenance()
    const found = verifyPackage([bundle], { sigstore })
    expect(summarize(found)).toEqual(['verified', 'trusted'])
    expect(found.signers).toMatchObject([{ key: { name: 'alice-ci' }, state: 'valid' }])
    expect(found.attestations).toMatchObject([
      {
        signer: { name: 'alice-ci' },
        certificate: { identity: WORKFLOW, issuer: ISSUER },
        statement: { provenance: FACTS },
      },
    ])
  })

  it.each<[string, StatementVariant]>([
    ['another package', { name: 'pkg:npm/%40alice/other@1.0.0' }],
    ['another version', { name: 'pkg:npm/%40alice/greet@1.0.1' }],
    ['a package with the same letters', { name: 'pkg:npm/@alice/greet@1.0.0' }],
    ['a file and not of a package', { name: 'greet.tgz' }],
    ['another digest', { digest: { sha512: hash('sha512', 'other') } }],
    ['another package with this SHA-256', { name: 'pkg:npm/x@1.0.0', digest: { sha256: SHA256 } }],
    ['a digest of another algorithm', { digest: { sha1: hash('sha1', ARCHIVE) } }],
  ])('about %s is about something else', async (_, variant) => {
    const { authority, bundle, sigstore } = await signProvenance(variant)
    expect(summarize(verifyPackage([bundle], { sigstore }))).toEqual(['other', 'other'])
    const own = await authority.sign(createStatement())
    expect(summarize(verifyPackage([own], { sigstore }))).toEqual(['verified', 'trusted'])
  })

  it('by GitHub about the file of the archive is trusted by its SHA-256', async () => {
    const variant = { name: 'greet-1.0.0.tgz', digest: { sha256: SHA256 } }
    const { bundle, sigstore } = await signProvenance(variant)
    expect(summarize(verifyPackage([bundle], { sigstore }))).toEqual(['verified', 'trusted'])
  })

  it.each([
    ['another workflow', { identity: WORKFLOW.replace('release.yml', 'test.yml') }],
    ['another repository', { identity: WORKFLOW.replace('alice/skills', 'mallory/skills') }],
    ['another issuer', { issuer: 'https://issuer.example' }],
  ])('by %s is not trusted, until the user trusts it', async (_, facts) => {
    const { authority, sigstore } = await signProvenance()
    const bundle = await authority.sign(createStatement(), facts)
    expect(summarize(verifyPackage([bundle], { sigstore }))).toEqual(['untrusted', 'untrusted'])
    const exact = trustWorkflow({ identity: WORKFLOW, ...facts })
    const found = verifyPackage([bundle], { sigstore, trusted: [exact] })
    expect(summarize(found)).toEqual(['verified', 'trusted'])
  })

  it('by a workflow that is trusted for other sources is not trusted for this one', async () => {
    const { bundle, sigstore } = await signProvenance()
    const source = 'npm:@mallory/greet'
    expect(summarize(verifyPackage([bundle], { sigstore, source }))).toEqual(['source', 'source'])
    // The entry has to cover the package and the repository.
    for (const sources of [['npm:@alice/*'], ['github:alice/*']]) {
      const found = verifyPackage([bundle], { sigstore, trusted: [trustWorkflow({ sources })] })
      expect(summarize(found)).toEqual(['source', 'source'])
    }
  })

  it.each([
    ['revoked', { revoked: { since: '2026-01-01T00:00:00.000Z', reason: 'x' } }],
    ['expired', { expires: '2026-01-01T00:00:00.000Z' }],
  ])('by a workflow whose trust is %s does not count', async (state, facts) => {
    const { bundle, sigstore } = await signProvenance()
    const found = verifyPackage([bundle], { sigstore, trusted: [trustWorkflow(facts)] })
    expect(summarize(found)).toEqual([state, state])
  })

  it.each([
    'https://github.com/mallory/skills',
    'https://github.com/alice-2/skills',
    'https://github.com.evil.example/alice/skills',
    'https://gitlab.com/alice/skills',
    'ssh://git@github.com/alice/skills',
    'https://github.com/mallory/skills#/alice/skills',
  ])('that names the repository %s is not covered by the patterns of alice', async (repository) => {
    const { authority, bundle, sigstore } = await signProvenance({
      predicate: createProvenance(repository),
    })
    expect(summarize(verifyPackage([bundle], { sigstore }))).toEqual(['source', 'source'])
    const own = await authority.sign(createStatement({ predicate: createProvenance() }))
    expect(summarize(verifyPackage([own], { sigstore }))).toEqual(['verified', 'trusted'])
  })

  it('whose certificate names another repository is not valid', async () => {
    const { authority, sigstore } = await signProvenance()
    const signFor = async (repository: string) =>
      await authority.sign(createStatement(), { repository })
    const [own, foreign] = [await signFor('Alice/Skills'), await signFor('mallory/skills')]
    expect(() => verifyPackage([foreign], { sigstore })).toThrow(
      /its provenance names the repository/,
    )
    expect(summarize(verifyPackage([foreign], { sigstore, trusted: [] }))).toEqual([
      'untrusted',
      'invalid',
    ])
    expect(summarize(verifyPackage([own], { sigstore }))).toEqual(['verified', 'trusted'])
  })

  it('without a repository is bound to the one of its certificate', async () => {
    const { authority, sigstore } = await signProvenance()
    const payload = createStatement({ predicate: {} })
    for (const [repository, state] of [
      ['mallory/skills', 'source'],
      ['alice/skills', 'verified'],
    ] as const) {
      const bundle = await authority.sign(payload, { repository })
      expect(verifyPackage([bundle], { sigstore }).state).toBe(state)
    }
  })

  it('is unchecked without a trusted root, and not valid with the root of another instance', async () => {
    const { bundle } = await signProvenance()
    const found = verifyPackage([bundle])
    expect(summarize(found)).toEqual(['untrusted', 'unchecked'])
    expect(found.attestations).toMatchObject([{ problem: 'no trusted root', statement: undefined }])
    const sigstore = await openRoot((await startAuthority()).root)
    expect(summarize(verifyPackage([bundle], { sigstore }))).toEqual(['untrusted', 'invalid'])
  })

  it.each<[string, (text: string) => string]>([
    [
      'without an entry of the log',
      (text) => text.replace(/"tlogEntries":\[.*?\}\],/, '"tlogEntries":[],'),
    ],
    [
      'without a proof that the log has it',
      (text) =>
        text
          .replace(/"inclusionPromise":\{[^}]*\},/, '')
          .replace(/"inclusionProof":\{.*?\}\}?,"canon/, '"canon'),
    ],
    [
      'with another time in the log',
      (text) => text.replace(/"integratedTime":"\d/, '"integratedTime":"9'),
    ],
    [
      'with the entry of another signature',
      (text) => text.replace(/"canonicalizedBody":"[^"]{8}/, '"canonicalizedBody":"e30gICAg'),
    ],
    ['with another signature', (text) => text.replace(/"sig":"(.{8})/, '"sig":"MEUCIQDx')],
  ])('%s is not valid', async (_, change) => {
    const { bundle, sigstore } = await signProvenance()
    expect(change(bundle)).not.toBe(bundle)
    expect(summarize(verifyPackage([change(bundle)], { sigstore }))).toEqual([
      'untrusted',
      'invalid',
    ])
    expect(summarize(verifyPackage([bundle], { sigstore }))).toEqual(['verified', 'trusted'])
  })

  it.each([
    ['the repository', (text: string) => text.replaceAll('alice/skills', 'mallory/skil')],
    ['the commit', (text: string) => text.replace('0123456789abcdef', 'f123456789abcdef')],
    ['the digest of the package', (text: string) => text.replace(SHA512.slice(0, 8), '00000000')],
    ['the name of the package', (text: string) => text.replace('greet@1.0.0', 'greet@1.0.1')],
  ])('with %s changed after the signature is not valid', async (_, change) => {
    const { bundle, sigstore } = await signProvenance()
    const changed = changePayload(bundle, change)
    expect(summarize(verifyPackage([changed], { sigstore }))).toEqual(['untrusted', 'invalid'])
  })

  it('of another payload type is refused, also with a valid signature', async () => {
    const { authority, bundle, sigstore } = await signProvenance()
    const renamed = bundle.replace(STATEMENT_PAYLOAD, 'text/plain')
    const signed = await authority.sign(createStatement(), { type: 'text/plain' })
    for (const each of [renamed, signed]) {
      expect(() => verifyPackage([each], { sigstore })).toThrow(/its payload type is "text\/plain"/)
    }
    // Signed as text, and presented as a statement.
    const presented = signed.replace('text/plain', STATEMENT_PAYLOAD)
    expect(summarize(verifyPackage([presented], { sigstore }))).toEqual(['untrusted', 'invalid'])
  })

  it('next to a second signature over other bytes is refused', async () => {
    const { authority, bundle, sigstore } = await signProvenance()
    const other = JSON.parse(await authority.signBytes(ARCHIVE)) as object
    const both = JSON.stringify({ ...(JSON.parse(bundle) as object), ...other })
    expect(() => verifyPackage([both], { sigstore })).toThrow(/no second signature/)
  })
})

describe('a bundle over the bytes of an archive', () => {
  it('is trusted for these bytes only', async () => {
    const authority = await startAuthority()
    const sigstore = await openRoot(authority.root)
    const bundle = await authority.signBytes(ARCHIVE, { repository: 'alice/skills' })
    const check = (bytes: Uint8Array | undefined) =>
      summarize(
        verifyPackage([bundle], {
          sigstore,
          artifact: { name: undefined, digest: 'sha256:', files: [], archiveBytes: bytes },
        }),
      )
    expect(check(ARCHIVE)).toEqual(['verified', 'trusted'])
    expect(check(Buffer.from('other'))).toEqual(['untrusted', 'invalid'])
    expect(check(undefined)).toEqual(['untrusted', 'unchecked'])
  })

  it('is bound to the repository of its certificate', async () => {
    const authority = await startAuthority()
    const sigstore = await openRoot(authority.root)
    const bundle = await authority.signBytes(ARCHIVE, { repository: 'mallory/skills' })
    const artifact = { name: undefined, digest: 'sha256:', files: [], archiveBytes: ARCHIVE }
    expect(summarize(verifyPackage([bundle], { sigstore, artifact }))).toEqual(['source', 'source'])
  })
})

describe('an attestation of another kind', () => {
  it('is shown, and does not count as a signature', async () => {
    const { bundle, sigstore } = await signProvenance({ type: 'https://spdx.dev/Document' })
    const found = verifyPackage([bundle], { sigstore })
    expect(summarize(found)).toEqual(['untrusted', 'trusted'])
    expect(found.signers).toEqual([])
  })

  it('by a stranger that is not a statement stops nothing, and one by a trusted workflow does', async () => {
    const authority = await startAuthority()
    const sigstore = await openRoot(authority.root)
    const own = await authority.sign(createStatement())
    const repeated = Buffer.from(createStatement().toString().replace('{', '{"_type":"x",'))
    for (const payload of [Buffer.from('{}'), Buffer.from('['.repeat(100_000)), repeated]) {
      const identity = WORKFLOW.replaceAll('alice', 'mallory')
      const stranger = await authority.sign(payload, { identity })
      const found = verifyPackage([own, stranger], { sigstore })
      expect(summarize(found)).toEqual(['verified', 'trusted', 'invalid'])
      const signed = await authority.sign(payload)
      expect(() => verifyPackage([own, signed], { sigstore })).toThrow(/are not valid: line 2/)
    }
  })
})

describe('a rule of two signers', () => {
  it('is not met by two bundles of one workflow, but by those of two', async () => {
    const { authority, bundle, sigstore } = await signProvenance()
    const rules = [{ source: 'npm:@alice/*', threshold: 2 }]
    const again = await authority.sign(createStatement())
    expect(verifyPackage([bundle, again], { sigstore, rules }).state).toBe('threshold')
    const identity = WORKFLOW.replace('release.yml', 'second.yml')
    const second = await authority.sign(createStatement(), { identity })
    const other = trustWorkflow({ name: 'second', id: 'second', identity })
    const trusted = [trustWorkflow(), other]
    expect(verifyPackage([bundle, second], { sigstore, rules, trusted }).state).toBe('verified')
  })
})
