import { homedir } from 'node:os'
import { SkillsError } from '../../../errors.ts'
import type { LockedAgent } from '../agents/locked-agent.ts'
import { selectAgents } from '../agents/select-agents.ts'
import type { Installer } from './installer.ts'

/** Agents of the caller, or else of the configuration, that need a link or a copy. */
export function chooseAgents(
  { places, env, options, caller }: Installer,
  configured: readonly string[] = [],
): readonly LockedAgent[] {
  const names = options.agents.length > 0 ? options.agents : configured
  if (options.copy && names.length === 0) {
    throw new SkillsError('usage/invalid', '--copy needs --agent', {
      hint: 'Type --agent claude-code --copy, or omit --copy',
    })
  }
  const { agents, shared } = selectAgents(places, {
    names,
    mode: options.copy ? 'copy' : 'link',
    mayBeNone: options.agents.length === 0,
    home: env['HOME'] || homedir(),
    variables: env,
  })
  if (shared.length > 0) {
    const verb = shared.length === 1 ? 'reads' : 'read'
    caller.note(`${shared.join(', ')} ${verb} .agents/skills without a link`)
  }
  return agents
}
