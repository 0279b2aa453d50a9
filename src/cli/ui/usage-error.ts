import type { Command, CommanderError } from 'commander'
import { SkillsError } from '../../errors.ts'
import { findNearest } from '../../util/find-nearest.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import type { CommandDefinition } from '../command.ts'
import { findSynonym } from '../commands/aliases.ts'

/** The command that failed to parse; the root has no definition. */
export interface FailingCommand {
  command: Command
  definition: CommandDefinition | undefined
}

/** Converts commander's error to a message and a hint. */
export function toUsageError(
  error: CommanderError,
  failing: FailingCommand | undefined,
): SkillsError {
  const { message, hint } = (failing && ADVICE_BY_CODE[error.code]?.(error, failing)) ?? {
    message: formatCommanderMessage(error),
    hint: undefined,
  }
  const path = failing ? formatCommandPath(failing.command) : 'skills'
  return new SkillsError('usage/invalid', message, {
    hint: hint ?? `Type "${path} --help" to see what it takes`,
  })
}

interface UsageAdvice {
  message: string
  hint: string | undefined
}

const ADVICE_BY_CODE: Readonly<
  Record<string, (error: CommanderError, command: FailingCommand) => UsageAdvice>
> = {
  'commander.unknownOption': (error) => ({
    message: formatCommanderMessage(error),
    hint: extractSuggestion(error.message),
  }),
  'commander.missingArgument': (_, command) => adviseOnMissingArgument(command),
  'commander.excessArguments': (_, { command }) => adviseOnExcessArguments(command),
  'commander.invalidArgument': (error, { command }) => adviseOnInvalidValue(error, command),
  'commander.optionMissingArgument': (error, { command }) => adviseOnMissingValue(error, command),
}

function adviseOnMissingArgument({ command, definition }: FailingCommand): UsageAdvice {
  const missing = command.registeredArguments[command.args.length]
  const description = missing?.description ?? ''
  const example = definition?.examples?.[0]?.command
  return {
    message: `Missing <${missing?.name()}>: ${description.charAt(0).toLowerCase()}${description.slice(1)}`,
    hint: example && `Type for example: ${example}`,
  }
}

function adviseOnExcessArguments(command: Command): UsageAdvice {
  const maxArguments = command.registeredArguments.length
  const arity =
    maxArguments === 0
      ? 'no argument'
      : maxArguments === 1
        ? 'one argument'
        : `${maxArguments} arguments`
  const path = formatCommandPath(command)
  const shortened = [path, ...command.args.slice(0, maxArguments).map(quoteShellWord)].join(' ')
  return {
    message: `"${path}" takes ${arity}, got "${command.args[maxArguments]}" as well`,
    hint: `Type "${shortened}", or "${path} --help" to see what it takes`,
  }
}

/** A value that is not one of the choices, or that a parser rejects. */
function adviseOnInvalidValue(error: CommanderError, command: Command): UsageAdvice {
  const invalid = parseWrongValue(error.message)
  if (!invalid) return { message: formatCommanderMessage(error), hint: undefined }
  const { subject, value, reason } = invalid
  const isOption = subject.startsWith('-')
  const message = `${isOption ? subject : `The ${subject}`} is "${value}", expected `
  const list = /choices are (.+)\.$/.exec(reason)?.[1]
  if (list === undefined) return { message: message + reason.trim(), hint: undefined }
  const choices = list.split(', ')
  const suggestion = findNearest(value, choices)
  const commandPath = [formatCommandPath(command), ...(isOption ? [subject] : [])].join(' ')
  return {
    message: `${message}one of ${list}`,
    hint: suggestion
      ? `Did you mean "${commandPath} ${suggestion}"?`
      : `Type for example: ${commandPath} ${choices[0]}`,
  }
}

function parseWrongValue(
  text: string,
): { subject: string; value: string; reason: string } | undefined {
  const optionMatch = /option '([^']*)' argument '(.*)' is invalid\.(.*)$/s.exec(text)
  if (optionMatch) {
    const [, flags = '', value = '', reason = ''] = optionMatch
    return { subject: extractLongFlag(flags), value, reason }
  }
  const argumentMatch = /value '(.*)' is invalid for argument '([^']*)'\.(.*)$/s.exec(text)
  if (!argumentMatch) return undefined
  const [, value = '', subject = '', reason = ''] = argumentMatch
  return { subject, value, reason }
}

function adviseOnMissingValue(error: CommanderError, command: Command): UsageAdvice {
  const flags = /option '([^']*)'/.exec(error.message)?.[1] ?? ''
  const option = command.options.find((each) => each.flags === flags)
  const flag = extractLongFlag(flags)
  const value = option?.argChoices?.[0] ?? /<[^>]*>/.exec(flags)?.[0] ?? '<value>'
  const expected = option?.argChoices ? `one of ${option.argChoices.join(', ')}` : value
  return {
    message: `${flag} needs a value, expected ${expected}`,
    hint: `Write it as: ${formatCommandPath(command)} ${flag} ${value}`,
  }
}

/** The long name in `-o, --output <file>`. */
function extractLongFlag(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags
}

/** Commander's message in the style of this CLI. */
function formatCommanderMessage({ message }: CommanderError): string {
  const [first = ''] = message.replace(/^error: /, '').split('\n')
  const sentence = first.replace(/'([^']*)'/g, '"$1"').replace(/\.$/, '')
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}

/** Error for an unknown or missing subcommand. */
export function subcommandError(command: Command, word: string | undefined): SkillsError {
  const names = command.commands.map((each) => each.name())
  const path = formatCommandPath(command)
  const list = names.join(', ')
  const help = `Type "${path} --help" to see what each of them does`
  if (word === undefined) {
    return new SkillsError(
      'usage/invalid',
      `Missing command after "${path}", expected one of ${list}`,
      { hint: help },
    )
  }
  const elsewhere = findSynonym(`${path} ${word}`.replace(/^skills /, ''))
  const below = findSynonym(word, names) ?? findNearest(word, names)
  const guess = elsewhere ?? (below && `${path} ${below}`.replace(/^skills /, ''))
  const message = `Unknown command "${path} ${word}", expected one of ${list}`
  return new SkillsError('usage/unknown-command', message, {
    hint: guess ? `Did you mean "skills ${guess}"?` : help,
  })
}

function extractSuggestion(text: string): string | undefined {
  const suggestion = /Did you mean (?:one of )?(.+)\?/.exec(text)?.[1]
  return suggestion === undefined ? undefined : `Did you mean ${quoteWords(suggestion)}?`
}

function quoteWords(texts: string): string {
  return texts
    .split(', ')
    .map((word) => `"${word}"`)
    .join(' or ')
}

function formatCommandPath(command: Command): string {
  return command.parent ? `${formatCommandPath(command.parent)} ${command.name()}` : command.name()
}
