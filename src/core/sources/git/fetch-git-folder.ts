import { withRepository } from '../../git/open-repository.ts'
import { listGitTree, readGitFiles } from '../../git/read-tree.ts'
import type { PackedFile } from '../../packing/packed-file.ts'
import { SkillsError } from '../../../errors.ts'
import { FOLDER_LIMITS, type FetchOptions } from '../fetched-skill.ts'
import { createSkillFinder } from '../skill-folders.ts'
import type { GitPlace } from '../source-place.ts'
import { checkGitEntries } from './check-entries.ts'
import { describeGitPlace, formatResolvedGit, replaceGithub } from './git-text.ts'

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
