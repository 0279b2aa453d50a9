import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import type { CommandDefinition, CommandExample, OptionDefinition } from './command.ts'
import { formatExitStatuses } from './exit-statuses.ts'
import { GLOBAL_OPTIONS } from './globals.ts'
import { subcommandError } from './ui/usage-error.ts'

/** Callbacks of a built command. */
export interface CommandHooks {
  /** Called with a parsed command line, to run it. */
  onStart(definition: CommandDefinition, command: Command): Promise<void>
  /** Called before commander throws because of this command; the root has no definition. */
  onFailing(command: Command, definition: CommandDefinition | undefined): void
}

/** Builds commander's objects from a definition and its subcommands, below a parent. */
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
  command.allowUnknownOption(definition.takesUnknownOptions === true)
  addGlobalOptions(command)
  for (const [subname, sub] of Object.entries(definition.subcommands ?? {})) {
    command.enablePositionalOptions()
    buildCommand(command, { name: subname, definition: sub }, hooks)
  }
  if (definition.examples?.length) command.addHelpText('after', formatExamples(definition.examples))
  command.addHelpText('after', formatExitStatuses(definition))
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

/** Adds the global options under their own heading. */
export function addGlobalOptions(command: Command): void {
  for (const option of GLOBAL_OPTIONS) {
    command.addOption(toCommanderOption(option).helpGroup('Global options:'))
  }
}

/** Records the command whose parsing failed. */
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
  const { choices, renamed } = definition
  if (choices) option.choices(choices)
  if (choices && renamed) {
    const { parseArg } = option
    // Former values are accepted, and not listed.
    option.argParser((value, before) =>
      Object.hasOwn(renamed, value) ? value : parseArg?.(value, before),
    )
  }
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
