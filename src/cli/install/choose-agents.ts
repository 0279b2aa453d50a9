import { homedir } from 'node:os'
import type { InstallPlaces } from '../../core/installing/install-places.ts'
import type { LockedAgent } from '../../core/installing/agents/locked-agent.ts'
import { listPresentAgents, selectAgents } from '../../core/installing/agents/select-agents.ts'
import { SkillsError } from '../../errors.ts'
import { getListOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { confirmByPrompt } from '../ui/prompts.ts'
import type { InstallCandidate } from './install-candidate.ts'

interface AgentChoice {
  places: InstallPlaces
  /** Agents of the setting `install.agents`, which `--agent` replaces. */
  configured?: readonly string[]
}

/** Agents of `--agent`, or else of the setting, that need a link or a copy. */
export function chooseAgents(
  context: Context,
  call: CommandLine,
  { places, configured = [] }: AgentChoice,
): readonly LockedAgent[] {
  const requested = getListOption(call, 'agent')
  const names = requested.length > 0 ? requested : configured
  const isCopy = call.options['copy'] === true
  if (isCopy && names.length === 0) {
    throw new SkillsError('usage/invalid', '--copy needs --agent', {
      hint: 'Type --agent claude-code --copy, or omit --copy',
    })
  }
  const { agents, shared } = selectAgents(places, {
    names,
    mode: isCopy ? 'copy' : 'link',
    mayBeNone: requested.length === 0,
    home: context.env['HOME'] || homedir(),
    variables: context.env,
  })
  if (shared.length > 0) {
    const verb = shared.length === 1 ? 'reads' : 'read'
    context.noteOnce(`${shared.join(', ')} ${verb} .agents/skills without a link`)
  }
  return agents
}

/**
 * Agents of a candidate, with those that are used here and would not find it otherwise: a terminal is asked, and else the
 * option is named.
 */
export async function offerAgents(
  context: Context,
  call: CommandLine,
  { places, agents, before }: Pick<InstallCandidate, 'places' | 'agents' | 'before'>,
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
