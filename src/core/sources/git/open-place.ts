import { openRepository, type GitRepository } from '../../git/open-repository.ts'
import type { FetchOptions } from '../fetched-skill.ts'
import type { GitPlace } from '../source-place.ts'
import { describeGitPlace, replaceGithub } from './git-text.ts'

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
