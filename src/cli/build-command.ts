import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import type { CommandDefinition, CommandExample, OptionDefinition } from './command.ts'
import { GLOBAL_OPTIONS } from './globals.ts'
import { subcommandError } from './ui/usage-error.ts'

/** What a built command reports to. */
export interface CommandHooks {
  /** A command line was parsed and shall run. */
  onStart(definition: CommandDefinition, command: Command): Promise<void>
  /** Commander is about to throw because of this command; the root has no definition. */
  onFailing(command: Command, definition: CommandDefinition | undefined): void
}

/** Turns a definition and its subcommands into commander's objects, below a parent. */
export function buildCommand(
  parent: Command,
  { name, definition }: { name: string; definition: CommandDefinition },
  hooks: CommandHooks,
): Command {
  const command = new Command(name)
    .copyInheritedSettings(parent)
    .summary(definition.summary)
    .description(definition.details ?? definition.summary)
    .helpCommand(false)
    .helpOption('-h, --help', 'Show this help')
  trackFailures(command, hooks, definition)
  for (const { syntax, description, choices } of definition.arguments ?? []) {
    const argument = new Argument(syntax, description)
    command.addArgument(choices ? argument.choices(choices) : argument)
  }
  for (const option of definition.options ?? []) command.addOption(toCommanderOption(option))
  addGlobalOptions(command)
  for (const [subname, sub] of Object.entries(definition.subcommands ?? {})) {
    command.enablePositionalOptions()
    buildCommand(command, { name: subname, definition: sub }, hooks)
  }
  if (definition.examples?.length) command.addHelpText('after', formatExamples(definition.examples))
  if (definition.run) command.action(() => hooks.onStart(definition, command))
  else {
    command.usage('[options] <command>').allowExcessArguments(true)
    command.action(() => {
      throw subcommandError(command, command.args[0])
    })
  }
  parent.addCommand(command)
  return command
}

/** Adds the options that every command takes, under a heading of their own. */
export function addGlobalOptions(command: Command): void {
  for (const option of GLOBAL_OPTIONS) {
    command.addOption(toCommanderOption(option).helpGroup('Global options:'))
  }
}

/** Remembers which command commander complains about. */
export function trackFailures(
  command: Command,
  hooks: CommandHooks,
  definition?: CommandDefinition,
): void {
  command.exitOverride((error) => {
    hooks.onFailing(command, definition)
    throw error
  })
}

function toCommanderOption(definition: OptionDefinition): Option {
  const option = new Option(definition.flags, definition.description)
  const { choices } = definition
  if (choices) option.choices(choices)
  if (definition.hidden) option.hideHelp()
  if (definition.default !== undefined) option.default(definition.default)
  if (definition.isRepeatable) {
    option.argParser<readonly string[]>((value, before) => {
      if (choices && !choices.includes(value)) {
        throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`)
      }
      return [...(before ?? []), value]
    })
  }
  return option
}

function formatExamples(examples: readonly CommandExample[]): string {
  const lines = examples.map(({ command, explains }) => `  ${command}\n      ${explains}`)
  return `\nExamples:\n${lines.join('\n')}`
}
