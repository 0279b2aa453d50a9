import { basename, join, relative } from 'node:path'
import { SkillsError } from '../../../../errors.ts'
import { isSemver } from '../../../../util/semver.ts'
import { checkFrontMatter } from '../check-front-matter.ts'
import type {
  PublishCall,
  PublishedVersion,
  PublishTarget,
  SkillRelease,
} from '../publish-target.ts'
import { planAssets, readAssets, writeAssets } from './release-assets.ts'
import { readTaggedFiles, requireCommittedFiles } from './tagged-files.ts'
import { runGit } from './git-writer.ts'

export interface GitTargetOptions {
  /** Folder of the skill. */
  folder: string
  env: Readonly<Record<string, string | undefined>>
  /** Folder for the release files; undefined for none. */
  out: string | undefined
  /** Name of the remote that gets the tag; undefined for none. */
  remote: string | undefined
}

/** Facts of a repository that a tag needs. */
interface TagPlan {
  tag: string
  commit: string
}

const REMOTE = /^[A-Za-z0-9][\w.-]{0,99}$/

/** An annotated tag of the current commit, and release files to attach to it. */
export function openGitTarget(options: GitTargetOptions): PublishTarget {
  const { remote, out } = options
  if (remote !== undefined && !REMOTE.test(remote)) {
    throw new SkillsError('usage/invalid', 'Expected the name of a remote for --push', {
      hint: 'Type "git remote" for their names, such as origin',
    })
  }
  const git = async (args: readonly string[], call: PublishCall): Promise<string> =>
    await runGit(args, { ...call, cwd: options.folder, env: options.env })
  return {
    label: 'git:',
    formats: out === undefined ? [] : ['tar.gz', 'zip', 'skill'],
    check: checkFrontMatter,
    async listVersions({ name }, call) {
      const prefix = await findTagPrefix(git, name, call)
      return await listTags(git, prefix, call)
    },
    async readFiles({ name }, version, call) {
      const prefix = await findTagPrefix(git, name, call)
      return await readTaggedFiles(options, `${prefix}${version}`)
    },
    async plan(release, call) {
      const { tag, commit } = await prepareTag(git, options, { release, call })
      const isTagged = (await listTags(git, tag, call)).length > 0
      const isPushed = remote !== undefined && (await findRemoteTag(git, remote, tag, call))
      return [
        ...planAssets(out, release),
        { path: `refs/tags/${tag} of ${commit}`, action: isTagged ? 'keep' : 'create' },
        ...(remote === undefined
          ? []
          : [
              { path: `${remote} refs/tags/${tag}`, action: isPushed ? 'keep' : 'create' } as const,
            ]),
      ]
    },
    async write(release, call) {
      const { tag, commit } = await prepareTag(git, options, { release, call })
      await writeAssets(out, release, call)
      if ((await listTags(git, tag, call)).length === 0) {
        call.signal.throwIfAborted()
        const message = `${release.skill} ${release.version}\n\n${release.tree}\n`
        await git(['tag', '--annotate', '--message', message, tag, commit], call)
        call.onWritten({ path: `refs/tags/${tag} of ${commit}`, action: 'create' })
      }
      if (remote !== undefined) await pushTag(git, remote, tag, call)
    },
    async fetchBack(release, call) {
      const tag = `${await findTagPrefix(git, release.name, call)}${release.version}`
      const files = (await readTaggedFiles(options, tag)) ?? []
      return { files, ...readAssets(out, release) }
    },
  }
}

/** Pushes one tag, and checks that the remote returns it. */
// eslint-disable-next-line max-params -- git, and the tag of a remote
async function pushTag(git: RunGit, remote: string, tag: string, call: PublishCall): Promise<void> {
  if (await findRemoteTag(git, remote, tag, call)) return
  call.signal.throwIfAborted()
  const ref = `refs/tags/${tag}`
  const pack = '--receive-pack=git-receive-pack'
  await git(['push', '--porcelain', '--no-verify', pack, remote, `${ref}:${ref}`], call)
  call.onWritten({ path: `${remote} ${ref}`, action: 'create' })
  if (await findRemoteTag(git, remote, tag, call)) return
  throw new SkillsError('remote/unexpected', `"${remote}" does not return the tag ${tag}`, {
    hint: `Push it again: git push ${remote} ${ref}`,
  })
}

type RunGit = (args: readonly string[], call: PublishCall) => Promise<string>

/** `v` in a repository with one skill, and `<name>-v` otherwise. */
async function findTagPrefix(git: RunGit, name: string, call: PublishCall): Promise<string> {
  const listed = await git(['ls-tree', '-r', '-z', '--name-only', '--full-tree', 'HEAD'], call)
  const skills = listed.split('\0').filter((path) => basename(path) === 'SKILL.md')
  return skills.length === 1 ? 'v' : `${name}-v`
}

/** Versions of the tags that begin with a prefix; a complete tag finds itself. */
async function listTags(
  git: RunGit,
  prefix: string,
  call: PublishCall,
): Promise<PublishedVersion[]> {
  const listed = await git(['for-each-ref', '--format=%(refname:strip=2)', 'refs/tags'], call)
  const tags = listed.split('\n').filter((tag) => tag.startsWith(prefix))
  if (tags.includes(prefix)) return [{ version: prefix, tree: undefined, yanked: undefined }]
  return tags
    .map((tag) => tag.slice(prefix.length))
    .filter(isSemver)
    .map((version) => ({ version, tree: undefined, yanked: undefined }))
}

/** Refuses a repository whose commit or layout clients would read otherwise. */
async function prepareTag(
  git: RunGit,
  { folder, env }: GitTargetOptions,
  { release, call }: { release: SkillRelease; call: PublishCall },
): Promise<TagPlan> {
  const found = await git(['rev-parse', '--show-toplevel', 'HEAD'], call)
  const [root = '', commit = ''] = found.split('\n')
  checkLayout(relative(root, folder).replaceAll('\\', '/'), release)
  await requireCommittedFiles({ folder, env }, commit, release)
  const prefix = await findTagPrefix(git, release.name, call)
  return { tag: `${prefix}${release.version}`, commit }
}

/** Folders in which clients of git repositories look for skills. */
const LAYOUT = /^(?:skills\/(?:[^./][^/]*\/)?|plugins\/[^./][^/]*\/skills\/|)([^./][^/]*)$/

function checkLayout(path: string, { name }: SkillRelease): void {
  if (LAYOUT.exec(path)?.[1] === name) return
  throw new SkillsError(
    'skill/invalid',
    `Clients do not find the skill in the folder "${path === '' ? '.' : path}" of the repository`,
    { hint: `Move it to ${join('skills', name)}, the name in its front matter` },
  )
}

/** True if the remote has the same tag object; refuses another one. */
// eslint-disable-next-line max-params -- git, and the tag of a remote
async function findRemoteTag(
  git: RunGit,
  remote: string,
  tag: string,
  call: PublishCall,
): Promise<boolean> {
  const ref = `refs/tags/${tag}`
  const listed = await git(
    ['ls-remote', '--upload-pack=git-upload-pack', '--tags', '--refs', remote, ref],
    call,
  )
  const id = listed
    .split('\n')
    .find((line) => line.endsWith(`\t${ref}`))
    ?.split('\t')[0]
  if (id === undefined) return false
  const own = await git(['for-each-ref', '--format=%(objectname)', ref], call)
  if (own.trim() === id) return true
  throw new SkillsError('skill/exists', `"${remote}" has another tag ${tag}`, {
    hint: 'Raise the version of the skill: published versions never change',
  })
}
