import { isUnknownReference, type GitRepository } from '../../../core/git/open-repository.ts'
import type { LockedAgent } from '../../../core/installing/agents/locked-agent.ts'
import type { InstallPlaces } from '../../../core/installing/install-places.ts'
import { checkSourceRule } from '../../../core/installing/install-rules.ts'
import {
  listRepositorySkills,
  type RepositorySkill,
} from '../../../core/sources/git/list-skills.ts'
import { formatGitSource } from '../../../core/sources/git/format-git-source.ts'
import { openGitPlace } from '../../../core/sources/git/open-place.ts'
import type { GitPlace } from '../../../core/sources/source-place.ts'
import { SkillsError, toSkillsError } from '../../../errors.ts'
import { toPrintable } from '../../../util/printable.ts'
import { whileFetching } from '../../access/while-fetching.ts'
import { getFlagOption, getListOption, type CommandLine } from '../../command.ts'
import type { Context } from '../../context.ts'
import { offerAgents } from '../choose-agents.ts'
import { printSourceSkills } from './print-source-skills.ts'
import { chooseSkills } from './choose-skills.ts'
import { fetchCandidate, installCandidate } from '../install-source.ts'
import { loadInstallRules } from '../load-rules.ts'
import { reportInstalled, type ReportedSkill } from '../report-installed.ts'

interface RepositoryInstall {
  places: InstallPlaces
  place: GitPlace
  /** The source, of which a lock can have the text. */
  text: string
}

/** Installs chosen skills of a repository, which is fetched once. Each has a source of its own. */
export async function installRepository(
  context: Context,
  call: CommandLine,
  { places, place, text }: RepositoryInstall,
): Promise<number> {
  checkSourceRule(await loadInstallRules(context), place, text)
  const { folder, ref } = place
  let repository: GitRepository
  try {
    repository = await whileFetching(context, text, async () => await openGitPlace(place, context))
  } catch (thrown) {
    const isShort = folder === undefined && !text.startsWith('git+')
    if (ref === undefined || !isShort || !isUnknownReference(thrown, ref)) throw thrown
    const named = await installNamed(context, call, { places, place, name: ref })
    if (named === undefined) throw thrown
    return named
  }
  try {
    const found = await listRepositorySkills(repository, place)
    // The folder that was named keeps its text.
    const skills = found.map((each) =>
      each.folder === place.folder ? { ...each, source: text } : each,
    )
    return await installListed(context, call, { places, text, skills, repository })
  } finally {
    repository.close()
  }
}

/**
 * Other installers name a skill after `@`: `owner/repo@greet`. A reference of this name would be read.
 * Undefined if there is no such skill either.
 */
async function installNamed(
  context: Context,
  call: CommandLine,
  { places, place, name }: { places: InstallPlaces; place: GitPlace; name: string },
): Promise<number | undefined> {
  const newest: GitPlace = { ...place, ref: undefined }
  const text = formatGitSource(newest)
  if (text === undefined) throw new Error('a place without a folder has a source')
  const shown = toPrintable(name)
  context.note(`There is no branch and no tag "${shown}": the skill of this name is read`)
  const skill = [...getListOption(call, 'skill'), name]
  const named = { ...call, options: { ...call.options, skill } }
  try {
    return await installRepository(context, named, { places, place: newest, text })
  } catch (thrown) {
    if (thrown instanceof SkillsError && thrown.code === 'skill/not-found') return undefined
    throw thrown
  }
}

interface ListedInstall {
  places: InstallPlaces
  text: string
  skills: readonly RepositorySkill[]
  repository?: GitRepository | undefined
}

/** Installs chosen skills of a source that has several, or lists them. */
export async function installListed(
  context: Context,
  call: CommandLine,
  { places, text, skills, repository }: ListedInstall,
): Promise<number> {
  if (getFlagOption(call, 'list')) return printSourceSkills(context, { text, skills })
  const chosen = await chooseSkills(context, call, { text, skills })
  const sources = chosen.map(({ source }) => source)
  return await installEach(context, call, { places, sources, repository })
}

/** A skill that cannot be installed does not stop the others. */
async function installEach(
  context: Context,
  call: CommandLine,
  request: {
    places: InstallPlaces
    sources: readonly string[]
    repository: GitRepository | undefined
  },
): Promise<number> {
  const { places, sources, repository } = request
  if (call.options['trust'] !== undefined && sources.length > 1) {
    throw new SkillsError('usage/invalid', '--trust is the digest of one skill', {
      hint: 'Name the skill with --skill, or agree with --yes',
    })
  }
  const reported: ReportedSkill[] = []
  const exits: number[] = []
  let agents: readonly LockedAgent[] | undefined
  try {
    for (const text of sources) {
      try {
        const source = { places, text, cwd: context.cwd, repository }
        const candidate = await fetchCandidate(context, call, source)
        agents ??= await offerAgents(context, call, candidate)
        const skill = await installCandidate(context, call, { ...candidate, agents })
        reported.push({ ...candidate, skill })
      } catch (thrown) {
        const error = toSkillsError(thrown)
        const isCancelled = error.code === 'run/cancelled' || context.signal.aborted
        if (isCancelled || sources.length === 1) throw thrown
        reported.push({ source: text, error })
        exits.push(error.outcome.exit)
      }
    }
  } finally {
    // A cancelled installation has installed the skills before.
    if (reported.length > 0) reportInstalled(context, places, reported)
  }
  // A missing consent is first: the user can give it.
  return exits.includes(4) ? 4 : (exits[0] ?? 0)
}
