import { compareSemver, isSemver } from '../../../../util/semver.ts'
import { writeArchive } from '../../../packing/formats.ts'
import type { RegistryAccess } from '../../../registries/credentials/credentials.ts'
import { buildSkillArtifact, type OciArtifact } from '../../../registries/oci/build-artifact.ts'
import { digestBytes } from '../../../registries/oci/descriptor.ts'
import { OciClient, type OciRepository } from '../../../registries/oci/oci-client.ts'
import { pullSkill } from '../../../registries/oci/pull-skill.ts'
import {
  checkPublished,
  findPublished,
  formatTag,
  pushSkill,
  yankTag,
} from '../../../registries/oci/push-skill.ts'
import { readBundles } from '../../../registries/oci/referrers.ts'
import { describeRelease } from '../check-front-matter.ts'
import type { PlannedWrite, PublishCall, PublishTarget, SkillRelease } from '../publish-target.ts'

/** Opens a repository of an OCI registry. A version is a tag. */
export function openOciTarget(repository: OciRepository, access: RegistryAccess): PublishTarget {
  const label = `oci:${repository.registry}/${repository.repository}`
  const open = ({ signal, timeoutMs }: PublishCall) =>
    new OciClient(repository, {
      signal,
      timeoutMs,
      credentials: access.findOciCredentials(repository.registry),
    })
  return {
    label,
    formats: ['oci'],
    check: ({ version }) => void formatTag(version),
    async listVersions(_, call) {
      const tags = await open(call).listTags()
      return tags
        .filter((tag) => isSemver(tag))
        .map((version) => ({ version, tree: undefined, yanked: undefined }))
    },
    readFiles: async (_, version, call) => (await pullSkill(open(call), version)).files,
    plan: async (release, call) => await planWrites(open(call), release),
    async write(release, call) {
      const client = open(call)
      const writes = await planWrites(client, release)
      const { bundle: envelopes, version: tag } = release
      await pushSkill(client, { artifact: await buildArtifact(release), tag, envelopes })
      for (const write of writes) call.onWritten(write)
    },
    async fetchBack(release, call) {
      const client = open(call)
      const artifact = await buildArtifact(release)
      await checkPublished(client, artifact, release.version)
      const { files, archiveDigest } = await pullSkill(client, release.version)
      const archives = new Map(
        release.archives.map(({ file }) => [file, archiveDigest ?? 'no digest'] as const),
      )
      return { files, archives, bundle: await findBundle(client, artifact, release) }
    },
    async yank({ version, isDryRun }, call) {
      const client = open(call)
      const before = await findPublished(client, version)
      const path = `${label}:${version}`
      if (!isDryRun || before === undefined) await yankTag(client, version)
      const tags = (await client.listTags()).filter((tag) => isSemver(tag) && tag !== version)
      const newest = tags.toSorted(compareSemver).at(-1)
      return { status: 'yanked', newest, writes: [{ path, action: 'remove' }] }
    },
  }
}

/** A comparison of contents has no archives, so the layer is packed again: to the same bytes. */
async function buildArtifact(release: SkillRelease): Promise<OciArtifact> {
  const { name: folder, version, files } = release
  const packed = release.archives.find(({ format }) => format === 'oci')?.bytes
  const layer = packed ?? (await writeArchive('oci', files, { folder }))
  return buildSkillArtifact(layer, { folder, version, ...describeRelease(release) })
}

async function planWrites(client: OciClient, release: SkillRelease): Promise<PlannedWrite[]> {
  const { manifest, digest, blobs } = await buildArtifact(release)
  const tag = formatTag(release.version)
  const action = (await findPublished(client, tag)) === digest ? 'keep' : 'create'
  const describe = (bytes: Uint8Array): PlannedWrite => ({
    path: `${client.name}@${digestBytes(bytes)}`,
    action,
    size: bytes.length,
    digest: digestBytes(bytes),
  })
  const contents = release.bundle ? [...blobs, release.bundle] : blobs
  return [
    ...contents.map((bytes) => describe(bytes)),
    { ...describe(manifest), path: `${client.name}:${tag}` },
  ]
}

/** The same signatures if the registry has them, or those of another signer. */
async function findBundle(
  client: OciClient,
  { digest }: OciArtifact,
  { bundle }: SkillRelease,
): Promise<Uint8Array | undefined> {
  const found = await readBundles(client, digest)
  const same = found.find(({ bytes }) => bundle && Buffer.compare(bytes, bundle) === 0)
  return (same ?? found[0])?.bytes
}
