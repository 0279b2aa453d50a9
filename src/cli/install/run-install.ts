import { recoverInstall } from '../../core/installing/swap-skill.ts'
import { expandSource } from '../../core/sources/expand-source.ts'
import { parseSkillSource } from '../../core/sources/skill-source.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { offerAgents } from './choose-agents.ts'
import { fetchCandidate, installCandidate } from './install-source.ts'
import { readChosenNames } from './choose-skills.ts'
import { installRepository } from './install-repository.ts'
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
  refuseChoice(call, text)
  const candidate = await fetchCandidate(context, call, { places, text, cwd: context.cwd })
  const agents = await offerAgents(context, call, candidate)
  const skill = await installCandidate(context, call, { ...candidate, agents })
  reportInstalled(context, places, [{ ...candidate, skill }])
  return 0
}

/** Other sources are one skill. */
function refuseChoice(call: CommandLine, text: string): void {
  if (readChosenNames(call).length === 0 && call.options['all'] !== true) return
  const problem = `"${toPrintable(text)}" is the source of one skill: --all and names of skills need a repository`
  throw new SkillsError('usage/invalid', problem, {
    hint: 'Name a repository, such as owner/repo --skill greet, or the source alone',
  })
}
