import type {
  ArgumentDefinition,
  CommandDefinition,
  OptionDefinition,
  ValueSource,
} from '../command.ts'
import { GLOBAL_OPTIONS } from '../globals.ts'

/** Candidates for a value: fixed words, values of the skill or setting, items, files, anything. */
export type CompletionValues =
  | { kind: 'words'; words: readonly string[]; descriptions?: readonly string[] }
  | { kind: 'values'; source: ValueSource }
  | { kind: 'skills' | 'blobs' | 'runs' | 'files' | 'folders' | 'anything' }

export interface CompletedOption {
  /** `--kind`, `-y`. */
  names: readonly string[]
  description: string
  /** Undefined for a switch. */
  value: CompletionValues | undefined
}

/** A command as completion sees it. */
export interface CompletedCommand {
  /** Words after `skills`; empty for the program itself. */
  path: string
  subcommands: readonly { name: string; summary: string }[]
  options: readonly CompletedOption[]
  arguments: readonly CompletionValues[]
  /** True if the last argument is repeatable. */
  repeats: boolean
}

/** Flattens definitions into one entry per command, starting with the program. */
export function describeCommands(
  commands: Readonly<Record<string, CommandDefinition>>,
): readonly CompletedCommand[] {
  const help = { summary: 'Show help for a command' }
  const root: CommandDefinition = {
    summary: '',
    options: [{ flags: '-V, --version', description: 'Show the version' }],
    subcommands: { ...commands, help },
  }
  const names = Object.keys(commands)
  return flattenCommand('', root).map((each) =>
    each.path === 'help' ? { ...each, arguments: [{ kind: 'words', words: names }] } : each,
  )
}

function flattenCommand(path: string, definition: CommandDefinition): CompletedCommand[] {
  const subcommands = Object.entries(definition.subcommands ?? {})
  const options = [
    ...(definition.options ?? []),
    ...GLOBAL_OPTIONS,
    { flags: '-h, --help', description: 'Show help' },
  ]
  const own: CompletedCommand = {
    path,
    subcommands: subcommands.map(([name, { summary }]) => ({ name, summary })),
    options: options.map(toCompletedOption),
    arguments: (definition.arguments ?? []).map(toArgumentValues),
    repeats: definition.arguments?.at(-1)?.syntax.includes('...') ?? false,
  }
  const below = subcommands.flatMap(([name, sub]) =>
    flattenCommand(path ? `${path} ${name}` : name, sub),
  )
  return [own, ...below]
}

function toCompletedOption({
  flags,
  description,
  choices,
  completes,
}: OptionDefinition): CompletedOption {
  const names = flags.match(/(?<![\w<[])--?[a-z][\w-]*/gi) ?? []
  const placeholder = /[<[]([^>\]]+)[>\]]/.exec(flags)?.[1]
  if (placeholder === undefined) return { names, description, value: undefined }
  return { names, description, value: resolveValues(placeholder, { choices, completes }) }
}

function toArgumentValues({ syntax, ...given }: ArgumentDefinition): CompletionValues {
  return resolveValues(syntax.replace(/[<>[\].]/g, ''), given)
}

function resolveValues(
  placeholder: string,
  {
    choices,
    completes,
  }: { choices?: readonly string[] | undefined; completes?: ValueSource | undefined },
): CompletionValues {
  if (completes) return { kind: 'values', source: completes }
  if (choices) return { kind: 'words', words: choices }
  const word = placeholder.replace(/\.+$/, '')
  if (/^skills?$/.test(word)) return { kind: 'skills' }
  if (word === 'blob') return { kind: 'blobs' }
  if (word === 'run') return { kind: 'runs' }
  if (/^(dir|folder)s?$/.test(word)) return { kind: 'folders' }
  return /(file|path)s?$/.test(word) ? { kind: 'files' } : { kind: 'anything' }
}
