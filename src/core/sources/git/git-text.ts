import { SkillsError } from '../../../errors.ts'
import type { GitPlace } from '../source-place.ts'

const GITHUB = 'https://github.com/'

/** The repository and the folder as a user types them, with another folder. */
export function describeGitPlace(
  { url, ref }: Pick<GitPlace, 'url' | 'ref'>,
  folder?: string,
): string {
  if (url.startsWith(GITHUB)) {
    const repository = url.slice(GITHUB.length).replace(/\.git$/, '')
    return `github:${repository}${folder ? `/${folder}` : ''}${ref ? `@${ref}` : ''}`
  }
  const fragment = `${ref ?? ''}${folder ? `:${folder}` : ''}`
  return `git+${url}${fragment && `#${fragment}`}`
}

/** The pinned text of a folder at a commit. */
export function formatResolvedGit(
  { url }: Pick<GitPlace, 'url'>,
  commit: string,
  folder: string | undefined,
): string {
  return `git+${url}#${commit}${folder === undefined ? '' : `:${folder}`}`
}

/** Reads from a mirror, or from a GitHub Enterprise Server, instead of github.com. */
export function replaceGithub(place: GitPlace, base: string | undefined): GitPlace {
  if (base === undefined || base === '' || !place.url.startsWith(GITHUB)) return place
  if (!URL.canParse(base)) throw invalidBaseError()
  const { protocol, username, password, href } = new URL(base)
  if ((protocol !== 'https:' && protocol !== 'file:') || username !== '' || password !== '') {
    throw invalidBaseError()
  }
  return {
    ...place,
    url: `${href.replace(/\/$/, '')}/${place.url.slice(GITHUB.length)}`,
    protocol: protocol === 'file:' ? 'file' : 'https',
  }
}

function invalidBaseError(): SkillsError {
  return new SkillsError('usage/invalid', 'The variable SKILLS_GITHUB_URL is not valid', {
    hint: 'Set it to an https or file URL without a user name, such as https://github.example.com',
  })
}
