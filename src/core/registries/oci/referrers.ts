import { SkillsError } from '../../../errors.ts'
import { parseEnvelope, type SignedEnvelope } from '../../signing/envelope/dsse.ts'
import { buildAttestation, encode } from './build-artifact.ts'
import { describeBytes, parseOciDocument, type Descriptor, type OciDocument } from './descriptor.ts'
import {
  ATTESTATION_TYPE,
  INDEX_TYPE,
  INDEX_TYPES,
  MANIFEST_TYPE,
  MANIFEST_TYPES,
  SIGSTORE_TYPE,
} from './media-types.ts'
import { formatReference, type OciClient, type StoredManifest } from './oci-client.ts'

const MAX_REFERRERS = 16
const MAX_BUNDLE_BYTES = 1024 ** 2

/**
 * Stores signatures next to a manifest. In a registry without the API for referrers, they are
 * listed in an index whose tag is made of the digest.
 */
export async function writeAttestation(
  client: OciClient,
  subject: Descriptor,
  envelopes: Uint8Array,
): Promise<void> {
  const { manifest, digest, blobs } = buildAttestation(subject, envelopes)
  for (const blob of blobs) await client.writeBlob(blob)
  const isListed = await client.writeManifest(digest, MANIFEST_TYPE, manifest)
  if (isListed) return
  const tag = formatReferrersTag(subject.digest)
  const stored = await client.readManifest(tag)
  const before = stored ? readIndex(client, stored, tag) : []
  if (before.some((each) => each.digest === digest)) return
  const added = { ...describeBytes(MANIFEST_TYPE, manifest), artifactType: ATTESTATION_TYPE }
  const index = { schemaVersion: 2, mediaType: INDEX_TYPE, manifests: [...before, added] }
  await client.writeManifest(tag, INDEX_TYPE, encode(index))
}

/** Reads the signatures next to a manifest; undefined if there are none. */
export async function readAttestations(
  client: OciClient,
  digest: string,
): Promise<SignedEnvelope[] | undefined> {
  const files = await readBundles(client, digest)
  const envelopes = files.flatMap(({ mediaType, bytes }) => {
    const text = bytes.toString('utf8')
    const lines = mediaType === ATTESTATION_TYPE ? text.split('\n') : [text]
    return lines
      .filter((line) => line.trim() !== '')
      .map((line) => parseEnvelope(line, (problem) => attestationError(client, digest, problem)))
  })
  return files.length === 0 ? undefined : envelopes
}

/** Reads the files with signatures next to a manifest. */
export async function readBundles(
  client: OciClient,
  digest: string,
): Promise<{ mediaType: string; bytes: Buffer }[]> {
  const tag = formatReferrersTag(digest)
  // A registry with that API may still have referrers of a client that used the tag.
  const indexes = [await client.readReferrers(digest), await client.readManifest(tag)]
  const listed = indexes.flatMap((stored) => (stored ? readIndex(client, stored, tag) : []))
  const chosen = new Set(listed.filter((each) => isAttestation(each)).map((each) => each.digest))
  if (chosen.size > MAX_REFERRERS) {
    throw attestationError(client, digest, `there are more than ${MAX_REFERRERS}`)
  }
  const files: { mediaType: string; bytes: Buffer }[] = []
  for (const each of chosen) {
    for (const layer of await readAttestationLayers(client, each, digest)) {
      const bytes = await client.readBlob(layer, MAX_BUNDLE_BYTES)
      files.push({ mediaType: layer.mediaType, bytes })
    }
  }
  return files
}

async function readAttestationLayers(
  client: OciClient,
  digest: string,
  subject: string,
): Promise<readonly Descriptor[]> {
  const stored = await client.readManifest(digest)
  if (!stored) throw attestationError(client, subject, `the manifest ${digest} is missing`)
  const document = parseStored(client, stored, digest)
  if (document.subject?.digest !== subject) {
    throw attestationError(client, subject, `the manifest ${digest} has another subject`)
  }
  const { layers = [] } = document
  if (layers.length > MAX_REFERRERS) {
    throw attestationError(client, subject, `${digest} has more than ${MAX_REFERRERS} files`)
  }
  return layers
}

function readIndex(
  client: OciClient,
  stored: StoredManifest,
  reference: string,
): readonly Descriptor[] {
  if (!INDEX_TYPES.includes(stored.mediaType)) return []
  return parseStored(client, stored, reference).manifests ?? []
}

function parseStored(client: OciClient, stored: StoredManifest, reference: string): OciDocument {
  return parseOciDocument(stored.bytes, stored.mediaType, formatReference(client.name, reference))
}

function isAttestation({ mediaType, artifactType = '' }: Descriptor): boolean {
  const isKnown = artifactType === ATTESTATION_TYPE || SIGSTORE_TYPE.test(artifactType)
  return isKnown && MANIFEST_TYPES.includes(mediaType)
}

function formatReferrersTag(digest: string): string {
  return digest.replace(':', '-')
}

function attestationError(client: OciClient, digest: string, problem: string): SkillsError {
  return new SkillsError(
    'signature/malformed',
    `The signatures of "${client.name}@${digest}" are not valid: ${problem}`,
    { hint: 'Ask its publisher to sign it again' },
  )
}
