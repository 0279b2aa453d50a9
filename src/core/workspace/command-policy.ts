import { posix } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { NotPlain, notPlain, readSegments, type ShellWord } from './shell-words.ts'

export interface CommandLists {
  allowed: readonly string[]
  denied: readonly string[]
}

/** What runs other commands or changes what their names mean: no list can be held against these. */
const IMPLICIT = new Set(
  (
    'sh bash zsh ash dash ksh mksh fish pwsh powershell cmd busybox toybox eval exec command source . builtin xargs env ' +
    'nohup timeout sudo su doas setsid unshare chroot runuser time nice ionice taskset stdbuf strace ltrace script flock ' +
    'trap alias unalias enable hash export unset readonly local declare typeset set shopt cd pushd popd read getopts let ' +
    'mapfile readarray'
  ).split(' '),
)

/** Throws where a command line holds anything that the lists do not let through. */
export function checkCommand(line: string, lists: CommandLists): void {
  let segments: ShellWord[][]
  try {
    segments = readSegments(line)
  } catch (error) {
    throw error instanceof NotPlain ? notPlain(line, error) : error
  }
  for (const [first, ...words] of segments) {
    if (first) checkOne(first.text, words, lists)
  }
}

function checkOne(name: string, words: readonly ShellWord[], lists: CommandLists): void {
  const base = posix.basename(name)
  const matches = (list: readonly string[]) => list.map(normal).some((each) => isNamed(each, name))
  if (matches(lists.denied) || lists.denied.map(normal).includes(base.toLowerCase())) {
    throw refused(`command "${name}" is denied by denied_commands`)
  }
  if (IMPLICIT.has(base) || (base === 'printf' && words.some(({ text }) => text === '-v'))) {
    throw refused(`command "${name}" runs or changes other commands, which no list can judge`)
  }
  if (base === 'find' && words.some(({ text }) => /^-(?:exec|execdir|ok|okdir)$/.test(text))) {
    throw refused('command "find" with -exec runs other commands, which no list can judge')
  }
  if (lists.allowed.length > 0 && !isAllowed(name, lists.allowed)) {
    throw refused(`command "${name}" is not allowed by allowed_commands`)
  }
}

/** A bare name stands for what PATH finds; a path for that very file. */
function isAllowed(name: string, allowed: readonly string[]): boolean {
  return allowed.map((each) => each.trim()).some((each) => each !== '' && each === name)
}

function isNamed(entry: string, name: string): boolean {
  const lower = name.toLowerCase()
  return (
    entry === lower ||
    entry === posix.normalize(lower) ||
    posix.basename(entry) === posix.basename(lower)
  )
}

function normal(entry: string): string {
  return posix.normalize(entry.trim()).toLowerCase()
}

const DANGEROUS = new Set(
  (
    'HOME ENV BASH_ENV PROMPT_COMMAND PS4 SHELL SHELLOPTS BASHOPTS PATH IFS CDPATH GLOBIGNORE LD_PRELOAD LD_LIBRARY_PATH ' +
    'LD_AUDIT DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH DYLD_FORCE_FLAT_NAMESPACE PYTHONSTARTUP PYTHONPATH NODE_OPTIONS PERL5OPT RUBYOPT'
  ).split(' '),
)

/** Without what makes an allowed command run something else. */
export function scrubEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) =>
        /^[A-Za-z_]\w*$/.test(name) && !DANGEROUS.has(name) && !name.startsWith('BASH_FUNC_'),
    ),
  )
}

function refused(reason: string): SkillsError {
  return new SkillsError('policy/denied', `The ${reason}`, {
    hint: 'Use an allowed command; the operator sets workspace.allowed_commands and denied_commands',
    data: { reasons: [reason], param: 'command' },
  })
}
