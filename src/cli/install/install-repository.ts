import { isUnknownReference, type GitRepository } from '../../core/git/open-repository.ts'
import { checkSourceRule } from '../../core/installing/install-rules.ts'
import { installSources } from '../../core/installing/installer/install-sources.ts'
import type { Installer } from '../../core/installing/installer/installer.ts'
import { listRepositorySkills, type RepositorySkill } from '../../core/sources/git/list-skills.ts'
import { formatGitSource } from '../../core/sources/git/format-git-source.ts'
import { openGitPlace } from '../../core/sources/git/fetch-git.ts'
import type { GitPlace } from '../../core/sources/source-place.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { getFlagOption, getListOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { printSourceSkills } from './source-skills.ts'
import { chooseSkills } from './source-skills.ts'

interface RepositoryInstall {
  installer: Installer
  place: GitPlace
  /** The source, of which a lock can have the text. */
  text: string
}

/** Installs chosen skills of a repository, which is fetched once. Each has a source of its own. */
export async function installRepository(
  context: Context,
  call: CommandLine,
  { installer, place, text }: RepositoryInstall,
): Promise<void> {
  checkSourceRule(installer.config.install, place, text)
  const { folder, ref } = place
  let repository: GitRepository
  try {
    repository = await installer.caller.fetching(
      text,
      async () => await openGitPlace(place, context),
    )
  } catch (thrown) {
    const isShort = folder === undefined && !text.startsWith('git+')
    if (ref === undefined || !isShort || !isUnknownReference(thrown, ref)) throw thrown
    if (await installNamed(context, call, { installer, place, name: ref })) return
    throw thrown
  }
  try {
    const found = await listRepositorySkills(repository, place)
    // The folder that was named keeps its text.
    const skills = found.map((each) =>
      each.folder === place.folder ? { ...each, source: text } : each,
    )
    await installListed(context, call, { installer, text, skills, repository })
  } finally {
    repository.close()
  }
}

/**
 * Other installers name a skill after `@`: `owner/repo@greet`. A reference of this name would be read.
 * False if there is no such skill either.
 */
async function installNamed(
  context: Context,
  call: CommandLine,
  { installer, place, name }: { installer: Installer; place: GitPlace; name: string },
): Promise<boolean> {
  const newest: GitPlace = { ...place, ref: undefined }
  const text = formatGitSource(newest)
  if (text === undefined) throw new Error('a place without a folder has a source')
  const shown = toPrintable(name)
  context.note(`There is no branch and no tag "${shown}": the skill of this name is read`)
  const skill = [...getListOption(call, 'skill'), name]
  const named = { ...call, options: { ...call.options, skill } }
  try {
    await installRepository(context, named, { installer, place: newest, text })
    return true
  } catch (thrown) {
    if (thrown instanceof SkillsError && thrown.code === 'skill/not-found') return false
    throw thrown
  }
}

interface ListedInstall {
  installer: Installer
  text: string
  skills: readonly RepositorySkill[]
  repository?: GitRepository | undefined
}

/** Installs chosen skills of a source that has several, or lists them. */
export async function installListed(
  context: Context,
  call: CommandLine,
  { installer, text, skills, repository }: ListedInstall,
): Promise<void> {
  if (getFlagOption(call, 'list')) return printSourceSkills(context, { text, skills })
  const chosen = await chooseSkills(context, call, { text, skills })
  const sources = chosen.map(({ source }) => source)
  await installSources(installer, sources, { cwd: context.cwd, repository })
}
