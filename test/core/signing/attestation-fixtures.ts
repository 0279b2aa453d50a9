import { hash } from 'node:crypto'
import { parseEnvelope, type SignedEnvelope } from '../../../src/core/signing/envelope/dsse.ts'
import { digestBytes } from '../../../src/core/signing/statement/digest-bytes.ts'
import {
  openSigstoreVerifier,
  type SigstoreVerifier,
} from '../../../src/core/signing/sigstore/verify-sigstore.ts'
import type {
  TrustedIdentity,
  TrustedSigner,
  TrustRule,
} from '../../../src/core/signing/trust/trust-list.ts'
import type { Verification } from '../../../src/core/signing/verify/verify-artifact.ts'
import type { VerificationRequest } from '../../../src/core/signing/verify/verification-request.ts'
import { ISSUER, startAuthority } from './sigstore-authority.ts'
import { verifyFiles } from './signed-skill.ts'

export const SLSA_V1 = 'https://slsa.dev/provenance/v1'
export const SLSA_V02 = 'https://slsa.dev/provenance/v0.2'
export const PUBLICATION = 'https://github.com/npm/attestation/tree/main/specs/publish/v0.1'

export const ARCHIVE = Buffer.from('the bytes of an archive')
export const PACKAGE_URL = 'pkg:npm/%40alice/greet@1.0.0'
const COMMIT = '0123456789abcdef0123456789abcdef01234567'

/** Facts of a statement that differ from those of a registry of npm about ARCHIVE. */
export interface StatementVariant {
  name?: string
  digest?: Record<string, string>
  /** Type of the predicate. */
  type?: string
  predicate?: object
  statementType?: string
}

export function createStatement(variant: StatementVariant = {}): Buffer {
  return Buffer.from(
    JSON.stringify({
      _type: variant.statementType ?? 'https://in-toto.io/Statement/v1',
      subject: [
        {
          name: variant.name ?? PACKAGE_URL,
          digest: variant.digest ?? { sha512: hash('sha512', ARCHIVE) },
        },
      ],
      predicateType: variant.type ?? SLSA_V1,
      predicate: variant.predicate ?? createProvenance(),
    }),
  )
}

/** A predicate as workflows of GitHub write it. */
export function createProvenance(repository = 'https://github.com/alice/skills'): object {
  return {
    buildDefinition: {
      buildType: 'https://actions.github.io/buildtypes/workflow/v1',
      externalParameters: {
        workflow: { ref: 'refs/tags/v1.0.0', repository, path: '.github/workflows/release.yml' },
      },
      resolvedDependencies: [
        { uri: `git+${repository}@refs/tags/v1.0.0`, digest: { gitCommit: COMMIT } },
      ],
    },
    runDetails: { builder: { id: 'https://github.com/actions/runner/github-hosted' } },
  }
}

/** The facts of `createProvenance`. */
export const FACTS = {
  repository: 'https://github.com/alice/skills',
  ref: 'refs/tags/v1.0.0',
  commit: COMMIT,
  workflow: '.github/workflows/release.yml',
  builder: 'https://github.com/actions/runner/github-hosted',
}

/** The workflow of alice, for her package and her repositories. */
export function trustWorkflow(facts: Partial<TrustedIdentity> = {}): TrustedIdentity {
  const identity = 'https://github.com/alice/skills/.github/workflows/release.yml@*'
  return {
    name: 'alice-ci',
    id: `${ISSUER} ${identity}`,
    identity,
    issuer: ISSUER,
    sources: ['npm:@alice/*', 'github:alice/*'],
    isFirstUse: false,
    ...facts,
  }
}

export const refuse = (problem: string) => new Error(problem)

export async function openRoot(text: string): Promise<SigstoreVerifier> {
  return await openSigstoreVerifier(text, refuse)
}

/** Facts of a verification that differ from those of ARCHIVE as the package of alice. */
export interface VerifyVariant extends Partial<Omit<VerificationRequest, 'trust' | 'envelopes'>> {
  trusted?: readonly TrustedSigner[]
  rules?: readonly TrustRule[]
}

/** Verifies ARCHIVE as a package of npm. */
export function verifyPackage(
  bundles: readonly string[],
  { trusted = [trustWorkflow()], rules = [], artifact, ...facts }: VerifyVariant = {},
): Verification {
  const envelopes: SignedEnvelope[] = bundles.map((text) => parseEnvelope(text, refuse))
  return verifyFiles({
    envelopes,
    trust: { keys: trusted, rules },
    source: 'npm:@alice/greet',
    ...facts,
    artifact: {
      name: 'demo.greet@1.0.0',
      digest: digestBytes(Buffer.from('tree')),
      files: [],
      archiveDigest: digestBytes(ARCHIVE),
      otherDigests: [`sha512:${hash('sha512', ARCHIVE)}`],
      packageUrl: PACKAGE_URL,
      ...artifact,
    },
  })
}

/** State of the artifact, and those of its attestations. */
export function summarize({ state, attestations }: Verification): [string, ...string[]] {
  return [state, ...attestations.map((each) => each.state)]
}

/** An authority, its verifier, and provenance that it signed. */
export async function signProvenance(variant: StatementVariant = {}) {
  const authority = await startAuthority()
  const bundle = await authority.sign(createStatement(variant))
  return { authority, sigstore: await openRoot(authority.root), bundle }
}
