import { readSignature } from '../../core/installing/installed-signatures.ts'
import type { InstallPlaces } from '../../core/installing/install-places.ts'
import type { LockedSkill } from '../../core/installing/lock-file.ts'
import {
  summarizeSignature,
  type SignatureSummary,
} from '../../core/signing/verify/summarize-signature.ts'
import { verifyArtifact } from '../../core/signing/verify/verify-artifact.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import type { FoundInstalled } from './find-installed.ts'
import { findSigstoreRoots, openUserArchives, openUserTrust } from './open-stores.ts'
import { openTrustedRoot } from '../../core/signing/sigstore/open-trusted-root.ts'
import { tryParseSource } from '../../core/installing/installer/check-signatures.ts'
import { findTrustSource } from '../../core/signing/trust/source.ts'

/** State of a skill whose signatures are on another machine, with those that the lock names. */
interface RecordedSignature {
  state: 'recorded'
  text: string
}

export type InstalledSignature = SignatureSummary | RecordedSignature

/** Verifies the signatures of an installed skill by the trust list of today. */
export async function summarizeInstalled(
  context: Context,
  call: CommandLine,
  { places, skill }: FoundInstalled,
): Promise<InstalledSignature> {
  const envelopes = readSignature(places, skill)
  if (!envelopes) return { state: 'recorded', text: describeRecorded(skill) }
  const { name, version, tree, files, archive } = skill
  const facts = openUserArchives(context).find(tree)
  const verification = verifyArtifact({
    artifact: {
      name: `${name}@${version}`,
      digest: tree,
      files,
      archiveDigest: archive ?? undefined,
      ...facts,
    },
    envelopes,
    sigstore: await openTrustedRoot(findSigstoreRoots(context, call), envelopes),
    place: skill.source,
    trust: openUserTrust(context).read(),
    source: findInstalledSource(places, skill),
    now: Date.now(),
  })
  return summarizeSignature(verification, envelopes)
}

/** Source of an installed skill for the trust list; undefined for one of this machine. */
export function findInstalledSource(
  { base }: Pick<InstallPlaces, 'base'>,
  { source, resolved }: Pick<LockedSkill, 'source' | 'resolved'>,
): string | undefined {
  const place = tryParseSource(source, base)
  return place && findTrustSource(place, resolved)
}

function describeRecorded({ signers }: LockedSkill): string {
  return signers.length > 0
    ? `signed by ${signers.join(', ')} when it was installed on another machine`
    : 'without a trusted signature when it was installed on another machine'
}
