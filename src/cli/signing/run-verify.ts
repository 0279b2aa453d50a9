import { readBundleFiles } from '../../core/signing/envelope/bundle-file.ts'
import { parseSource } from '../../core/signing/trust/source.ts'
import { verifyArtifact } from '../../core/signing/verify/verify-artifact.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openUserTrust } from './open-stores.ts'
import { readArtifact } from './read-artifact.ts'
import { openTrustedRoot } from './trusted-root.ts'
import { describeVerification, toJsonVerification } from './verification-view.ts'

/** `skills verify`. */
export async function runVerify(context: Context, call: CommandLine): Promise<number> {
  const source = getTextOption(call, 'source')
  const artifact = await readArtifact(context, call)
  const found = readBundleFiles(artifact.bundles)
  const verification = verifyArtifact({
    artifact,
    envelopes: found?.envelopes,
    sigstore: await openTrustedRoot(context, call, found?.envelopes),
    place: found?.place ?? artifact.bundle,
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
