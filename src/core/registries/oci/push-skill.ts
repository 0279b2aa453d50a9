import { SkillsError } from '../../../errors.ts'
import { refusedContentError } from '../http/registry-error.ts'
import type { OciArtifact } from './build-artifact.ts'
import { describeBytes, parseOciDocument } from './descriptor.ts'
import { MANIFEST_TYPE, SKILL_TYPE } from './media-types.ts'
import type { OciClient } from './oci-client.ts'
import { writeAttestation } from './referrers.ts'

export interface OciPushRequest {
  artifact: OciArtifact
  tag: string
  /** Lines of signed envelopes. */
  envelopes?: Uint8Array | undefined
}

/** The published artifact. */
export interface OciPushResult {
  /** Address with the digest, which never changes. */
  reference: string
  digest: string
  /** False if the tag had this artifact already. */
  isNew: boolean
}

const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/

/**
 * The tag of a version, without the build metadata's plus sign, which tags cannot have.
 * Two versions that differ only there would share the tag, so it is refused.
 */
export function formatTag(version: string): string {
  if (TAG.test(version)) return version
  throw new SkillsError('usage/invalid', `The version "${version}" cannot be a tag of a registry`, {
    hint: 'Use a version without "+", such as 1.2.0',
  })
}

/**
 * Publishes an artifact. Content and signatures are stored first, and the tag last: a push that is
 * interrupted shows nothing.
 */
export async function pushSkill(
  client: OciClient,
  { artifact, tag, envelopes }: OciPushRequest,
): Promise<OciPushResult> {
  const before = await findPublished(client, tag)
  if (before !== undefined && before !== artifact.digest)
    throw existingTagError(client, tag, before)
  const { manifest, digest, blobs } = artifact
  for (const blob of blobs) await client.writeBlob(blob)
  await client.writeManifest(digest, MANIFEST_TYPE, manifest)
  if (envelopes) {
    const subject = { ...describeBytes(MANIFEST_TYPE, manifest), artifactType: SKILL_TYPE }
    await writeAttestation(client, subject, envelopes)
  }
  // Another client may have published during the uploads.
  const now = await findPublished(client, tag)
  if (now !== undefined && now !== digest) throw existingTagError(client, tag, now)
  if (now === undefined) await client.writeManifest(tag, MANIFEST_TYPE, manifest)
  return { reference: `${client.name}@${digest}`, digest, isNew: before === undefined }
}

/** The digest that a tag has; undefined if there is no such tag. */
export async function findPublished(client: OciClient, tag: string): Promise<string | undefined> {
  return (await client.readManifest(formatTag(tag)))?.digest
}

/** Deletes a tag. Locks with the digest can still be installed. */
export async function yankTag(client: OciClient, tag: string): Promise<void> {
  if ((await findPublished(client, tag)) === undefined) {
    throw new SkillsError('skill/version-not-found', `There is no "${client.name}:${tag}"`, {
      hint: 'Check the repository and the tag',
    })
  }
  const isDeleted = await client.deleteTag(tag)
  if (isDeleted && (await findPublished(client, tag)) === undefined) return
  throw new SkillsError(
    'policy/denied',
    `The registry does not delete "${client.name}:${tag}" for its users`,
    { hint: 'Delete the tag on the page of the registry, or ask its operator' },
  )
}

/** Reads a published artifact back, and compares all digests. */
export async function checkPublished(
  client: OciClient,
  { digest }: OciArtifact,
  tag: string,
): Promise<void> {
  const source = `${client.name}:${tag}`
  const stored = await client.readManifest(tag)
  if (stored?.digest !== digest) {
    const found = stored ? `has the digest ${stored.digest}` : 'is missing'
    throw refusedContentError(source, `after the upload, it ${found}, expected ${digest}`)
  }
  const { config, layers = [] } = parseOciDocument(stored.bytes, stored.mediaType, source)
  // The digest of each content is compared when it is read.
  for (const each of [...(config ? [config] : []), ...layers]) {
    await client.readBlob(each, each.size)
  }
}

function existingTagError(client: OciClient, tag: string, digest: string): SkillsError {
  return new SkillsError(
    'skill/exists',
    `"${client.name}:${tag}" exists with other content, ${digest}`,
    { hint: 'Raise the version of the skill: a published version never changes' },
  )
}
