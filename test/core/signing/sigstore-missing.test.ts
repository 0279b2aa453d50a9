// @module-tag isolated
import { expect, it, vi } from 'vitest'

vi.mock('@sigstore/verify', () => {
  throw new Error('Cannot find package')
})

it('a bundle is checked only with the packages of sigstore, which the message names', async () => {
  const { openSigstoreVerifier } =
    await import('../../../src/core/signing/sigstore/verify-sigstore.ts')
  const root = JSON.stringify({
    mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
    tlogs: [{}],
  })
  const opened = openSigstoreVerifier(root, (problem) => new Error(problem))
  await expect(opened).rejects.toMatchObject({
    code: 'signature/malformed',
    message: 'The packages for sigstore are not installed',
    hint: 'Type "npm install @sigstore/bundle@4 @sigstore/verify@3 @sigstore/protobuf-specs"',
  })
})
