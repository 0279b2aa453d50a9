import { homedir } from 'node:os'
import type { InstallPlaces } from '../../core/installing/install-places.ts'
import type { LockedAgent } from '../../core/installing/agents/locked-agent.ts'
import { listPresentAgents } from '../../core/installing/agents/select-agents.ts'
import { getListOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { confirmByPrompt } from '../ui/prompts.ts'
import type { InstallCandidate } from '../../core/installing/installer/candidate.ts'

/**
 * Agents of a candidate, with those that are used here and would not find it otherwise: a terminal is asked, and else the
 * option is named.
 */
export async function offerAgents(
  context: Context,
  call: CommandLine,
  {
    places,
    agents,
    before,
  }: Pick<InstallCandidate, 'agents' | 'before'> & { places: InstallPlaces },
): Promise<readonly LockedAgent[]> {
  if (getListOption(call, 'agent').length > 0) return agents
  const known = new Set([...(before?.agents ?? []), ...agents].map(({ agent }) => agent))
  const home = context.env['HOME'] || homedir()
  const present = listPresentAgents(places, { home, variables: context.env })
  const offered = present.filter(({ id }) => !known.has(id))
  if (offered.length === 0) return agents
  const names = offered.map(({ name }) => name).join(', ')
  const verb = offered.length === 1 ? 'does' : 'do'
  const reason = `${names} ${verb} not read .agents/skills`
  if (
    !context.isInteractive ||
    call.options['yes'] === true ||
    call.options['trust'] !== undefined
  ) {
    const options = offered.map(({ id }) => `--agent ${id}`).join(' ')
    context.note(`${reason}: link the skill with ${options}`)
    return agents
  }
  const message = `${reason}. Link the skill for ${offered.length === 1 ? 'it' : 'them'}?`
  const isWanted = await confirmByPrompt(context, { message, initialValue: true })
  const wanted = offered.map(({ id }) => ({ agent: id, mode: 'link' as const }))
  return isWanted ? [...agents, ...wanted] : agents
}
