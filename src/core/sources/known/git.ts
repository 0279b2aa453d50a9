import { resolve } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { formatGithubUrl, isGitReference, isPlainPath } from '../../git/git-address.ts'
import { sourceError } from '../check-address.ts'
import { describeGitPlace } from '../git/git-text.ts'
import type { DescribedSource, RemoteKind, TargetKind } from '../source-kind.ts'
import type { GitPlace } from '../source-place.ts'

const GITHUB_FORMS = 'github:owner/repo, github:owner/repo/path or github:owner/repo/path@ref'
const GIT_FORMS = 'git+https://host/repo.git or git+https://host/repo.git#ref:path'

const publish: TargetKind = {
  schemes: { 'git:': 'git:' },
  options: ['out', 'push'],
  isPlaceless: true,
  async open({ cwd, env, rest, folder, options: { out, push: remote } }) {
    const { openGitTarget } = await import('../../publishing/targets/git/git-target.ts')
    if (rest === '' && folder !== undefined) {
      const path = out === undefined ? undefined : resolve(cwd, out)
      return openGitTarget({ folder, env, out: path, remote })
    }
    if (rest !== '') {
      throw new SkillsError('usage/invalid', 'The target git: is the repository around the skill', {
        hint: 'Write --to git: and name a remote with --push, such as --push origin',
      })
    }
    throw new SkillsError('usage/invalid', 'A tag of git cannot be withdrawn', {
      hint: 'Publish a fixed version; mark the release as bad on the git host, or delete it there',
    })
  },
}

/** A folder of a repository, which is read from a commit and never checked out. */
export const git: RemoteKind<GitPlace> = {
  type: 'git',
  forms: { github: GITHUB_FORMS, 'git+https': GIT_FORMS, 'git+file': GIT_FORMS },
  parse: (text) => (isGithub(text) ? parseGithub(text) : parseGitUrl(text)),
  hasPinned: ({ url, folder }, pinned) =>
    // A typed source without a folder has the one that was found.
    pinned.type === 'git' &&
    pinned.url === url &&
    (folder === undefined || folder === pinned.folder),
  identify: ({ url }, { resolved }) => `${url} ${findPinnedFolder(resolved) ?? ''}`,
  formatTrust({ url, protocol }, resolved) {
    if (protocol !== 'https') return undefined
    const text = describeGitPlace({ url, ref: undefined }, findPinnedFolder(resolved))
    // The fragment of another server becomes a path, which patterns cover.
    return text.replace(/^git\+/, '').replace('#:', '/')
  },
  trustPatterns: { github: 'github:owner/repo', gitlab: 'gitlab:group/repo' },
  isCaseless: true,
  describeForeign: describeRepository,
  async fetch(place, options) {
    const { fetchGit } = await import('../git/fetch-git.ts')
    return await fetchGit(place, options)
  },
  async fetchFolder(place, options) {
    const { fetchGitFolder } = await import('../git/fetch-git.ts')
    return await fetchGitFolder(place, options)
  },
  publish,
}

const isGithub = (text: string): boolean => /^github:/i.test(text)

/** Parses `github:owner/repo[/path][@ref]`. */
function parseGithub(text: string): GitPlace {
  const [location = '', ...refs] = text.slice('github:'.length).split('@')
  const [owner = '', repository = '', ...folders] = location.split('/')
  const url = formatGithubUrl(`${owner}/${repository}`)
  if (url === undefined) throw refuseGit(text, 'expected github:owner/repo/path@ref')
  const ref = refs.length === 0 ? undefined : refs.join('@')
  const folder = folders.length === 0 ? undefined : folders.join('/')
  return createGitPlace(text, { url, protocol: 'https', ref, folder })
}

/** Parses `git+https://host/repo.git#ref:path`, and the same with `git+file`. */
function parseGitUrl(text: string): GitPlace {
  const [location = '', ...rest] = text.slice('git+'.length).split('#')
  if (!URL.canParse(location)) throw refuseGit(text, 'it is not a valid URL')
  const url = new URL(location)
  if (url.username !== '' || url.password !== '') {
    const shown = text.replace(/\/\/[^/]*@/, '//…@')
    throw refuseGit(shown, 'it contains a user name; git asks its credential helper')
  }
  if (url.search !== '' || rest.length > 1) throw refuseGit(text, 'expected #ref:path at its end')
  const [ref = '', ...folders] = (rest[0] ?? '').split(':')
  return createGitPlace(text, {
    url: url.href,
    protocol: url.protocol === 'file:' ? 'file' : 'https',
    ref: ref || undefined,
    folder: folders.join(':') || undefined,
  })
}

function createGitPlace(text: string, address: Omit<GitPlace, 'type'>): GitPlace {
  const { ref, folder } = address
  if (ref !== undefined && !isGitReference(ref)) {
    throw refuseGit(text, `"${ref}" is not a branch, a tag or a commit`)
  }
  if (folder !== undefined && !isPlainPath(folder)) {
    throw refuseGit(text, `"${folder}" is not a folder of the repository`)
  }
  return { type: 'git', ...address }
}

function refuseGit(text: string, problem: string): SkillsError {
  return sourceError(text, problem, isGithub(text) ? GITHUB_FORMS : GIT_FORMS)
}

/** The folder of a pinned text: one that was searched is in no other. */
function findPinnedFolder(resolved: string): string | undefined {
  if (!/^(?:github|git\+https|git\+file):/i.test(resolved)) return undefined
  return (isGithub(resolved) ? parseGithub(resolved) : parseGitUrl(resolved)).folder
}

function describeRepository({ url, ref }: GitPlace, resolved: string): DescribedSource {
  const folder = findPinnedFolder(resolved)
  const skillPath = folder === undefined ? 'SKILL.md' : `${folder}/SKILL.md`
  if (ref?.includes('@')) {
    return {
      problem: `the npm package "skills" reads a skill in the "@" of the reference "${ref}"`,
    }
  }
  const { protocol, hostname, pathname } = new URL(url)
  if (hostname === 'github.com') {
    const source = pathname.slice(1).replace(/\.git$/, '')
    return { source, sourceType: 'github', sourceUrl: url, ref, skillPath }
  }
  if (hostname === 'gitlab.com') {
    const address = url.endsWith('.git') ? url : `${url}.git`
    return { source: address, sourceType: 'gitlab', sourceUrl: address, ref, skillPath }
  }
  if (protocol === 'file:' && ref !== undefined) {
    return {
      problem: 'the npm package "skills" reads no reference of a repository on this machine',
    }
  }
  if (protocol !== 'file:' && !/\.git$|\/_git\//.test(pathname)) {
    return { problem: 'the npm package "skills" reads an address of git without ".git" as a site' }
  }
  return { source: url, sourceType: 'git', sourceUrl: url, ref, skillPath }
}
