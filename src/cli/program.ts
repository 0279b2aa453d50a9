import { Command, CommanderError, Option } from 'commander'
import { SkillsError } from '../errors.ts'
import { nearest } from '../util/nearest.ts'
import type { Call, CommandDefinition } from './command.ts'
import { COMMANDS, type CommandEntry } from './commands/index.ts'
import { createContext, type GlobalOptions, type Surroundings } from './context.ts'
import { reportError } from './ui/report-error.ts'
import { VERSION } from './version.ts'

/** Runs one command line and answers with the exit code; the process's own edges are in main.ts. */
export async function run(argv: readonly string[], at: Surroundings): Promise<number> {
  const seen: { global: GlobalOptions } = { global: guessGlobals(argv) }
  try {
    return await dispatch(argv, at, seen)
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      if (thrown.exitCode === 0) return 0
      const { message, hint } = readableUsage(thrown)
      return reportError(new SkillsError('usage/invalid', message, { hint }), at, seen.global)
    }
    return reportError(thrown, at, seen.global)
  }
}

async function dispatch(
  argv: readonly string[],
  at: Surroundings,
  seen: { global: GlobalOptions },
): Promise<number> {
  const name = commandName(argv)
  const entry = COMMANDS.find((each) => each.name === name)
  if (name !== undefined && name !== 'help' && entry === undefined) throw unknownCommand(name)

  const outcome = { code: 0 }
  const program = rootCommand(at)
  for (const each of COMMANDS) {
    if (each === entry) {
      program.addCommand(build(each.name, (await each.load()).command, start))
    } else {
      program.command(each.name, { hidden: false }).description(each.summary).allowUnknownOption()
    }
  }
  if (name === 'help') return helpOn(program, argv)
  if (name === undefined && !argv.some((word) => word === '--help' || word === '-h')) {
    program.outputHelp({ error: argv.length > 0 })
    return argv.length > 0 ? 2 : 0
  }
  await program.parseAsync(argv as string[], { from: 'user' })
  return outcome.code

  async function start(definition: CommandDefinition, command: Command): Promise<void> {
    const options = command.optsWithGlobals()
    seen.global = globalsFrom(options)
    const call: Call = { args: command.args, options }
    if (definition.run) outcome.code = await definition.run(createContext(at, seen.global), call)
  }
}

function rootCommand(at: Surroundings): Command {
  const program = new Command('skills')
    .description('Write, check, run and serve skills for LLM agents')
    .version(VERSION, '-V, --version')
    .helpCommand('help [command]', 'Show help for a command')
  return prepare(program, at)
}

function prepare(command: Command, at?: Surroundings): Command {
  command
    .exitOverride()
    .showHelpAfterError(false)
    .showSuggestionAfterError(true)
    .configureHelp({ helpWidth: Math.max(40, at?.stdout.columns ?? 80) })
  if (at) {
    command.configureOutput({
      writeOut: (text) => void at.stdout.write(text),
      writeErr: (text) => void at.stderr.write(text),
      outputError: () => {},
    })
  }
  return command
}

function build(
  name: string,
  definition: CommandDefinition,
  start: (definition: CommandDefinition, command: Command) => Promise<void>,
): Command {
  const command = new Command(name).description(definition.details ?? definition.summary)
  command.summary(definition.summary)
  for (const { syntax, description } of definition.arguments ?? []) {
    command.argument(syntax, description)
  }
  for (const option of definition.options ?? []) command.addOption(toOption(option))
  addGlobals(command)
  if (definition.examples?.length) command.addHelpText('after', exampleText(definition.examples))
  for (const [subname, sub] of Object.entries(definition.subcommands ?? {})) {
    command.addCommand(build(subname, sub, start))
  }
  if (definition.run) {
    command.action(() => start(definition, command))
  }
  return command
}

function toOption(definition: NonNullable<CommandDefinition['options']>[number]): Option {
  const option = new Option(definition.flags, definition.description)
  if (definition.choices) option.choices(definition.choices)
  if (definition.default !== undefined) option.default(definition.default)
  if (definition.many) {
    option.argParser<readonly string[]>((value, before) => [...(before ?? []), value])
  }
  return option
}

function addGlobals(command: Command): void {
  command
    .optionsGroup('Global options:')
    .addOption(
      toOption({
        flags: '--root <dir>',
        description: 'Also look for skills here (repeatable)',
        many: true,
      }),
    )
    .option('--config <file>', 'Read this configuration file')
    .option('--no-config', 'Read no configuration file')
    .option('--json', 'Print one JSON document')
    .option('--color', 'Use colours, whatever the output is')
    .option('--no-color', 'Use no colours')
    .option('-q, --quiet', 'Print results only')
    .option('--debug', 'Show details of unexpected errors')
}

function exampleText(examples: NonNullable<CommandDefinition['examples']>): string {
  const lines = examples.map(({ command, explains }) => `  ${command}\n      ${explains}`)
  return `\nExamples:\n${lines.join('\n')}`
}

/** The first word that is neither an option nor the value of one. */
function commandName(argv: readonly string[]): string | undefined {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] as string
    if (word === '--root' || word === '--config') at++
    else if (!word.startsWith('-')) return word
  }
  return undefined
}

async function helpOn(program: Command, argv: readonly string[]): Promise<number> {
  const asked = argv.filter((word) => !word.startsWith('-'))[1]
  if (asked === undefined) {
    program.outputHelp()
    return 0
  }
  const entry = COMMANDS.find((each) => each.name === asked)
  if (!entry) throw unknownCommand(asked)
  const command = build(entry.name, (await entry.load()).command, async () => {})
  command.copyInheritedSettings(program)
  program.addCommand(command.name(`${asked} `))
  command.name(asked).outputHelp()
  return 0
}

function unknownCommand(name: string): SkillsError {
  const guess = nearest(
    name,
    COMMANDS.map((each: CommandEntry) => each.name),
  )
  return new SkillsError('usage/unknown-command', `Unknown command "${name}"`, {
    hint: guess ? `Did you mean "skills ${guess}"?` : 'Type "skills --help" to see every command',
  })
}

/** Commander's sentences, split into what went wrong and what to do. */
function readableUsage(error: CommanderError): { message: string; hint: string } {
  const [first = '', second] = error.message.replace(/^error: /, '').split('\n')
  const message = first.charAt(0).toUpperCase() + first.slice(1)
  return {
    message,
    hint: second?.replace(/[()]/g, '') ?? 'Add --help to see how the command is used',
  }
}

function globalsFrom(options: Record<string, unknown>): GlobalOptions {
  const { config, color } = options
  return {
    json: options['json'] === true,
    root: Array.isArray(options['root']) ? (options['root'] as string[]) : [],
    config: typeof config === 'string' ? config : undefined,
    noConfig: config === false,
    color: typeof color === 'boolean' ? color : undefined,
    quiet: options['quiet'] === true,
    debug: options['debug'] === true,
  }
}

/** Enough of the globals to report an error that comes before the options are parsed. */
function guessGlobals(argv: readonly string[]): GlobalOptions {
  const has = (flag: string) => argv.includes(flag)
  return globalsFrom({
    json: has('--json'),
    quiet: has('--quiet') || has('-q'),
    debug: has('--debug'),
    color: has('--no-color') ? false : has('--color') ? true : undefined,
  })
}
