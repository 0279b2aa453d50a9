import { Command, CommanderError } from 'commander'
import { SkillsError } from '../errors.ts'
import { findNearest } from '../util/find-nearest.ts'
import { limitToAscii } from './ascii-output.ts'
import {
  addGlobalOptions,
  buildCommand,
  trackFailures,
  type CommandHooks,
} from './build-command.ts'
import { formatExitStatuses } from './exit-statuses.ts'
import type { CommandLine, CommandDefinition } from './command.ts'
import { ALIASES, findAliases, findAliasLine, findSynonym } from './commands/aliases.ts'
import { COMMANDS, type CommandEntry } from './commands/index.ts'
import { createContext, type Context, type GlobalOptions, type IoContext } from './context.ts'
import { findOperands, guessGlobals, listOperands, mergeOptions, readGlobals } from './globals.ts'
import { subcommandError, toUsageError } from './ui/usage-error.ts'
import { VERSION } from './version.ts'

/** State of the command line that is running. */
interface CommandProgress {
  global: GlobalOptions
  failing: { command: Command; definition: CommandDefinition | undefined } | undefined
  code: number
  /** True if a signal is the command's normal end. */
  untilStopped: boolean
}

/** Runs one command line and returns the exit code; main.ts handles the process itself. */
export async function runCommandLine(
  typed: readonly string[],
  processIo: IoContext,
): Promise<number> {
  const argv = replaceAlias(typed)
  const io = limitToAscii(processIo)
  const progress: CommandProgress = {
    global: guessGlobals(argv),
    failing: undefined,
    code: 0,
    untilStopped: false,
  }
  try {
    await dispatchCommand(argv, io, progress)
    const isInterrupted = io.signal.aborted && !progress.untilStopped
    return isInterrupted && progress.code === 0 ? 130 : progress.code
  } catch (thrown) {
    const { reportError } = await import('./ui/report-error.ts')
    if (thrown instanceof CommanderError) {
      if (thrown.exitCode === 0) return 0
      return reportError(toUsageError(thrown, progress.failing), io, progress.global)
    }
    if (io.signal.aborted && !(thrown instanceof SkillsError)) {
      return reportError(new SkillsError('run/cancelled', 'Interrupted'), io, progress.global)
    }
    return reportError(thrown, io, progress.global)
  }
}

async function dispatchCommand(
  argv: readonly string[],
  io: IoContext,
  progress: CommandProgress,
): Promise<void> {
  const hooks: CommandHooks = {
    onFailing: (command, definition) => void (progress.failing ??= { command, definition }),
    onStart: async (definition, command) => {
      const options = mergeOptions(command)
      progress.global = readGlobals(options)
      const context = createContext(io, progress.global)
      const call = {
        args: command.args,
        options: replaceFormerValues(context, definition, options),
        dashed: countDashedOperands(argv, command.args),
      } as CommandLine
      if (definition.untilStopped) {
        progress.untilStopped = true
        io.handleInterruption?.()
      }
      if (definition.startsRuns && io.mayNeedScope) {
        const { enterScope } = await import('./scope/enter-scope.ts')
        const code = await enterScope(context, call)
        if (code !== undefined) return void (progress.code = code)
      }
      progress.code = (await definition.run?.(context, call)) ?? 0
    },
  }
  const program = createRootCommand(io, { hooks, global: progress.global })
  const operands = listOperands(argv)
  const asksHelp = operands[0] === 'help'
  const path = asksHelp ? operands.slice(1) : operands
  const isGroup = await addCommands(program, path, hooks, argv.includes('--all'))
  if (argv.length === 0 || (asksHelp && path.length === 0)) return program.outputHelp()
  if (asksHelp) return findCommand(program, path).outputHelp()
  if (path.length === 0 && !argv.some((word) => BARE_FLAG.test(word))) {
    // An unknown option gives the more helpful error.
    program.action(() => {
      throw new SkillsError('usage/invalid', 'Missing command', {
        hint: 'Type "skills --help" to see every command',
      })
    })
  }
  if (isGroup && path.length === 1 && !progress.global.json) {
    return findCommand(program, path).outputHelp()
  }
  await program.parseAsync(argv, { from: 'user' })
}

/** Replaces former values of options by their present names, with a notice. */
function replaceFormerValues<Options extends Readonly<Record<string, unknown>>>(
  context: Context,
  { options: definitions = [] }: CommandDefinition,
  options: Options,
): Options {
  const replaced = definitions.flatMap(({ flags, renamed = {} }) => {
    const [flag = ''] = /--[a-z-]+/.exec(flags) ?? []
    const name = flag.slice(2)
    const value = String(options[name])
    if (!Object.hasOwn(renamed, value)) return []
    context.note(`${flag} ${value} is now ${flag} ${renamed[value]}; ${value} ends with 0.2.0`)
    return [[name, renamed[value]]]
  })
  return { ...options, ...(Object.fromEntries(replaced) as object) }
}

