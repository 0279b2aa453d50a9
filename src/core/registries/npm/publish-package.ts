import { hash } from 'node:crypto'
import { SkillsError } from '../../../errors.ts'
import { compareSemver, isPrerelease } from '../../../util/semver.ts'
import type { NpmPackage } from './build-package.ts'
import type { NpmClient } from './npm-client.ts'
import type { Packument } from './packument.ts'

const TAG = /^[a-z][a-z0-9._-]{0,63}$/i

/** Refuses a tag that would offer the version as newer than it is, or that reads as a version. */
export function checkTag(
  { manifest: { version } }: NpmPackage,
  tag: string | undefined,
  published: Packument | undefined,
): string {
  if (tag !== undefined && (!TAG.test(tag) || /^v?\d/.test(tag))) {
    throw tagError(`"${tag}" is not a tag of a package`, 'Use a word, such as --tag next')
  }
  if (tag !== undefined && tag !== 'latest') return tag
  if (tag === undefined && isPrerelease(version)) {
    throw tagError(
      `${version} is a prerelease, and would become the version that everyone gets`,
      'Add --tag next',
    )
  }
  const latest = published?.tags.get('latest')
  if (tag === undefined && latest !== undefined && compareSemver(version, latest) < 0) {
    throw tagError(
      `${version} is older than ${latest}, and would become the version that everyone gets`,
      'Add a tag, such as --tag v1-latest or --tag legacy',
    )
  }
  return 'latest'
}

function tagError(problem: string, hint: string): SkillsError {
  return new SkillsError('usage/invalid', `Cannot publish to npm: ${problem}`, { hint })
}

/** Uploads a package in one request, in which the version becomes visible. */
export async function publishPackage(
  client: NpmClient,
  built: NpmPackage,
  tag: string,
): Promise<void> {
  const { manifest, file, bytes, integrity } = built
  const { name, version } = manifest
  const tarball = new URL(`${name}/-/${file}`, client.registry)
  await client.write(name, {
    _id: name,
    name,
    description: manifest['description'],
    'dist-tags': { [tag]: version },
    versions: {
      [version]: {
        ...manifest,
        _id: `${name}@${version}`,
        dist: { integrity, shasum: hash('sha1', bytes), tarball: tarball.href },
      },
    },
    access: null,
    _attachments: {
      [`${name}-${version}.tgz`]: {
        content_type: 'application/octet-stream',
        data: Buffer.from(bytes).toString('base64'),
        length: bytes.length,
      },
    },
  })
}

/** Deprecates a version. `latest` then names the newest one that is not deprecated. */
export async function deprecateVersion(
  client: NpmClient,
  { name, version, reason }: { name: string; version: string; reason: string },
): Promise<string | undefined> {
  const published = await client.readPackument(name, 'full')
  const found = published?.versions.get(version)
  if (!published || !found) {
    throw new SkillsError('skill/version-not-found', `There is no "npm:${name}@${version}"`, {
      hint: 'Check the name and the version of the package',
    })
  }
  if (found.deprecated === undefined) {
    const versions = published.document['versions'] as Record<string, object>
    const changed = { ...versions, [version]: { ...versions[version], deprecated: reason } }
    await client.write(name, { ...published.document, versions: changed })
  }
  const newest = findNewestOffered(published, version)
  if (newest !== undefined && published.tags.get('latest') === version) {
    await client.writeTag(name, 'latest', newest)
  }
  return newest
}

/** The newest version that is not deprecated, without one. Prereleases are offered by tags only. */
export function findNewestOffered(
  { versions }: Packument,
  without: string | undefined,
): string | undefined {
  return [...versions.values()]
    .filter(({ deprecated, version }) => deprecated === undefined && version !== without)
    .map(({ version }) => version)
    .filter((version) => !isPrerelease(version))
    .toSorted(compareSemver)
    .at(-1)
}
