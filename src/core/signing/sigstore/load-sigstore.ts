type Verify = typeof import('@sigstore/verify')

/** The parts of the packages of sigstore that are used. */
export interface SigstorePackages extends Pick<
  Verify,
  'Verifier' | 'toSignedEntity' | 'toTrustMaterial'
> {
  bundleFromJSON: typeof import('@sigstore/bundle').bundleFromJSON
  TrustedRoot: typeof import('@sigstore/protobuf-specs').TrustedRoot
}

/** Loads the packages of sigstore, which are needed late. */
export async function loadSigstore(): Promise<SigstorePackages> {
  const [{ bundleFromJSON }, { TrustedRoot }, { Verifier, toSignedEntity, toTrustMaterial }] =
    await Promise.all([
      import('@sigstore/bundle'),
      import('@sigstore/protobuf-specs'),
      import('@sigstore/verify'),
    ])
  return { Verifier, toSignedEntity, toTrustMaterial, bundleFromJSON, TrustedRoot }
}
