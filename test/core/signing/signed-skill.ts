import { generateKeyPairSync } from 'node:crypto'
import type { ContentEntry } from '../../../src/core/skills/content/content-manifest.ts'
import { digestContent } from '../../../src/core/skills/content/content-manifest.ts'
import type { Manifest } from '../../../src/core/skills/manifest/manifest.ts'
import type { SignedEnvelope, SigningKey } from '../../../src/core/signing/envelope/dsse.ts'
import { toVerificationKey } from '../../../src/core/signing/keys/verification-key.ts'
import { signArtifact } from '../../../src/core/signing/sign-artifact.ts'
import { digestBytes } from '../../../src/core/signing/statement/digest-bytes.ts'
import type { TrustedKey, TrustList } from '../../../src/core/signing/trust/trust-list.ts'
import type { VerificationRequest } from '../../../src/core/signing/verify/verification-request.ts'
import {
  verifyArtifact,
  type Verification,
} from '../../../src/core/signing/verify/verify-artifact.ts'

export const NOW = Date.parse('2026-11-23T12:00:00.000Z')

/** A key pair of a test, and its entry in a trust list. */
export interface TestSigner {
  signing: SigningKey
  trusted: TrustedKey
}

export function createSigner(name: string, facts: Partial<TrustedKey> = {}): TestSigner {
  const pair = generateKeyPairSync('ed25519')
  const key = toVerificationKey(pair.publicKey, name)
  return {
    signing: { id: key.id, privateKey: pair.privateKey },
    trusted: { ...key, name, sources: ['github:alice/*'], isFirstUse: false, ...facts },
  }
}

export function trustSigners(...signers: readonly TestSigner[]): TrustList {
  return { keys: signers.map(({ trusted }) => trusted), rules: [] }
}

export function createEntry(path: string, content: string): ContentEntry {
  const bytes = Buffer.from(content)
  const sha256 = digestBytes(bytes).slice('sha256:'.length)
  return { path, mode: '100644', size: bytes.length, sha256 }
}

export const FILES: readonly ContentEntry[] = [
  createEntry('SKILL.md', '# Greet\n'),
  createEntry('main.py', 'def main(args):\n    return 1\n'),
]

export const MANIFEST = {
  name: 'demo.greet',
  version: '1.0.0',
  kind: 'action',
  runtime: { language: 'python', entrypoint: 'main.py', export: 'main' },
  permissions: { network: [], secrets: [] },
} as unknown as Manifest

/** Facts of a release that differ from the usual ones. */
interface ReleaseVariant {
  name?: string
  files?: readonly ContentEntry[]
  repo?: string | undefined
}

/** Signs a release of the usual files. */
export function signRelease(
  { signing }: TestSigner,
  { name = 'demo.greet@1.0.0', files = FILES, ...rest }: ReleaseVariant = {},
): SignedEnvelope {
  const repo = 'repo' in rest ? rest.repo : 'github:alice/skills'
  const [envelope] = signArtifact(
    {
      subjects: [{ name, digest: digestContent(files) }],
      release: {
        signedAt: '2026-11-01T00:00:00.000Z',
        toolVersion: '0.1.0',
        files,
        manifest: MANIFEST,
        source: repo === undefined ? undefined : { repo },
      },
    },
    signing,
  )
  return envelope as SignedEnvelope
}

/** Verifies the usual files as demo.greet@1.0.0. */
export function verifyFiles(
  facts: Pick<VerificationRequest, 'envelopes' | 'trust'> & Partial<VerificationRequest>,
  files: readonly ContentEntry[] = FILES,
): Verification {
  return verifyArtifact({
    artifact: {
      name: 'demo.greet@1.0.0',
      digest: digestContent(files),
      files,
    },
    place: 'greet.intoto.jsonl',
    now: NOW,
    ...facts,
  })
}
