import { hash } from 'node:crypto'
import { SkillsError } from '../../../../errors.ts'
import type { RegistryAccess } from '../../../registries/credentials/credentials.ts'
import {
  buildPackage,
  checkPackageName,
  type NpmPackage,
} from '../../../registries/npm/build-package.ts'
import { existsError, openNpmClient, type NpmClient } from '../../../registries/npm/npm-client.ts'
import {
  checkTag,
  deprecateVersion,
  findNewestOffered,
  publishPackage,
} from '../../../registries/npm/publish-package.ts'
import { pullPackage } from '../../../registries/npm/pull-package.ts'
import { refusedContentError } from '../../../registries/http/registry-error.ts'
import { describeRelease } from '../check-front-matter.ts'
import type {
  PlannedWrite,
  PublishCall,
  PublishedVersion,
  PublishTarget,
  SkillRelease,
  YankRequest,
  YankResult,
} from '../publish-target.ts'

export interface NpmTargetOptions {
  packageName: string
  /** Tag that names the version; `latest` if undefined. */
  tag: string | undefined
}

/** Opens a package of an npm registry. A version is withdrawn by deprecating it. */
export function openNpmTarget(options: NpmTargetOptions, access: RegistryAccess): PublishTarget {
  const name = checkPackageName(options.packageName)
  const open = ({ signal, timeoutMs }: PublishCall) =>
    openNpmClient(name, access, { signal, timeoutMs })
  const plan = async (release: SkillRelease, call: PublishCall): Promise<PlannedWrite[]> => {
    const [built, published] = [await build(name, release), await readVersions(open(call), name)]
    const existing = published?.versions.get(release.version)
    // Signatures are a part of the package, and are not known yet when the version is checked.
    if (existing && release.bundle && existing.integrity !== built.integrity) {
      throw existsError(`${name}@${release.version}`)
    }
    const tag = existing ? undefined : checkTag(built, options.tag, published)
    const digest = `sha256:${hash('sha256', built.bytes)}`
    const path = `npm:${name}@${release.version}`
    return [
      { path, action: existing ? 'keep' : 'create', size: built.bytes.length, digest },
      ...(tag === undefined ? [] : [{ path: `npm:${name}@${tag}`, action: 'replace' as const }]),
    ]
  }
  return {
    label: `npm:${name}`,
    formats: [],
    check: ({ version }) => checkNpmVersion(version),
    listVersions: async (_, call) => listVersions(await readVersions(open(call), name)),
    async readFiles({ name: skill }, version, call) {
      return (await pullPackage(open(call), { name, version, skill })).files
    },
    plan,
    async write(release, call) {
      const writes = await plan(release, call)
      const client = open(call)
      const built = await build(name, release)
      const published = await readVersions(client, name)
      const existing = published?.versions.get(release.version)
      if (existing?.integrity === built.integrity) return
      if (existing) throw existsError(`${name}@${release.version}`)
      await publishPackage(client, built, checkTag(built, options.tag, published))
      for (const write of writes) call.onWritten(write)
    },
    async fetchBack(release, call) {
      const { name: skill, version } = release
      const pulled = await pullPackage(open(call), { name, version, skill })
      const { integrity } = await build(name, release)
      const found = `sha512-${Buffer.from(pulled.digests[1].slice(7), 'hex').toString('base64')}`
      if (release.bundle && found !== integrity) {
        throw refusedContentError(`npm:${name}@${version}`, 'its archive is not the uploaded one')
      }
      return { files: pulled.files, archives: new Map(), bundle: pulled.bundle }
    },
    yank: async (request, call) => await yankVersion(open(call), name, request),
  }
}

async function yankVersion(
  client: NpmClient,
  name: string,
  { version, reason, isDryRun }: YankRequest,
): Promise<YankResult> {
  const published = await readVersions(client, name)
  const before = published?.versions.get(version)
  const newest =
    isDryRun && published && before
      ? findNewestOffered(published, version)
      : await deprecateVersion(client, { name, version, reason })
  const isNew = before?.deprecated === undefined
  const writes: PlannedWrite[] = [
    { path: `npm:${name}@${version}`, action: isNew ? 'replace' : 'keep' },
  ]
  return { status: isNew ? 'yanked' : 'present', newest, writes }
}

async function readVersions(client: NpmClient, name: string) {
  return await client.readPackument(name, 'full')
}

function listVersions(
  published: Awaited<ReturnType<typeof readVersions>>,
): readonly PublishedVersion[] {
  const versions = [...(published?.versions.values() ?? [])]
  return versions.map(({ version, deprecated: yanked }) => ({ version, tree: undefined, yanked }))
}

async function build(packageName: string, release: SkillRelease): Promise<NpmPackage> {
  const { name: folder, version, files, bundle: envelopes } = release
  const texts = describeRelease(release)
  return await buildPackage({ packageName, folder, version, files, envelopes, ...texts })
}

function checkNpmVersion(version: string): void {
  if (!version.includes('+')) return
  throw new SkillsError('usage/invalid', `The version "${version}" is not one of npm`, {
    hint: 'Use a version without "+", such as 1.2.0',
  })
}
