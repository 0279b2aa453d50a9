import type { SyntaxNode } from 'unbash'
import { LineIndex } from '../../util/line-index.ts'
import type { ShellNode } from '../lint/code/shell-facts.ts'
import { EMPTY_INTERFACE, type ScriptArgument, type ScriptInterface } from './script-interface.ts'

/** Programs that every system has, and words of the shell. */
const ORDINARY =
  /^(?:\[{1,2}|alias|awk|basename|bash|break|cat|cd|chmod|command|continue|cp|cut|date|declare|dirname|echo|eval|exec|exit|export|false|find|getopts|grep|head|kill|let|ln|local|ls|mapfile|mkdir|mktemp|mv|popd|printf|pushd|pwd|read|readarray|readonly|return|rm|rmdir|sed|set|sh|shift|shopt|sleep|sort|source|stat|tail|tee|test|touch|tr|trap|true|type|typeset|uname|uniq|unset|wait|wc|xargs|\.|:)$/

/** Reads the interface of a parsed shell script: `getopts`, options of `case`, `NAME="$1"`. */
export function readShellInterface(nodes: readonly SyntaxNode[], text: string): ScriptInterface {
  const lines = new LineIndex(text)
  const lineAt = (offset: number) => lines.positionAt(offset).line
  const commands = nodes.filter((node) => node.type === 'Command')
  const functions = nodes.filter((node) => node.type === 'Function')
  const getopts = commands.flatMap((each) => readGetopts(each, lineAt))
  const options = getopts.length > 0 ? getopts : readCaseOptions(nodes, text, lineAt)
  const isOwn = (node: SyntaxNode) =>
    !functions.some(({ pos, end }) => node.pos > pos && node.pos < end)
  const positionals = readPositionals(nodes.filter(isOwn), lineAt)
  const usesRest = nodes.some(
    (node) => isOwn(node) && node.type === 'SimpleExpansion' && /^\$[@*]$/.test(node.text),
  )
  // `key="$1"` before a case is the option itself. After getopts, it is the first argument.
  const isOption = getopts.length === 0 && options.length > 0 && positionals.length === 1
  const found = [...options, ...(isOption ? [] : positionals)]
  return {
    ...EMPTY_INTERFACE,
    parser: getopts.length > 0 ? 'getopts' : found.length > 0 ? 'shell' : usesRest ? 'argv' : null,
    isProgram: commands.some(isOwn),
    takesRest: found.length === 0 && usesRest,
    commands: [{ words: [], help: null, line: 1, arguments: found }],
    programs: commands.flatMap(({ name }) =>
      name &&
      !ORDINARY.test(name.value) &&
      !functions.some((each) => each.name.value === name.value)
        ? [{ line: lineAt(name.pos), name: /^[\w.+-]+$/.test(name.value) ? name.value : null }]
        : [],
    ),
    writes: [],
  }
}

function createArgument(name: string, line: number): ScriptArgument {
  return {
    name,
    flags: [],
    action: 'store',
    count: null,
    required: false,
    hasDefault: false,
    help: null,
    line,
  }
}

/** The letters of `getopts "ab:" name`; a colon follows one with a value. */
function readGetopts(
  { name, args }: ShellNode<'Command'>,
  lineAt: (offset: number) => number,
): ScriptArgument[] {
  const [letters] = args
  if (name?.value !== 'getopts' || letters?.type !== 'Word') return []
  const found = [...letters.value.matchAll(/([A-Za-z0-9])(:?)/g)]
  // A flag `h` prints the help. With a value, it is something else, such as a host.
  return found
    .filter(([text]) => text !== 'h')
    .map(([, letter = '', colon]) => ({
      ...createArgument(letter, lineAt(letters.pos)),
      flags: [`-${letter}`],
      action: colon === ':' ? 'store' : 'store_true',
    }))
}

/** Patterns such as `--output|-o)` of a `case`; one whose body reads `$2` takes a value. */
function readCaseOptions(
  nodes: readonly SyntaxNode[],
  text: string,
  lineAt: (offset: number) => number,
): ScriptArgument[] {
  const items = nodes.flatMap((node) => (node.type === 'Case' ? node.items : []))
  return items.flatMap((item) => {
    const flags = item.pattern
      .map(({ value }) => value)
      .filter((each) => /^--?[a-zA-Z][\w-]*$/.test(each))
    const long = flags.find((each) => each.startsWith('--')) ?? flags[0]
    if (long === undefined || /^--?(?:h|help|version)$/.test(long)) return []
    const takesValue = /\$\{?2\b|\bshift\s+2\b/.test(text.slice(item.body.pos, item.body.end))
    const action = takesValue ? 'store' : 'store_true'
    return [{ ...createArgument(long.replace(/^-+/, ''), lineAt(item.pos)), flags, action }]
  })
}

/** Variables that take `$1`, `$2` …, from the first without a gap. */
function readPositionals(
  nodes: readonly SyntaxNode[],
  lineAt: (offset: number) => number,
): ScriptArgument[] {
  const found = new Map<number, ScriptArgument>()
  for (const node of nodes) {
    const read = node.type === 'Assignment' ? readPositional(node) : undefined
    if (!read || found.has(read.index) || node.type !== 'Assignment') continue
    found.set(read.index, {
      ...createArgument(node.name, lineAt(node.pos)),
      required: read.required,
    })
  }
  const indexes = [...found.keys()].toSorted((a, b) => a - b)
  return indexes.every((each, at) => each === at + 1)
    ? indexes.map((each) => found.get(each) as ScriptArgument)
    : []
}

/** The number of `$1`, `${1}` or `${1:-value}`; a value makes it optional. */
function readPositional({
  value,
}: ShellNode<'Assignment'>): { index: number; required: boolean } | undefined {
  if (value.type !== 'Word') return undefined
  const match = /^"?\$(?:([1-9])|\{([1-9])(:?[-?=][\s\S]*)?\})"?$/.exec(value.text)
  if (!match) return undefined
  const rest = match[3] ?? ''
  const required = rest === '' || rest.startsWith(':?') || rest.startsWith('?')
  return { index: Number(match[1] ?? match[2]), required }
}
