import { DEFAULT_AGENT } from '../../core/loads/session-state.ts'
import { textOption, type Call, type OptionDefinition } from '../command.ts'

export const DEFAULT_SESSION = 'default'

/** Whose session a command of `skills agent` is about. */
export const SESSION_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--session <name>',
    description: `The conversation ("${DEFAULT_SESSION}" unless given)`,
  },
  { flags: '--agent <name>', description: `The agent in it ("${DEFAULT_AGENT}" unless given)` },
]

/** What these options amount to. */
export function sessionOf(call: Call): { session: string; agent: string } {
  return {
    session: textOption(call, 'session') ?? DEFAULT_SESSION,
    agent: textOption(call, 'agent') ?? DEFAULT_AGENT,
  }
}