/** Number of operands after `--`. */
function countDashedOperands(
  argv: readonly string[],
  operands: readonly string[],
): number | undefined {
  const separator = argv.indexOf('--')
  const afterDashes = separator === -1 ? [] : argv.slice(separator + 1)
  const last = operands.slice(operands.length - afterDashes.length)
  const isSame =
    last.length === afterDashes.length && last.every((word, i) => word === afterDashes[i])
  return separator !== -1 && isSame ? afterDashes.length : undefined
}

const BARE_FLAG = /^(-h|--help|-V|--version)$/

/**
 * Adds commands for the overview: those of its first page, or all; or the named one with its options. Returns true if
 * the named one only groups others.
 */
// eslint-disable-next-line max-params -- what is added, and to what
async function addCommands(
  program: Command,
  path: readonly string[],
  hooks: CommandHooks,
  isComplete: boolean,
): Promise<boolean> {
  const [name] = path
  if (name === undefined) {
    addOverview(program, isComplete)
    return false
  }
  const entry = COMMANDS.find((each) => each.name === name)
  if (!entry) throw unknownCommandError(name, path[1])
  const { command: definition } = await entry.load()
  buildCommand(program, { name, definition }, hooks)
  return !definition.run
}

function addOverview(program: Command, isComplete: boolean): void {
  const shown = COMMANDS.filter(({ hidden, group }) => !hidden && (isComplete || group))
  for (const { name, summary, group } of shown) {
    const title = [name, ...findAliases(name)].join(', ')
    program.addCommand(new Command(title).description(summary).helpGroup(`${group ?? 'More'}:`))
  }
  if (isComplete) {
    const lines = [...ALIASES].flatMap(([word, line]) =>
      line.length === 1 ? [] : [`  ${word.padEnd(9)}skills ${line.join(' ')}`],
    )
    program.addHelpText('after', ['', 'Short forms:', ...lines].join('\n'))
  } else {
    const count = COMMANDS.filter(({ hidden }) => !hidden).length
    program.addHelpText('after', `\nType "skills help --all" to see all ${count} commands.`)
  }
}

/** The command line in words of this program. */
function replaceAlias(argv: readonly string[]): readonly string[] {
  if (argv.length === 1 && argv[0] === '-v') return ['--version']
  const [first, second] = findOperands(argv)
  const at = first !== undefined && argv[first] === 'help' ? second : first
  if (at === undefined) return argv
  const next = at === first ? argv[at + 1] : undefined
  const line = findAliasLine(argv[at] ?? '', next)
  return line ? argv.toSpliced(at, 1, ...line) : argv
}

function createRootCommand(
  io: IoContext,
  { hooks, global }: { hooks: CommandHooks; global: GlobalOptions },
): Command {
  const program = new Command('skills')
    .description('Write, check, run and serve skills for LLM agents')
    .usage('[options] <command>')
    .version(VERSION, '-V, --version', 'Show the version')
    .helpOption('-h, --help', 'Show this help')
    .helpCommand('help [command]', 'Show help for a command')
    .enablePositionalOptions()
    .configureHelp({ helpWidth: Math.max(40, io.stdout.columns ?? 80), minWidthToWrap: 14 })
    .configureOutput({
      writeOut: (text) => {
        const context = createContext(io, global)
        if (global.json) context.document('skills.help/v1', { text: text.trimEnd() })
        else io.stdout.write(text)
      },
      writeErr: (text) => void io.stderr.write(text),
      outputError: () => {},
    })
  trackFailures(program, hooks)
  addGlobalOptions(program)
  program.addHelpText('after', formatExitStatuses({ isComplete: true }))
  return program
}

/** Resolves `help blobs get` to its last word. */
function findCommand(program: Command, path: readonly string[]): Command {
  let command = program
  for (const word of path) {
    const next = command.commands.find((each) => each.name() === word)
    if (!next && command.commands.length > 0) throw subcommandError(command, word)
    if (!next) break
    command = next
  }
  return command
}

function unknownCommandError(name: string, next: string | undefined): SkillsError {
  const shown = COMMANDS.filter((each: CommandEntry) => !each.hidden).map((each) => each.name)
  const guess =
    findSynonym(`${name} ${next}`, shown) ??
    findSynonym(name, shown) ??
    findNearest(name, [...shown, ...ALIASES.keys()])
  return new SkillsError('usage/unknown-command', `Unknown command "${name}"`, {
    hint: guess
      ? `Did you mean "skills ${guess}"?`
      : 'Type "skills help --all" to see every command',
  })
}
