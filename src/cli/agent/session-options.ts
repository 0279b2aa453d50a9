import { DEFAULT_AGENT, LOAD_MODES, type LoadMode } from '../../core/skill-context/session-state.ts'
import { SkillsError } from '../../errors.ts'
import { printable } from '../../util/printable.ts'
import { shellWord } from '../../util/shell-word.ts'
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

/** Characters of an agent's name. */
const MAX_AGENT = 256

/** What these options amount to. */
export function sessionOf(call: Call): { session: string; agent: string } {
  const agent = textOption(call, 'agent') ?? DEFAULT_AGENT
  if (agent.trim() === '' || agent.length > MAX_AGENT) {
    throw usage(
      `Expected 1 to ${MAX_AGENT} characters for --agent, got ${agent.length}`,
      'Write it as --agent planner, or leave it out',
    )
  }
  return { session: textOption(call, 'session') ?? DEFAULT_SESSION, agent }
}

/** A command line about the same session, to be typed next. */
export function inSameSession(line: string, call: Call): string {
  const given = ['session', 'agent', 'url', 'tokenFile'].flatMap((name) => {
    const value = textOption(call, name)
    const flag = name === 'tokenFile' ? 'token-file' : name
    return value === undefined ? [] : [`--${flag} ${shellWord(value)}`]
  })
  return printable([line, ...given].join(' '))
}

/** How long loads stay; whatever looks at loads or changes them takes these. */
export const TURN_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--load-mode <mode>',
    description: 'How long loads stay from now on: for the turn, for one request, or the session',
    choices: LOAD_MODES,
  },
  {
    flags: '--turn <name>',
    description: 'The turn that goes on; a new name begins one, which ends the loads of a turn',
  },
  {
    flags: '--max-loaded <count>',
    description: 'At most so many skills stay loaded from now on (0: any number)',
  },
]

/** What these amount to, by the names of the wire. */
export function turnOf(call: Call): { load_mode?: LoadMode; turn?: string; max_loaded?: number } {
  const mode = textOption(call, 'loadMode')
  const turn = textOption(call, 'turn')
  const most = textOption(call, 'maxLoaded')
  return {
    ...(mode !== undefined && { load_mode: mode as LoadMode }),
    ...(turn !== undefined && { turn }),
    ...(most !== undefined && { max_loaded: countOf(most) }),
  }
}

function countOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw usage(
    `Expected a whole number for --max-loaded, got "${text}"`,
    'Write it as --max-loaded 3, or 0 for any number',
  )
}

function usage(message: string, hint: string): SkillsError {
  return new SkillsError('usage/invalid', message, { hint })
}
