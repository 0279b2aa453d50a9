import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import type { CommandDefinition, Example, OptionDefinition } from './command.ts'
import { GLOBAL_OPTIONS } from './globals.ts'
import { subcommandError } from './ui/usage-error.ts'

/** What a built command reports to. */
export interface Hooks {
  /** A command line was parsed and shall run. */
  start(definition: CommandDefinition, command: Command): Promise<void>
  /** Commander is about to throw because of this command; the root has no definition. */
  failing(command: Command, definition: CommandDefinition | undefined): void
}

/** Turns a definition and its subcommands into commander's objects, below a parent. */
export function buildCommand(
  parent: Command,
  { name, definition }: { name: string; definition: CommandDefinition },
  hooks: Hooks,
): Command {
  const command = new Command(name)
    .copyInheritedSettings(parent)
    .summary(definition.summary)
    .description(definition.details ?? definition.summary)
    .helpCommand(false)
    .helpOption('-h, --help', 'Show this help')
  noteFailures(command, hooks, definition)
  for (const { syntax, description, choices } of definition.arguments ?? []) {
    const argument = new Argument(syntax, description)
    command.addArgument(choices ? argument.choices(choices) : argument)
  }
  for (const option of definition.options ?? []) command.addOption(toOption(option))
  addGlobals(command)
  for (const [subname, sub] of Object.entries(definition.subcommands ?? {})) {
    command.enablePositionalOptions()
    buildCommand(command, { name: subname, definition: sub }, hooks)
  }
  if (definition.examples?.length) command.addHelpText('after', exampleText(definition.examples))
  if (definition.run) command.action(() => hooks.start(definition, command))
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
export function addGlobals(command: Command): void {
  for (const option of GLOBAL_OPTIONS) {
    command.addOption(toOption(option).helpGroup('Global options:'))
  }
}

/** Remembers which command commander complains about. */
export function noteFailures(command: Command, hooks: Hooks, definition?: CommandDefinition): void {
  command.exitOverride((error) => {
    hooks.failing(command, definition)
    throw error
  })
}

function toOption(definition: OptionDefinition): Option {
  const option = new Option(definition.flags, definition.description)
  const { choices } = definition
  if (choices) option.choices(choices)
  if (definition.hidden) option.hideHelp()
  if (definition.default !== undefined) option.default(definition.default)
  if (definition.many) {
    option.argParser<readonly string[]>((value, before) => {
      if (choices && !choices.includes(value)) {
        throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`)
      }
      return [...(before ?? []), value]
    })
  }
  return option
}

function exampleText(examples: readonly Example[]): string {
  const lines = examples.map(({ command, explains }) => `  ${command}\n      ${explains}`)
  return `\nExamples:\n${lines.join('\n')}`
}
