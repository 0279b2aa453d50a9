import { SkillsError } from '../../../errors.ts'

type Verify = typeof import('@sigstore/verify')

/** The parts of the packages of sigstore that are used. The packages are optional. */
export interface SigstorePackages extends Pick<
  Verify,
  'Verifier' | 'toSignedEntity' | 'toTrustMaterial'
> {
  bundleFromJSON: typeof import('@sigstore/bundle').bundleFromJSON
  TrustedRoot: typeof import('@sigstore/protobuf-specs').TrustedRoot
}

/** Loads the packages of sigstore; throws with the command that installs them. */
export async function loadSigstore(): Promise<SigstorePackages> {
  try {
    const [{ bundleFromJSON }, { TrustedRoot }, { Verifier, toSignedEntity, toTrustMaterial }] =
      await Promise.all([
        import('@sigstore/bundle'),
        import('@sigstore/protobuf-specs'),
        import('@sigstore/verify'),
      ])
    return { Verifier, toSignedEntity, toTrustMaterial, bundleFromJSON, TrustedRoot }
  } catch (cause) {
    throw new SkillsError('signature/malformed', 'The packages for sigstore are not installed', {
      hint: 'Type "npm install @sigstore/bundle@4 @sigstore/verify@3 @sigstore/protobuf-specs"',
      cause,
    })
  }
}
