import { hash } from 'node:crypto'
import { join } from 'node:path'
import { SkillsError } from '../../../../errors.ts'
import { readUpTo } from '../../../../util/bytes/read-up-to.ts'
import { archiveTooLargeError, DOWNLOAD_LIMITS } from '../../../packing/read/archive-error.ts'
import { readArchive } from '../../../packing/read/read-archive.ts'
import type { PackedFile } from '../../../packing/packed-file.ts'
import { BUNDLE_EXTENSION } from '../../../signing/envelope/bundle-file.ts'
import { checkFrontMatter } from '../check-front-matter.ts'
import type {
  FetchedRelease,
  PublishTarget,
  SkillRelease,
  YankRequest,
  YankResult,
} from '../publish-target.ts'
import { readSite, type SiteState } from './read-site.ts'
import { findArchive } from './render-indexes.ts'
import {
  addRelease,
  listDerivedFiles,
  listVersionFiles,
  replaceSkill,
  type SiteFile,
} from './site-files.ts'
import { findNewestVersion, type SiteSkill } from './site-record.ts'
import { planFiles, withSiteLock, writeFiles, type LockedSite } from './write-site.ts'

/** A folder of files that any web server can publish. */
export interface SiteOptions {
  folder: string
  label: string
  /** Name of the site; undefined for the stored one, or the folder's. */
  name: string | undefined
  baseUrl: string | undefined
}

export function openSiteTarget({ folder, label, name, baseUrl }: SiteOptions): PublishTarget {
  const wanted = {
    ...(name !== undefined && { name }),
    ...(baseUrl !== undefined && { baseUrl }),
  }
  const read = (): SiteState => readSite(folder, wanted)
  // Checks the options before anything else happens.
  read()
  return {
    label,
    formats: ['tar.gz', 'zip', 'skill'],
    check: (release) => {
      checkFrontMatter(release)
      refuseOtherSkill(read(), release, label)
    },
    listVersions: async ({ name: skill }) =>
      (read().skills.find((each) => each.name === skill)?.versions ?? []).map((each) => ({
        version: each.version,
        tree: each.digest,
        yanked: each.yanked ?? undefined,
      })),
    readFiles: async (names, version) =>
      await readVersionFiles(folder, read(), names.name, version),
    plan: async (release) => planFiles(folder, listReleaseFiles(read(), release)),
    write: async (release, call) =>
      await withSiteLock(folder, async (site) => {
        const state = read()
        refuseOtherContent(state, release, label)
        await writeFiles(site, listReleaseFiles(state, release), call)
      }),
    fetchBack: async (release) => await fetchRelease(folder, read(), release),
    yank: async (request, call) => {
      const yank = async (site?: LockedSite): Promise<YankResult> => {
        const { state, status, skill } = yankVersion(read(), request, label)
        const files = listDerivedFiles(state)
        const writes = planFiles(folder, files).filter(({ action }) => action !== 'keep')
        if (site) await writeFiles(site, files, call)
        return { status, newest: findNewestVersion(skill)?.version, writes }
      }
      return request.isDryRun ? await yank() : await withSiteLock(folder, yank)
    },
  }
}

function listReleaseFiles(state: SiteState, release: SkillRelease): SiteFile[] {
  return [...listVersionFiles(release), ...listDerivedFiles(addRelease(state, release))]
}

/** Two names of manifests can become one published name. */
function refuseOtherSkill({ skills }: SiteState, release: SkillRelease, label: string): void {
  const skill = skills.find(({ name }) => name === release.name)
  if (!skill || skill.skill === release.skill) return
  throw new SkillsError(
    'skill/exists',
    `"${label}" has "${release.name}" as another skill, ${skill.skill}`,
    { hint: 'Set another name in the front matter of SKILL.md' },
  )
}

/** Another publisher may have written the version after it was checked. */
function refuseOtherContent(state: SiteState, release: SkillRelease, label: string): void {
  refuseOtherSkill(state, release, label)
  const skill = state.skills.find(({ name }) => name === release.name)
  const found = skill?.versions.find(({ version }) => version === release.version)
  if (!found || (found.digest === release.tree && found.yanked === null)) return
  throw new SkillsError(
    'skill/exists',
    `"${label}" has ${release.skill}@${release.version} with other content`,
    { hint: 'Raise the version of the skill: published versions never change' },
  )
}

// eslint-disable-next-line max-params -- the site, and the version in it
async function readVersionFiles(
  folder: string,
  { skills }: SiteState,
  name: string,
  version: string,
): Promise<readonly PackedFile[] | undefined> {
  const found = skills
    .find((each) => each.name === name)
    ?.versions.find((each) => each.version === version)
  const archive = found && findArchive(found, 'tar.gz')
  if (!archive) return undefined
  const bytes = readSiteFile(folder, `skills/${name}/${archive.path}`)
  if (`sha256:${hash('sha256', bytes)}` !== archive.digest) {
    throw new SkillsError(
      'archive/invalid',
      `The published archive "${archive.path}" has changed`,
      { hint: 'Restore the file from version control or a backup' },
    )
  }
  return await readArchive(bytes)
}

/** Reads what a client of the discovery index would download. */
async function fetchRelease(
  folder: string,
  state: SiteState,
  release: SkillRelease,
): Promise<FetchedRelease> {
  const { name, version, archives } = release
  const at = `skills/${name}/${version}`
  const digests = new Map(
    archives.map(({ file }) => {
      const bytes = readSiteFile(folder, `${at}/${file}`)
      return [file, `sha256:${hash('sha256', bytes)}`]
    }),
  )
  const files = await readVersionFiles(folder, state, name, version)
  const [first] = archives
  const bundle =
    release.bundle && first && readSiteFile(folder, `${at}/${first.file}${BUNDLE_EXTENSION}`)
  return { files: files ?? [], archives: digests, bundle }
}

function readSiteFile(folder: string, path: string): Buffer {
  const bytes = readUpTo(join(folder, path), DOWNLOAD_LIMITS.archiveBytes)
  if (!bytes) throw archiveTooLargeError('archiveBytes', DOWNLOAD_LIMITS)
  return bytes
}

function yankVersion(
  state: SiteState,
  { name, version, reason }: YankRequest,
  label: string,
): { state: SiteState; status: YankResult['status']; skill: SiteSkill } {
  const skill = state.skills.find((each) => each.name === name || each.skill === name)
  const found = skill?.versions.find((each) => each.version === version)
  if (!skill || !found) {
    throw new SkillsError('skill/version-not-found', `"${label}" has no ${name}@${version}`, {
      hint: 'Its versions are in skills/<name>/index.json',
    })
  }
  if (found.yanked !== null) return { state, status: 'present', skill }
  const versions = skill.versions.map((each) =>
    each.version === version ? { ...each, yanked: reason } : each,
  )
  const changed: SiteSkill = { ...skill, versions }
  return { state: replaceSkill(state, changed), status: 'yanked', skill: changed }
}
