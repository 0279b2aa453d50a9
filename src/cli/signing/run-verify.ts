import { realpathSync } from 'node:fs'
import { readBundleFiles } from '../../core/signing/envelope/bundle-file.ts'
import { openTrustedRoot } from '../../core/signing/sigstore/open-trusted-root.ts'
import { parseSource } from '../../core/signing/trust/source.ts'
import { locateSignature } from '../../core/installing/installed-signatures.ts'
import { summarizeSignature } from '../../core/signing/verify/summarize-signature.ts'
import { verifyArtifact } from '../../core/signing/verify/verify-artifact.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openInstalled, type FoundInstalled } from './find-installed.ts'
import { findSigstoreRoots, openUserArchives, openUserTrust } from './open-stores.ts'
import { readArtifact, type FoundArtifact } from './read-artifact.ts'
import { findInstalledSource } from './summarize-installed.ts'
import { describeVerification, toJsonVerification } from './verification-view.ts'

/** `skills verify`. */
export async function runVerify(context: Context, call: CommandLine): Promise<number> {
  const source = getTextOption(call, 'source')
  const artifact = await readArtifact(context, call)
  const installed = artifact.archive
    ? undefined
    : (await openInstalled(context))(realpathSync.native(artifact.path))
  const found = readBundleFiles(listBundles(call, artifact, installed))
  const facts = installed && openUserArchives(context).find(installed.skill.tree)
  const verification = verifyArtifact({
    artifact: { ...artifact, ...facts },
    envelopes: found?.envelopes,
    sigstore: await openTrustedRoot(findSigstoreRoots(context, call), found?.envelopes),
    place: found?.place ?? artifact.bundle,
    trust: openUserTrust(context).read(),
    source: source === undefined ? findDefaultSource(installed) : parseSource(source),
    expected: getTextOption(call, 'expect'),
    now: Date.now(),
  })
  const signature = summarizeSignature(verification, found?.envelopes)
  if (context.global.json) {
    context.document('skills.verification/v1', {
      ...toJsonVerification(artifact, verification),
      signature,
    })
  } else
    context.print(describeVerification(context.style, artifact, { ...verification, signature }))
  return verification.state === 'verified' ? 0 : 1
}

/** Signatures next to the artifact, and those that came with an installed skill. */
function listBundles(
  call: CommandLine,
  { bundles }: FoundArtifact,
  installed: FoundInstalled | undefined,
): readonly string[] {
  if (!installed || getTextOption(call, 'bundle') !== undefined) return bundles
  return [...bundles, locateSignature(installed.places, installed.skill.tree)]
}

/** An installed skill has its source in the lock. */
function findDefaultSource(installed: FoundInstalled | undefined): string | undefined {
  return installed && findInstalledSource(installed.places, installed.skill)
}
