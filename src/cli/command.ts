import type { Context } from './context.ts'

/** A flag, in commander's notation: `--arg <key=value...>`. */
export interface OptionDefinition {
  flags: string
  description: string
  choices?: readonly string[]
  default?: string | boolean
  /** Repeatable: each use adds to a list. */
  isRepeatable?: boolean
  /** Understood, but not offered: the command says why it does not do that. */
  hidden?: true
}

/** A line of a command's help that a test also runs. */
export interface CommandExample {
  command: string
  explains: string
  /** Why the help test only parses the line, where it cannot run it. */
  notRun?: string
}

/** A positional argument, in commander's notation. */
export interface ArgumentDefinition {
  syntax: string
  description: string
  choices?: readonly string[]
}

/** What a command's file exports; commander is built from it only for the command that runs. */
export interface CommandDefinition {
  summary: string
  /** Longer text for the command's own help. */
  details?: string
  /** In commander's notation: `<name>`, `[path...]`. */
  arguments?: readonly ArgumentDefinition[]
  options?: readonly OptionDefinition[]
  examples?: readonly CommandExample[]
  subcommands?: Readonly<Record<string, CommandDefinition>>
  /** Goes on until a signal ends it, which is then no interruption. */
  untilStopped?: true
  /** Does the work; the number is the process's exit code. */
  run?(context: Context, call: CommandLine): Promise<number>
}

/** One parsed command line. */
export interface CommandLine {
  args: readonly string[]
  options: Readonly<Record<string, OptionValue>>
  /** The last of `args` stand behind `--`: so many; undefined where there is none. */
  dashed?: number | undefined
}

export type OptionValue = string | boolean | readonly string[] | undefined

/** Reads a text option. */
export function getTextOption(call: CommandLine, name: string): string | undefined {
  const value = call.options[name]
  return typeof value === 'string' ? value : undefined
}

/** Reads a repeatable option. */
export function getListOption(call: CommandLine, name: string): readonly string[] {
  const value = call.options[name]
  if (Array.isArray(value)) return value as readonly string[]
  return typeof value === 'string' ? [value] : []
}

/** Reads a switch. */
export function getFlagOption(call: CommandLine, name: string): boolean {
  return call.options[name] === true
}
