import { spellDuration } from '../../../util/quantity.ts'

/** Tools that run commands in the workspace of a session. */
export const COMMAND_TOOLS: ReadonlySet<string> = new Set([
  'skill_run',
  'skill_exec',
  'workspace_exec',
])

/** Time without a command after which the sandbox of a session ends. Models are informed about it. */
export const SHARED_SANDBOX_IDLE_MS: number = 900_000

/** Entries of a list that a description names. */
const MAX_NAMED = 40

/** Settings that a model must know to run commands. */
export interface CommandRules {
  /** `session`: the commands of a session share a living sandbox. */
  sandbox: 'session' | 'command'
  allowedCommands: readonly string[]
  deniedCommands: readonly string[]
}

/** Sentences about the sandbox of commands, and about the operator's lists. */
export function describeCommandRules(rules: CommandRules): string[] {
  const { allowedCommands: allowed, deniedCommands: denied } = rules
  return [
    describeLifetime(rules),
    ...(allowed.length > 0 ? [`Only these commands are allowed: ${nameCommands(allowed)}.`] : []),
    ...(denied.length > 0 ? [`These commands are denied: ${nameCommands(denied)}.`] : []),
    ...(allowed.length + denied.length > 0
      ? ['Write plain command lines: $(…), redirections and programs that run others are refused.']
      : []),
  ]
}

/** Adds these sentences to the description of a tool that runs commands. */
export function describeTool(
  { name, description }: { name: string; description: string },
  rules: CommandRules | undefined,
): string {
  if (!rules || !COMMAND_TOOLS.has(name)) return description
  return [description, ...describeCommandRules(rules)].join(' ')
}

/** Lists commands in the words of the operator's list. */
export function nameCommands(commands: readonly string[]): string {
  const named = commands.slice(0, MAX_NAMED).join(', ')
  const more = commands.length - MAX_NAMED
  return more > 0 ? `${named} and ${more} more` : named
}

function describeLifetime(rules: CommandRules): string {
  const { sandbox, allowedCommands, deniedCommands } = rules
  if (sandbox === 'command') {
    return 'Each command has a sandbox of its own: all of its processes end with it, and localhost and /tmp are not shared; only the files of the workspace remain.'
  }
  const shared = `All commands share one sandbox: background processes, localhost and /tmp remain until no command has run for ${spellDuration(SHARED_SANDBOX_IDLE_MS)}.`
  // Lists refuse redirections.
  if (allowedCommands.length + deniedCommands.length > 0) return shared
  return `${shared} Redirect the output of background processes to a file.`
}
