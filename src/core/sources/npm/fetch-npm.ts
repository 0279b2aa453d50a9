import { openRegistryAccess } from '../../registries/credentials/open-access.ts'
import { openNpmClient } from '../../registries/npm/npm-client.ts'
import { pullPackage } from '../../registries/npm/pull-package.ts'
import { formatPackageUrl } from '../../registries/npm/package-url.ts'
import { mergeBundles, parseBundle } from '../../signing/envelope/bundle-file.ts'
import type { FetchedSkill, FetchOptions } from '../fetched-skill.ts'
import type { NpmPlace } from '../source-place.ts'

/** Reads a skill from an npm package, pinned by its exact version. No script is executed. */
export async function fetchNpm(
  { package: name, version: wanted, skill: chosen }: NpmPlace,
  options: FetchOptions,
): Promise<FetchedSkill> {
  const client = openClient(name, options)
  const request = { name, version: wanted, skill: chosen }
  const pulled = await pullPackage(client, request)
  const { version, skill, files, digests, attestations } = pulled
  const place = `the signatures of npm:${name}@${version}`
  const own = pulled.bundle && parseBundle(Buffer.from(pulled.bundle).toString('utf8'), place)
  const bundles = [{ envelopes: own ?? [] }, { envelopes: attestations }]
  const envelopes = mergeBundles(bundles, place)
  const fragment = skill === undefined ? '' : `#${skill}`
  return {
    files,
    archiveDigest: digests[0],
    otherDigests: [digests[1]],
    packageUrl: formatPackageUrl(name, version),
    envelopes: envelopes.length > 0 ? envelopes : undefined,
    bundle: place,
    resolved: `npm:${name}@${version}${fragment}`,
    yanked: pulled.deprecated,
  }
}

/** The reason for which a version is deprecated. */
export async function findDeprecation(
  { package: name }: NpmPlace,
  version: string,
  options: FetchOptions,
): Promise<string | undefined> {
  const packument = await openClient(name, options).readPackument(name, 'short')
  return packument?.versions.get(version)?.deprecated
}

function openClient(name: string, { signal, env, timeoutMs }: FetchOptions) {
  return openNpmClient(name, openRegistryAccess(env), { signal, timeoutMs })
}
