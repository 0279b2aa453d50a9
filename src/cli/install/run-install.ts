import { recoverInstall } from '../../core/installing/swap-skill.ts'
import { SkillsError } from '../../errors.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { offerAgents } from './choose-agents.ts'
import { fetchCandidate, installCandidate } from './install-source.ts'
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
  const request = { places, text: source, cwd: context.cwd }
  const candidate = await fetchCandidate(context, call, request)
  const agents = await offerAgents(context, call, candidate)
  const skill = await installCandidate(context, call, { ...candidate, agents })
  reportInstalled(context, places, [{ ...candidate, skill }])
  return 0
}
