import { recoverInstall } from '../../core/installing/swap-skill.ts'
import { expandSource } from '../../core/sources/expand-source.ts'
import { parseSkillSource } from '../../core/sources/skill-source.ts'
import { SkillsError } from '../../errors.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import { toPrintable } from '../../util/printable.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { offerAgents } from './choose-agents.ts'
import { fetchCandidate, installCandidate } from './install-source.ts'
import { readChosenNames } from './repository/choose-skills.ts'
import { installListed, installRepository } from './repository/install-repository.ts'
import { listLocalSkills } from './repository/list-local-skills.ts'
import { openPlaces } from './open-places.ts'
import { reportInstalled } from './report-installed.ts'
import { restoreInstalled } from './restore-installed.ts'

/** `skills install`. */
export async function runInstall(context: Context, call: CommandLine): Promise<number> {
  const [source] = call.args
  const { places } = await openPlaces(context, call)
  await recoverInstall(places)
  if (source === undefined) return await restoreInstalled(context, call, places)
  if (call.options['frozen'] === true) {
    throw new SkillsError('usage/invalid', '--frozen installs what skills.lock has, not a source', {
      hint: 'Type "skills install --frozen", or omit --frozen',
    })
  }
  const text = expandSource(source, context.cwd)
  const place = parseSkillSource(text, context.cwd)
  if (place.type === 'git' && !source.includes(':')) {
    context.note(`There is no folder "${source}" here: ${text} is read`)
  }
  if (place.type === 'git') return await installRepository(context, call, { places, place, text })
  const local = place.type === 'folder' ? await listLocalSkills(place.path) : []
  if (local.length > 0) return await installListed(context, call, { places, text, skills: local })
  refuseChoice(call, text)
  const candidate = await fetchCandidate(context, call, { places, text, cwd: context.cwd })
  const agents = await offerAgents(context, call, candidate)
  const skill = await installCandidate(context, call, { ...candidate, agents })
  reportInstalled(context, places, [{ ...candidate, skill }])
  return 0
}

/** Other sources are one skill. */
function refuseChoice(call: CommandLine, text: string): void {
  const isChosen = readChosenNames(call).length > 0 || call.options['all'] === true
  if (!isChosen && call.options['list'] !== true) return
  const problem = `"${toPrintable(text)}" is the source of one skill: --list, --all and names of skills need a repository`
  throw new SkillsError('usage/invalid', problem, {
    hint: `Type "skills info ${quoteShellWord(toPrintable(text))}" to see it, or name a repository, such as owner/repo`,
  })
}
