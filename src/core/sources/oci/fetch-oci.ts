import type { PackedFile } from '../../packing/packed-file.ts'
import { openRegistryAccess } from '../../registries/credentials/open-access.ts'
import { refusedContentError } from '../../registries/http/registry-error.ts'
import { OciClient, formatReference } from '../../registries/oci/oci-client.ts'
import { pullSkill } from '../../registries/oci/pull-skill.ts'
import { readAttestations } from '../../registries/oci/referrers.ts'
import { mergeBundles } from '../../signing/envelope/bundle-file.ts'
import { readMarkdown } from '../../skills/manifest/markdown-source.ts'
import { readToml } from '../../skills/manifest/toml-source.ts'
import { isSemver } from '../../../util/semver.ts'
import type { FetchedSkill, FetchOptions } from '../fetched-skill.ts'
import type { OciPlace } from '../source-place.ts'

/** Reads a skill from an OCI registry, pinned by the digest of its manifest. */
export async function fetchOci(
  { registry, repository, reference }: OciPlace,
  { signal, env, timeoutMs }: FetchOptions,
): Promise<FetchedSkill> {
  const credentials = openRegistryAccess(env).findOciCredentials(registry)
  const client = new OciClient({ registry, repository }, { signal, timeoutMs, credentials })
  const { files, digest, manifestDigest, archiveDigest } = await pullSkill(client, reference)
  checkTagVersion(files, formatReference(client.name, reference), reference)
  const digests = [...new Set([manifestDigest, digest])]
  const bundles = []
  for (const each of digests) {
    bundles.push({ envelopes: (await readAttestations(client, each)) ?? [] })
  }
  const bundle = `the signatures of ${client.name}@${manifestDigest}`
  const envelopes = mergeBundles(bundles, bundle)
  return {
    files,
    archiveDigest,
    otherDigests: digests,
    envelopes: envelopes.length > 0 ? envelopes : undefined,
    bundle,
    resolved: formatReference(client.name, digest),
  }
}

/** A registry that serves an old version under the tag of a new one is refused. */
function checkTagVersion(files: readonly PackedFile[], source: string, reference: string): void {
  const tag = reference.replace(/^v(?=\d)/, '')
  const version = findStatedVersion(files)
  if (!isSemver(tag) || version === undefined || version === tag) return
  throw refusedContentError(source, `it has version ${version} of the skill`)
}

function findStatedVersion(files: readonly PackedFile[]): string | undefined {
  const read = (name: string) => files.find(({ path }) => path === name)?.bytes
  const [toml, markdown] = [read('skill.toml'), read('SKILL.md')]
  if (toml)
    return toOptionalText(
      readToml('skill.toml', Buffer.from(toml).toString('utf8')).data['version'],
    )
  if (!markdown) return undefined
  const { frontMatter } = readMarkdown('SKILL.md', Buffer.from(markdown).toString('utf8'))
  const metadata = frontMatter.data['metadata']
  return toOptionalText((metadata as Record<string, unknown> | undefined)?.['version'])
}

function toOptionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
