import { posix } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { nameCommands } from '../../skill-context/prompt/command-rules.ts'
import { GUEST_FOLDERS } from '../../sandbox/guest-host/guest-job.ts'
import {
  NotPlainCommandError,
  toCommandDeniedError,
  readSegments,
  type ShellWord,
} from './shell-words.ts'

export interface CommandLists {
  allowed: readonly string[]
  denied: readonly string[]
}

/** Working folder and skill of a command, which determine what names refer to. */
export interface CommandContext {
  /** Relative to the workspace's root. */
  folder: string
  /** The skill to which the command belongs. */
  skill?: string | undefined
  /** True if a bare name refers to a program in the skill's bin/, and to no other one. */
  isOwnProgram?: ((name: string) => boolean) | undefined
}

/**
 * Commands that run other commands or change the meaning of names: lists cannot be applied to them.
 */
const COMMAND_RUNNERS = new Set(
  (
    'sh bash zsh ash dash ksh mksh fish pwsh powershell cmd busybox toybox eval exec command source . builtin xargs env ' +
    'nohup timeout sudo su doas setsid unshare chroot runuser time nice ionice taskset stdbuf strace ltrace script flock ' +
    'trap alias unalias enable hash export unset readonly local declare typeset set shopt cd pushd popd read getopts let ' +
    'mapfile readarray bind coproc compgen complete compopt fc jobs chrt prlimit setarch linux32 linux64 nsenter runcon ' +
    'capsh setpriv pkexec parallel watch run-parts start-stop-daemon systemd-run logsave unbuffer rlwrap'
  ).split(' '),
)
/** Options with which a command runs the words after them, or evaluates a variable's name. */
const RUNNER_OPTIONS: Readonly<Record<string, RegExp>> = {
  find: /^-(?:exec|execdir|ok|okdir)$/,
  printf: /^-v/,
  test: /^-[vR]$/,
  '[': /^-[vR]$/,
  wait: /^-\w*p/,
}
const LOADER = /^ld(?:-linux[\w-]*|-musl[\w-]*)?\.so(?:\.\d+)?$/

/** Throws if a command line contains a command that the lists do not allow. */
export function checkCommand(
  line: string,
  lists: CommandLists,
  context: CommandContext = { folder: '' },
): void {
  let segments: ShellWord[][]
  try {
    segments = readSegments(line)
  } catch (error) {
    throw error instanceof NotPlainCommandError ? toCommandDeniedError(line, error) : error
  }
  for (const segment of segments) {
    const [name = '', ...args] = segment.map(({ text }) => text)
    checkParsedCommand({ name, args, context }, lists)
  }
}

interface ParsedCommand {
  name: string
  args: readonly string[]
  context: CommandContext
}

function checkParsedCommand(command: ParsedCommand, lists: CommandLists): void {
  const { name, args } = command
  const denied = lists.denied.map(parseListEntry).find((entry) => entry && isDenied(command, entry))
  if (denied)
    throw commandDeniedError(
      `command "${formatCommand(name, denied)}" is denied by denied_commands`,
      lists,
    )
  const base = posix.basename(name)
  if (COMMAND_RUNNERS.has(base) || LOADER.test(base)) {
    throw commandDeniedError(
      `command "${name}" runs or changes other commands, to which no list applies`,
      lists,
    )
  }
  const arg = args.find((each) => RUNNER_OPTIONS[base]?.test(each))
  if (arg !== undefined && Object.hasOwn(RUNNER_OPTIONS, base)) {
    throw commandDeniedError(
      `command "${base}" with ${arg} runs other commands, to which no list applies`,
      lists,
    )
  }
  if (lists.allowed.length === 0) return
  if (lists.allowed.map(parseListEntry).some((entry) => entry && isAllowed(command, entry))) return
  throw commandDeniedError(`command "${name}" is not allowed by allowed_commands`, lists)
}

/** One entry of a list: a command and its leading words. */
interface ListEntry {
  name: string
  args: readonly string[]
}

function parseListEntry(text: string): ListEntry | undefined {
  const [name, ...args] = text.trim().split(/[ \t]+/)
  return name === undefined || name === '' ? undefined : { name, args }
}

/**
 * A bare name matches what PATH finds, a path matches that file only; the words must come first.
 */
function isAllowed({ name, args, context }: ParsedCommand, entry: ListEntry): boolean {
  if (!entry.args.every((arg, at) => args[at] === arg)) return false
  if (!entry.name.includes('/')) return entry.name === name
  if (name.includes('/'))
    return resolveEntryPaths(entry.name, context).includes(resolveProgramPath(name, context))
  // A skill's own program also matches by its bare name.
  const isOwn = entry.name.replace(/^\.\//, '') === `bin/${name}`
  return isOwn && context.isOwnProgram?.(name) === true
}

/** Matches any path and any case; the words may be at any position. */
function isDenied({ name, args }: ParsedCommand, entry: ListEntry): boolean {
  const [program, denied] = [name, entry.name].map((each) => posix.basename(each).toLowerCase())
  if (program !== denied) return false
  let at = 0
  for (const arg of args) if (arg === entry.args[at]) at += 1
  return at === entry.args.length
}

/** Absolute path of a command. */
function resolveProgramPath(name: string, { folder }: CommandContext): string {
  return posix.resolve(GUEST_FOLDERS.workspace, folder, name)
}

/** A relative path of an entry is resolved in the skill and in the workspace. */
function resolveEntryPaths(entry: string, { skill }: CommandContext): string[] {
  const tops = [
    GUEST_FOLDERS.workspace,
    ...(skill === undefined ? [] : [`${GUEST_FOLDERS.workspace}/skills/${skill}`]),
  ]
  return tops.map((top) => posix.resolve(top, entry))
}

function formatCommand(name: string, { args }: ListEntry): string {
  return [name, ...args].join(' ')
}

const UNSAFE_VARIABLES = new Set(
  (
    'HOME ENV BASH_ENV PROMPT_COMMAND PS4 SHELL SHELLOPTS BASHOPTS PATH IFS CDPATH GLOBIGNORE EDITOR VISUAL PAGER BROWSER ' +
    'PYTHONSTARTUP PYTHONPATH PYTHONHOME PYTHONINSPECT NODE_OPTIONS NODE_PATH PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB ' +
    'JAVA_TOOL_OPTIONS _JAVA_OPTIONS GCONV_PATH OPENSSL_CONF'
  ).split(' '),
)

/** Removes variables that can make an allowed command run other code. */
export function scrubEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) =>
        /^[A-Za-z_]\w*$/.test(name) &&
        !UNSAFE_VARIABLES.has(name) &&
        !/^(?:BASH_FUNC_|LD_|DYLD_|GIT_)/.test(name),
    ),
  )
}

function commandDeniedError(reason: string, { allowed }: CommandLists): SkillsError {
  const hint =
    allowed.length > 0
      ? `The allowed commands are: ${nameCommands(allowed)}. Use one of them, or tell the user which command is needed`
      : 'Use another command, or tell the user why this one is needed'
  return new SkillsError('policy/denied', `The ${reason}`, {
    hint,
    data: { reasons: [reason], param: 'command' },
  })
}
