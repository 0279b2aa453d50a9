import type { Context } from './context.ts'

/** Values that the shell completes by asking for them. */
export type ValueSource =
  | 'inputs'
  | 'skill-files'
  | 'secrets'
  | 'rules'
  | 'rule-levels'
  | 'settings'
  | 'setting-values'

/** An option, in commander's notation: `--arg <key=value...>`. */
export interface OptionDefinition {
  flags: string
  description: string
  choices?: readonly string[]
  /** Former values that are still accepted, with their present names. */
  renamed?: Readonly<Record<string, string>>
  /** Completion of the value, if its placeholder does not determine it. */
  completes?: ValueSource
  default?: string | boolean
  /** True if repeatable: each use appends to a list. */
  isRepeatable?: boolean
}

/** An example in a command's help, which a test also runs. */
export interface CommandExample {
  command: string
  explains: string
  /** Reason why the help test does not run the line. */
  notRun?: string
}

/** A positional argument, in commander's notation. */
export interface ArgumentDefinition {
  syntax: string
  description: string
  choices?: readonly string[]
  /** Completion of the value, if its placeholder does not determine it. */
  completes?: ValueSource
}

/**
 * Definition that a command's module exports; commander objects are built only for the command that
 * runs.
 */
export interface CommandDefinition {
  summary: string
  /** Description in the command's own help. */
  details?: string
  /** In commander's notation: `<name>`, `[path...]`. */
  arguments?: readonly ArgumentDefinition[]
  options?: readonly OptionDefinition[]
  examples?: readonly CommandExample[]
  subcommands?: Readonly<Record<string, CommandDefinition>>
  /** True if options that it does not declare are arguments, which it reads itself. */
  takesUnknownOptions?: true
  /** True if a signal is the normal end, not an interruption. */
  untilStopped?: true
  /** True if it runs skills on this machine, whose limits need control groups. */
  startsRuns?: true
  /** True if it needs a consent: without one, its exit status is 4. */
  asksConsent?: true
  /** Runs the command and returns its exit code. */
  run?(context: Context, call: CommandLine): Promise<number>
}

/** One parsed command line. */
export interface CommandLine {
  args: readonly string[]
  options: Readonly<Record<string, OptionValue>>
  /** Number of trailing `args` after `--`; undefined without `--`. */
  dashed?: number | undefined
}

export type OptionValue = string | boolean | readonly string[] | undefined

export function getTextOption(call: CommandLine, name: string): string | undefined {
  const value = call.options[name]
  return typeof value === 'string' ? value : undefined
}

export function getListOption(call: CommandLine, name: string): readonly string[] {
  const value = call.options[name]
  if (Array.isArray(value)) return value as readonly string[]
  return typeof value === 'string' ? [value] : []
}

export function getFlagOption(call: CommandLine, name: string): boolean {
  return call.options[name] === true
}

/** `dryRun` as it is typed: `--dry-run`. */
export function toFlag(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
