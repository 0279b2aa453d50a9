import { openRepository, withRepository, type GitRepository } from '../../git/open-repository.ts'
import { listGitTree, readGitFiles, type GitTreeEntry } from '../../git/read-tree.ts'
import type { PackedFile } from '../../packing/packed-file.ts'
import { BUNDLE_EXTENSION, parseBundle } from '../../signing/envelope/bundle-file.ts'
import { FOLDER_LIMITS, type FetchOptions, type FetchedSkill } from '../fetched-skill.ts'
import { checkGitEntries, listLeftOutEntries } from './check-entries.ts'
import { findSkillInTree } from './find-skill.ts'
import { describeGitPlace, formatResolvedGit, replaceGithub } from './git-text.ts'
import { createSkillFinder } from '../skill-folders.ts'
import type { GitPlace } from '../source-place.ts'
import { SkillsError } from '../../../errors.ts'

const MAX_BUNDLE_BYTES = 1024 ** 2

/** Reads a skill from a commit of a repository, which is never checked out. */
export async function fetchGit(place: GitPlace, options: FetchOptions): Promise<FetchedSkill> {
  if (options.repository) return await readGitSkill(options.repository, place, options)
  const repository = await openGitPlace(place, options)
  try {
    return await readGitSkill(repository, place, options)
  } finally {
    repository.close()
  }
}

async function readGitSkill(
  repository: GitRepository,
  place: GitPlace,
  { withLeftOut }: FetchOptions,
): Promise<FetchedSkill> {
  const all = (await listGitTree(repository, undefined)) ?? []
  const folder = findSkillInTree(place, all)
  const selected = selectFolder(all, folder)
  const files = await readGitContents(repository, checkGitEntries(selected, place))
  const leftOut = withLeftOut === true ? listLeftOutEntries(selected) : undefined
  const bundle = `${folder ?? 'skill'}${BUNDLE_EXTENSION}`
  return {
    files,
    ...(leftOut && { leftOut: await readGitContents(repository, leftOut) }),
    archiveDigest: undefined,
    envelopes: await readEnvelopes(repository, all, bundle),
    bundle: `${bundle} of ${describeGitPlace(place)}`,
    resolved: formatResolvedGit(place, repository.commit, folder),
    ...(repository.isTag && place.ref !== undefined && { fixed: { tag: place.ref } }),
  }
}

async function readGitContents(
  repository: GitRepository,
  entries: readonly GitTreeEntry[],
): Promise<PackedFile[]> {
  const contents = await readGitFiles(repository, entries)
  return entries.map(({ path, isExecutable }, at) => ({
    path: path.normalize('NFC'),
    isExecutable,
    bytes: contents[at] ?? Buffer.alloc(0),
  }))
}

function selectFolder(all: readonly GitTreeEntry[], folder: string | undefined): GitTreeEntry[] {
  if (folder === undefined) return [...all]
  const prefix = `${folder}/`
  return all
    .filter(({ path }) => path.startsWith(prefix))
    .map((each) => ({ ...each, path: each.path.slice(prefix.length) }))
}

/** Signatures stand next to the folder, as they do on disk. */
async function readEnvelopes(
  repository: GitRepository,
  all: readonly GitTreeEntry[],
  bundle: string,
): Promise<FetchedSkill['envelopes']> {
  const entry = all.find(({ path, type }) => path === bundle && type === 'file')
  if (!entry || entry.size > MAX_BUNDLE_BYTES) return undefined
  const [bytes] = await readGitFiles(repository, [entry])
  return bytes && parseBundle(bytes.toString('utf8'), bundle)
}

/** Fetches the commit of a place. The caller closes the repository. */
export async function openGitPlace(
  place: GitPlace,
  { env, signal }: Pick<FetchOptions, 'env' | 'signal'>,
): Promise<GitRepository> {
  const address = replaceGithub(place, env['SKILLS_GITHUB_URL'])
  const subject = `The skill of "${describeGitPlace(place)}"`
  // Other installers write owner/repo@skill.
  const refHint = 'Name a branch, a tag or a full commit; a skill is named by --skill'
  return await openRepository({ address, subject, env, signal, refHint })
}

/** Reads all skills below a folder of a commit. Files outside of skills are not read. */
export async function fetchGitFolder(
  place: GitPlace,
  { env, signal }: FetchOptions,
): Promise<{ files: PackedFile[]; resolved: string }> {
  const address = replaceGithub(place, env['SKILLS_GITHUB_URL'])
  const subject = `The root "${describeGitPlace(place)}"`
  return await withRepository({ address, subject, env, signal }, async (repository) => {
    const all = await listGitTree(repository, place.folder)
    if (!all) {
      throw new SkillsError('skill/not-found', `${subject} has no folder "${place.folder}"`, {
        hint: 'Check the folder and the reference of the root',
      })
    }
    const findSkill = createSkillFinder(
      all.filter(({ type }) => type === 'file').map(({ path }) => path),
    )
    const inSkills = all.filter(({ path }) => findSkill(path) !== undefined)
    const entries = checkGitEntries(inSkills, place, FOLDER_LIMITS)
    const contents = await readGitFiles(repository, entries)
    const files = entries.map(({ path, isExecutable }, at) => ({
      path: path.normalize('NFC'),
      isExecutable,
      bytes: contents[at] ?? Buffer.alloc(0),
    }))
    return { files, resolved: formatResolvedGit(place, repository.commit, place.folder) }
  })
}
