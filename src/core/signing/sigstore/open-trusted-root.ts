import { SkillsError } from '../../../errors.ts'
import { readTrusted } from '../../config/read-trusted.ts'
import type { SignedEnvelope } from '../envelope/dsse.ts'
import type { SigstoreVerifier } from './verify-sigstore.ts'

/** Files with roots of sigstore. */
export interface SigstoreRoots {
  /** The one that the caller named, which has to be valid. */
  named: string | undefined
  /** The one of the configuration, which is read for bundles of sigstore only. */
  configured(): Promise<string | undefined>
}

/** The verifier of sigstore's bundles; undefined if it is not needed, or if no roots are named. */
export async function openTrustedRoot(
  roots: SigstoreRoots,
  envelopes: readonly SignedEnvelope[] | undefined,
): Promise<SigstoreVerifier | undefined> {
  const isNeeded = envelopes?.some((each) => each.sigstore !== undefined) === true
  const file = roots.named ?? (isNeeded ? await roots.configured() : undefined)
  if (file === undefined) return undefined
  const refuse = (problem: string) =>
    new SkillsError('trust/invalid', `The trusted root "${file}" is not valid: ${problem}`, {
      hint: 'Get one with "gh attestation trusted-root", or from the owner of the instance',
    })
  // Other users must not be able to add an authority.
  const text = readTrusted(file, 'the trusted root')
  if (text === undefined) throw refuse('it does not exist')
  const { openSigstoreVerifier } = await import('./verify-sigstore.ts')
  return await openSigstoreVerifier(text, refuse)
}
