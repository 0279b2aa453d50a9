import type { SyntaxNode, Word } from 'unbash'
import type { EnvironmentRead } from './code-facts.ts'

/** Variables of Bash itself. */
const OWN_VARIABLES = new Set(
  `BASH BASHOPTS BASHPID BASH_ARGC BASH_ARGV BASH_COMMAND BASH_ENV BASH_LINENO BASH_REMATCH
BASH_SOURCE BASH_SUBSHELL BASH_VERSINFO BASH_VERSION COLUMNS COMP_CWORD COMP_LINE COMP_POINT
COMP_WORDS COMPREPLY DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME GROUPS HISTFILE HOSTNAME
HOSTTYPE IFS LINENO LINES MACHTYPE MAPFILE OLDPWD OPTARG OPTERR OPTIND OSTYPE PIPESTATUS PPID PS1
PS2 PS3 PS4 RANDOM REPLY SECONDS SHELLOPTS SHLVL SRANDOM TIMEFORMAT UID _`.split(/\s+/),
)

/** Commands whose arguments are names of variables that they set. */
const SETTERS =
  /^(?:read|mapfile|readarray|local|declare|typeset|readonly|export|unset|getopts|printf|let|arg)$/

/** Upper-case variables that a script reads and does not set. */
export function readEnvironment(nodes: readonly SyntaxNode[], text: string): EnvironmentRead[] {
  const assigned = collectAssigned(nodes)
  const found: EnvironmentRead[] = []
  for (const node of nodes) {
    const name =
      node.type === 'SimpleExpansion'
        ? node.text.slice(1)
        : node.type === 'ParameterExpansion' && node.prefix !== '!'
          ? node.parameter
          : undefined
    if (name === undefined || !/^[A-Z][A-Z0-9_]*$/.test(name)) continue
    if (assigned.has(name) || OWN_VARIABLES.has(name)) continue
    const start = text.indexOf(name, node.pos)
    const span = { start, end: start + name.length }
    found.push({ name, span, hasDefault: isOptional(node) })
  }
  return found
}

/** True for `${NAME:-value}` and `${NAME:+value}`. */
function isOptional(node: SyntaxNode): boolean {
  const operation = node.type === 'ParameterExpansion' ? node.operation : undefined
  return operation?.type === 'Default' && /[-+]$/.test(operation.operator)
}

/** Names of variables that a script sets. */
export function collectAssigned(nodes: readonly SyntaxNode[]): Set<string> {
  return new Set(nodes.flatMap(listAssigned))
}

function listAssigned(node: SyntaxNode): string[] {
  switch (node.type) {
    case 'Assignment':
      return [node.name]
    case 'For':
    case 'Select':
      return [node.name.value]
    case 'ParameterExpansion':
      return assignsDefault(node) ? [node.parameter] : []
    case 'Command':
      return listPassedNames(node)
    default:
      return []
  }
}

/** Names in the arguments of a command: a function of the script may set what it is passed. */
function listPassedNames({ name, args }: Extract<SyntaxNode, { type: 'Command' }>): string[] {
  const words = args.filter((each) => each.type === 'Word')
  if (SETTERS.test(name?.value ?? '')) return words.map(getName)
  return words.map(({ value }) => value).filter((value) => /^[A-Z]\w*$/.test(value))
}

/** True for `${NAME:=value}`. */
function assignsDefault({
  operation,
}: Extract<SyntaxNode, { type: 'ParameterExpansion' }>): boolean {
  return operation?.type === 'Default' && operation.operator.endsWith('=')
}

function getName({ value }: Word): string {
  return /^[A-Za-z_]\w*/.exec(value)?.[0] ?? ''
}
