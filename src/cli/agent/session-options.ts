import { DEFAULT_AGENT, LOAD_MODES, type LoadMode } from '../../core/skill-context/session-state.ts'
import { MAX_SESSION_NAME } from '../../core/skill-context/session-key.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import {
  getFlagOption,
  getTextOption,
  type CommandLine,
  type OptionDefinition,
} from '../command.ts'

export const DEFAULT_SESSION = 'default'

/** Options that select the session of `skills agent` commands. */
export const SESSION_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--session <name>',
    description: `Use this session (default: "${DEFAULT_SESSION}")`,
  },
  {
    flags: '--agent <name>',
    description: `Use this agent of the session (default: "${DEFAULT_AGENT}")`,
  },
]

/** Limit of an agent's name. */
const MAX_AGENT_CHARACTERS = 256

/** Reads these options. */
export function readSession(call: CommandLine): { session: string; agent: string } {
  const agent = getTextOption(call, 'agent') ?? DEFAULT_AGENT
  if (agent.trim() === '' || agent.length > MAX_AGENT_CHARACTERS) {
    throw sessionUsageError(
      `Expected 1 to ${MAX_AGENT_CHARACTERS} characters for --agent, got ${agent.length}`,
      'Write it as --agent planner, or remove it',
    )
  }
  return { session: readSessionName(call) ?? DEFAULT_SESSION, agent }
}

/** Reads --session; undefined without it. */
export function readSessionName(call: CommandLine): string | undefined {
  const name = getTextOption(call, 'session')
  if (name === undefined || (name.trim() !== '' && name.length <= MAX_SESSION_NAME)) return name
  throw sessionUsageError(
    `Expected 1 to ${MAX_SESSION_NAME} characters for --session, got ${name.length}`,
    'Write it as --session work, or remove it',
  )
}

/** Appends the session options to a suggested command line. */
export function addSessionOptions(line: string, call: CommandLine): string {
  const sessionFlags = ['session', 'agent', 'url', 'tokenFile'].flatMap((name) => {
    const value = getTextOption(call, name)
    const flag = name === 'tokenFile' ? 'token-file' : name
    return value === undefined ? [] : [`--${flag} ${quoteShellWord(value)}`]
  })
  if (getFlagOption(call, 'allowPlainHttp')) sessionFlags.push('--allow-plain-http')
  return toPrintable([line, ...sessionFlags].join(' '))
}

/** Options for the lifetime of loads, for every command that reads or changes loads. */
export const TURN_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--load-mode <mode>',
    description: 'Set the lifetime of loads: the turn, one request, or the session',
    choices: LOAD_MODES,
  },
  {
    flags: '--turn <name>',
    description:
      'Continue this turn; a new name starts a turn and ends the loads of the previous one',
  },
  {
    flags: '--max-loaded <count>',
    description: 'Keep at most this many skills loaded (0: unlimited)',
  },
]

/** Reads these options as parameters of the protocol. */
export function readTurn(call: CommandLine): {
  load_mode?: LoadMode
  turn?: string
  max_loaded?: number
} {
  const mode = getTextOption(call, 'loadMode')
  const turn = getTextOption(call, 'turn')
  const maxLoaded = getTextOption(call, 'maxLoaded')
  return {
    ...(mode !== undefined && { load_mode: mode as LoadMode }),
    ...(turn !== undefined && { turn }),
    ...(maxLoaded !== undefined && { max_loaded: parseCount(maxLoaded) }),
  }
}

function parseCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw sessionUsageError(
    `Expected a whole number for --max-loaded, got "${text}"`,
    'Write it as --max-loaded 3, or 0 for unlimited',
  )
}

function sessionUsageError(message: string, hint: string): SkillsError {
  return new SkillsError('usage/invalid', message, { hint })
}
