import { hash } from 'node:crypto'
import { SkillsError } from '../../../errors.ts'
import { listSome } from '../../../util/join-text.ts'
import { isSemver } from '../../../util/semver.ts'
import type { PackedFile } from '../../packing/packed-file.ts'
import { archiveTooLargeError, DOWNLOAD_LIMITS } from '../../packing/read/archive-error.ts'
import { readArchive } from '../../packing/read/read-archive.ts'
import { BUNDLE_EXTENSION } from '../../signing/envelope/bundle-file.ts'
import type { SignedEnvelope } from '../../signing/envelope/dsse.ts'
import { findPackagedSkill, openPackage } from './find-skill.ts'
import type { NpmClient } from './npm-client.ts'
import type { NpmVersion, Packument } from './packument.ts'

export interface NpmSkillRequest {
  name: string
  /** Exact version or tag; the tag `latest` if undefined. */
  version: string | undefined
  /** Name of one of the skills of the package. */
  skill: string | undefined
}

/** A skill of a package. */
export interface PulledPackage {
  version: string
  /** The reason, if the version is deprecated. */
  deprecated: string | undefined
  /** Name of the skill's folder in the package; undefined if the package itself is the skill. */
  skill: string | undefined
  files: readonly PackedFile[]
  /** `sha256:<hex>` and `sha512:<hex>` of the archive. */
  digests: readonly [string, string]
  /** File with signatures next to the skill. */
  bundle: Uint8Array | undefined
  /** Bundles of sigstore that the registry has. */
  attestations: readonly SignedEnvelope[]
}

/** Packages may have code next to a skill, for which more is allowed than for the skill itself. */
const PACKAGE_LIMITS = {
  archiveBytes: 32 * 1024 ** 2,
  files: 10_000,
  bytes: 128 * 1024 ** 2,
  ratio: 200,
}

/** Reads a skill of a package. Dependencies are not installed, and no script is executed. */
export async function pullPackage(
  client: NpmClient,
  { name, version: wanted, skill }: NpmSkillRequest,
): Promise<PulledPackage> {
  const packument = await client.readPackument(name, 'short')
  if (!packument) {
    throw new SkillsError('skill/not-found', `There is no package "${name}" in the registry`, {
      hint: `Check the name, and the registry "${client.registry.host}"`,
    })
  }
  const published = chooseVersion(packument, wanted)
  const { version } = published
  const bytes = await client.readTarball(name, published, PACKAGE_LIMITS.archiveBytes)
  const opened = openPackage(await readArchive(bytes, PACKAGE_LIMITS), { name, version })
  const { folder } = findPackagedSkill(opened, skill, `npm:${name}@${version}`)
  const files = opened.files
    .filter(({ path }) => path.startsWith(folder))
    .map((file) => ({ ...file, path: file.path.slice(folder.length) }))
  checkSize(files)
  const bundle = folder.replace(/\/$/, BUNDLE_EXTENSION)
  return {
    version,
    deprecated: published.deprecated,
    skill: folder === '' ? undefined : folder.replace(/\/$/, '').split('/').at(-1),
    files,
    digests: [`sha256:${hash('sha256', bytes)}`, `sha512:${hash('sha512', bytes)}`],
    bundle: opened.files.find(({ path }) => folder !== '' && path === bundle)?.bytes,
    attestations: published.hasAttestations ? await client.readAttestations(name, version) : [],
  }
}

/** An exact version, or the one that a tag names. A deprecated version is installed by name only. */
export function chooseVersion({ name, tags, versions }: Packument, wanted = 'latest'): NpmVersion {
  const version = isSemver(wanted) ? wanted : tags.get(wanted)
  const found = version === undefined ? undefined : versions.get(version)
  if (!found) {
    throw new SkillsError('skill/version-not-found', `There is no "npm:${name}@${wanted}"`, {
      hint: `Name an exact version or one of the tags ${listSome([...tags.keys()])}`,
    })
  }
  if (found.deprecated === undefined || found.version === wanted) return found
  throw new SkillsError(
    'skill/version-not-found',
    `"npm:${name}@${found.version}" is deprecated: ${found.deprecated.slice(0, 200)}`,
    { hint: 'Choose another version' },
  )
}

function checkSize(files: readonly PackedFile[]): void {
  if (files.length > DOWNLOAD_LIMITS.files) throw archiveTooLargeError('files', DOWNLOAD_LIMITS)
  const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0)
  if (size > DOWNLOAD_LIMITS.bytes) throw archiveTooLargeError('bytes', DOWNLOAD_LIMITS)
}
