import { SkillsError } from '../../../errors.ts'
import { parseStrictJson, type RefuseJson } from '../envelope/strict-json.ts'
import type { CertificateIdentity } from '../trust/identity.ts'

const MAX_LOGS = 100

/** Verifies bundles of sigstore against one trusted root, without network. */
export interface SigstoreVerifier {
  /** Returns the identity of the certificate; undefined if the bundle is not valid. */
  findIdentity(bundle: unknown): CertificateIdentity | undefined
}

/**
 * Opens a verifier with a file of `trusted_root.json`. The packages are optional. They also check
 * the entry in the transparency log and the time in it.
 */
export async function openSigstoreVerifier(
  text: string,
  refuse: RefuseJson,
): Promise<SigstoreVerifier> {
  const root = parseStrictJson(text, refuse)
  root.at('mediaType').matching(/^application\/vnd\.dev\.sigstore\.trustedroot/, 'a trusted root')
  const hasCertificateLog = root.at('ctlogs').list(MAX_LOGS).length > 0
  const { Verifier, toSignedEntity, toTrustMaterial, bundleFromJSON, TrustedRoot } =
    await loadSigstore()
  let verifier: InstanceType<typeof Verifier>
  try {
    const material = toTrustMaterial(TrustedRoot.fromJSON(root.value))
    verifier = new Verifier(material, { ctlogThreshold: hasCertificateLog ? 1 : 0 })
  } catch {
    throw refuse('it is not a trusted root of sigstore')
  }
  return {
    findIdentity(bundle) {
      try {
        const { identity } = verifier.verify(toSignedEntity(bundleFromJSON(bundle)))
        const [name, issuer] = [identity?.subjectAlternativeName, identity?.extensions?.issuer]
        return name !== undefined && issuer !== undefined ? { identity: name, issuer } : undefined
      } catch {
        // A bundle by another root, or one that was changed, is by no signer that is known.
        return undefined
      }
    },
  }
}

async function loadSigstore() {
  try {
    const [{ bundleFromJSON }, { TrustedRoot }, verify] = await Promise.all([
      import('@sigstore/bundle'),
      import('@sigstore/protobuf-specs'),
      import('@sigstore/verify'),
    ])
    return { ...verify, bundleFromJSON, TrustedRoot }
  } catch (cause) {
    throw new SkillsError('signature/malformed', 'The packages for sigstore are not installed', {
      hint: 'Type "npm install @sigstore/bundle@4 @sigstore/verify@3 @sigstore/protobuf-specs"',
      cause,
    })
  }
}
