import { SkillsError } from '../../../errors.ts'

/** The packages of sigstore, which are optional. */
export type SigstorePackages = Awaited<ReturnType<typeof loadSigstore>>

/** Loads the packages of sigstore; throws with the command that installs them. */
export async function loadSigstore() {
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
