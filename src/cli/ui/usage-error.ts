import type { Command, CommanderError } from 'commander'
import { SkillsError } from '../../errors.ts'
import { nearest } from '../../util/nearest.ts'

/** Commander's complaint in our words: what is wrong, and what to type. */
export function toUsageError(error: CommanderError, command: Command | undefined): SkillsError {
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n')
  const sentence = first
    .replace(/'([^']*)'/g, '"$1"')
    .replace(/\.$/, '')
    .replace(/\. (\w)/g, (_, letter: string) => `; ${letter.toLowerCase()}`)
  const message = sentence.charAt(0).toUpperCase() + sentence.slice(1)
  return new SkillsError('usage/invalid', message, {
    hint: suggestion(rest.join(' ')) ?? choiceHint(message) ?? usageHint(error, command),
  })
}

/** The usage line of a command, such as `skills read [options] <name> <path>`. */
function usageLine(command: Command): string {
  const helper = command.createHelp()
  return helper.commandUsage(command)
}

/** What is wrong with the second word of `skills blobs lst`, or with its absence. */
export function subcommandError(command: Command, word: string | undefined): SkillsError {
  const names = command.commands.map((each) => each.name())
  const path = pathOf(command)
  const list = `Expected one of ${names.join(', ')}`
  if (word === undefined) {
    return new SkillsError('usage/invalid', `Missing command after "${path}"`, { hint: list })
  }
  const guess = nearest(word, names)
  return new SkillsError('usage/unknown-command', `Unknown command "${path} ${word}"`, {
    hint: guess ? `Did you mean "${path} ${guess}"?` : list,
  })
}

function suggestion(text: string): string | undefined {
  const meant = /Did you mean (?:one of )?(.+)\?/.exec(text)?.[1]
  return meant === undefined ? undefined : `Did you mean ${quoteEach(meant)}?`
}

function quoteEach(words: string): string {
  return words
    .split(', ')
    .map((word) => `"${word}"`)
    .join(' or ')
}

function choiceHint(message: string): string | undefined {
  const [, given, list] =
    /argument "([^"]*)" is invalid; allowed choices are (.+)$/.exec(message) ?? []
  if (given === undefined || list === undefined) return undefined
  const meant = nearest(given, list.split(', '))
  return meant === undefined ? undefined : `Did you mean "${meant}"?`
}

function usageHint(error: CommanderError, command: Command | undefined): string {
  if (!command) return 'Type "skills --help" to see every command'
  if (error.code === 'commander.unknownOption' || error.code === 'commander.unknownCommand') {
    return `Type "${pathOf(command)} --help" to see what it takes`
  }
  return `Usage: ${usageLine(command)}`
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}
