import { basename } from 'node:path'
import type { GitRepository } from '../../git/open-repository.ts'
import { listGitTree, readGitFiles, type GitTreeEntry } from '../../git/read-tree.ts'
import { parsePackedManifests } from '../../packing/packed-manifests.ts'
import { MAX_TEXT } from '../../skills/manifest/read-source.ts'
import { toManifest } from '../../skills/manifest/to-manifest.ts'
import { FOLDER_LIMITS } from '../fetched-skill.ts'
import type { GitPlace } from '../source-place.ts'
import { findSkillInTree, isUsualFolder, listSkillFolders } from './find-skill.ts'
import { formatGitSource } from './format-git-source.ts'

/** A skill of a repository, as its manifest describes it. */
export interface RepositorySkill {
  name: string
  description: string
  /** Undefined for the root of the repository. */
  folder: string | undefined
  /** Source that names the folder. */
  source: string
  /** False for a folder in which repositories rarely have skills. */
  isUsual: boolean
}

/** Lists the skills at or below the folder of a place. Of two with one name, the first is listed. */
export async function listRepositorySkills(
  repository: GitRepository,
  place: GitPlace,
): Promise<RepositorySkill[]> {
  const all = (await listGitTree(repository, undefined)) ?? []
  const files = all.filter(({ type }) => type === 'file')
  const folders = listSkillFolders(place.folder, new Set(files.map(({ path }) => path)))
  // Without a folder, this throws the reason.
  if (folders.length === 0) findSkillInTree(place, all)
  const manifests = await readManifests(repository, files, folders)
  const skills = new Map<string, RepositorySkill>()
  for (const folder of folders) {
    const source = formatGitSource({ ...place, folder })
    if (source === undefined) continue
    const skill = { ...describeSkill(folder, place, manifests), folder, source }
    if (!skills.has(skill.name)) {
      skills.set(skill.name, { ...skill, isUsual: isUsualFolder(folder, place.folder) })
    }
  }
  return [...skills.values()]
}

/** Contents by path. Manifests above the limits are not read. */
async function readManifests(
  repository: GitRepository,
  files: readonly GitTreeEntry[],
  folders: readonly (string | undefined)[],
): Promise<ReadonlyMap<string, Buffer>> {
  const paths = new Set(folders.flatMap(listManifestPaths))
  let left = FOLDER_LIMITS.bytes
  const entries = files.filter(({ path, size }) => {
    if (!paths.has(path) || size > Math.min(MAX_TEXT, left)) return false
    left -= size
    return true
  })
  const contents = await readGitFiles(repository, entries)
  return new Map(entries.map(({ path }, at) => [path, contents[at] ?? Buffer.alloc(0)]))
}

function listManifestPaths(folder: string | undefined): string[] {
  const prefix = folder === undefined ? '' : `${folder}/`
  return [`${prefix}SKILL.md`, `${prefix}skill.toml`]
}

/** A skill with an invalid manifest has the name of its folder; its installation states the reason. */
function describeSkill(
  folder: string | undefined,
  { url }: GitPlace,
  manifests: ReadonlyMap<string, Buffer>,
): Pick<RepositorySkill, 'name' | 'description'> {
  const files = listManifestPaths(folder).flatMap((path) => {
    const bytes = manifests.get(path)
    return bytes ? [{ path: basename(path), isExecutable: false, bytes }] : []
  })
  const { manifest, problems } = toManifest(parsePackedManifests(files))
  const name = basename(folder ?? url, '.git')
  return problems.length > 0
    ? { name, description: '' }
    : { name: manifest.name || name, description: manifest.description }
}
