import { isArchiveName } from '../../util/archive-name.ts'
import { readUpTo } from '../../util/bytes/read-up-to.ts'
import { archiveTooLargeError, DOWNLOAD_LIMITS } from '../packing/read/archive-error.ts'
import { readSkillFiles } from '../packing/read-skill-files.ts'
import {
  BUNDLE_EXTENSION,
  listBundleFiles,
  readBundleFiles,
} from '../signing/envelope/bundle-file.ts'
import { fetchArchive, unpackSkill } from './fetch-archive.ts'
import type { FetchedSkill, FetchOptions } from './fetched-skill.ts'
import { readLocalLeftOut } from './local-left-out.ts'
import type { ArchivePlace, LocalPlace, SkillSourcePlace } from './source-place.ts'

/** Reads a skill from its source, within the limits of downloads. Nothing is executed. */
export async function fetchSource(
  place: SkillSourcePlace,
  options: FetchOptions,
): Promise<FetchedSkill> {
  switch (place.type) {
    case 'url': {
      return await fetchUrl(place, options)
    }
    case 'git': {
      const { fetchGit } = await import('./git/fetch-git.ts')
      return await fetchGit(place, options)
    }
    case 'npm': {
      const { fetchNpm } = await import('./npm/fetch-npm.ts')
      return await fetchNpm(place, options)
    }
    case 'oci': {
      const { fetchOci } = await import('./oci/fetch-oci.ts')
      return await fetchOci(place, options)
    }
    case 'site': {
      const { fetchSite } = await import('./site/fetch-site.ts')
      return await fetchSite(place, options)
    }
    case 'folder':
    case 'archive': {
      return await readLocal(place, options)
    }
  }
}

/** An address without a name and a digest may be the one of a site, which is worth a better message. */
async function fetchUrl(place: ArchivePlace, options: FetchOptions): Promise<FetchedSkill> {
  try {
    return await fetchArchive(place, options)
  } catch (thrown) {
    options.signal.throwIfAborted()
    if (place.digest !== undefined || isArchiveName(place.url.pathname)) throw thrown
    const { findSite } = await import('./site/find-site.ts')
    throw (await findSite(place, options)) ?? thrown
  }
}

async function readLocal(
  { type, path }: LocalPlace,
  { withLeftOut }: FetchOptions,
): Promise<FetchedSkill> {
  if (type === 'folder') {
    const limits = { maxFiles: DOWNLOAD_LIMITS.files, maxBytes: DOWNLOAD_LIMITS.bytes }
    const { files } = await readSkillFiles(path, { ...limits, withTests: true })
    const leftOut = withLeftOut === true ? readLocalLeftOut(path, files) : undefined
    const found = { files, ...(leftOut && { leftOut }), archiveDigest: undefined }
    return { ...found, ...readSignatures(path, undefined), resolved: path }
  }
  const bytes = readUpTo(path, DOWNLOAD_LIMITS.archiveBytes)
  if (!bytes) throw archiveTooLargeError('archiveBytes', DOWNLOAD_LIMITS)
  const content = await unpackSkill(bytes)
  return { ...content, ...readSignatures(path, content.archiveDigest), resolved: path }
}

function readSignatures(
  path: string,
  archiveDigest: string | undefined,
): Pick<FetchedSkill, 'envelopes' | 'bundle'> {
  const found = readBundleFiles(listBundleFiles(path, archiveDigest))
  return { envelopes: found?.envelopes, bundle: found?.place ?? `${path}${BUNDLE_EXTENSION}` }
}
