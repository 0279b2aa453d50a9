import { resolve } from 'node:path'
import { readTrusted } from '../../core/policy/read-trusted.ts'
import { readBundle } from '../../core/signing/envelope/bundle-file.ts'
import { parseSource } from '../../core/signing/trust/source.ts'
import type { SigstoreVerifier } from '../../core/signing/sigstore/verify-sigstore.ts'
import { verifyArtifact } from '../../core/signing/verify/verify-artifact.ts'
import { SkillsError } from '../../errors.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openUserTrust } from './open-stores.ts'
import { readArtifact } from './read-artifact.ts'
import { describeVerification, toJsonVerification } from './verification-view.ts'

/** `skills verify`. */
export async function runVerify(context: Context, call: CommandLine): Promise<number> {
  const source = getTextOption(call, 'source')
  const artifact = await readArtifact(context, call)
  const envelopes = readBundle(artifact.bundle)
  const sigstore = await openTrustedRoot(context, call)
  if (!sigstore && envelopes?.some((each) => each.sigstore !== undefined)) {
    context.note('Bundles of sigstore were skipped: pass --trusted-root <file> to check them')
  }
  const verification = verifyArtifact({
    artifact: { ...artifact, archiveDigest: artifact.archive?.digest },
    envelopes,
    sigstore,
    place: artifact.bundle,
    trust: openUserTrust(context).read(),
    source: source === undefined ? undefined : parseSource(source),
    expected: getTextOption(call, 'expect'),
    now: Date.now(),
  })
  if (context.global.json) {
    context.document('skills.verification/v1', toJsonVerification(artifact, verification))
  } else context.print(describeVerification(context.style, artifact, verification))
  return verification.state === 'verified' ? 0 : 1
}

/** The verifier of --trusted-root; undefined without it. */
async function openTrustedRoot(
  context: Context,
  call: CommandLine,
): Promise<SigstoreVerifier | undefined> {
  const option = getTextOption(call, 'trustedRoot')
  if (option === undefined) return undefined
  const refuse = (problem: string) =>
    new SkillsError('trust/invalid', `The trusted root "${option}" is not valid: ${problem}`, {
      hint: 'Get one with "gh attestation trusted-root", or from the owner of the instance',
    })
  const file = resolve(context.cwd, option)
  // Other users must not be able to add an authority.
  const text = readTrusted(file, 'the trusted root')
  if (text === undefined) throw refuse('it does not exist')
  const { openSigstoreVerifier } = await import('../../core/signing/sigstore/verify-sigstore.ts')
  return await openSigstoreVerifier(text, refuse)
}
