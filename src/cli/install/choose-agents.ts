import { homedir } from 'node:os'
import type { InstallPlaces } from '../../core/installing/install-places.ts'
import type { LockedAgent } from '../../core/installing/agents/locked-agent.ts'
import { selectAgents } from '../../core/installing/agents/select-agents.ts'
import { SkillsError } from '../../errors.ts'
import { getListOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'

/** Agents of `--agent` that need a link or a copy. */
export function chooseAgents(
  context: Context,
  call: CommandLine,
  places: InstallPlaces,
): readonly LockedAgent[] {
  const names = getListOption(call, 'agent')
  const isCopy = call.options['copy'] === true
  if (isCopy && names.length === 0) {
    throw new SkillsError('usage/invalid', '--copy needs --agent', {
      hint: 'Type --agent claude-code --copy, or omit --copy',
    })
  }
  const { agents, shared } = selectAgents(places, {
    names,
    mode: isCopy ? 'copy' : 'link',
    home: context.env['HOME'] || homedir(),
    variables: context.env,
  })
  if (shared.length > 0) {
    const verb = shared.length === 1 ? 'reads' : 'read'
    context.note(`${shared.join(', ')} ${verb} .agents/skills without a link`)
  }
  return agents
}
