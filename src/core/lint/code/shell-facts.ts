import type { ParsedScript, SyntaxNode, Word } from 'unbash'
import { findNearest } from '../../../util/find-nearest.ts'
import {
  MAX_FACTS,
  NO_FACTS,
  type CodeFacts,
  type CodeProblem,
  type FunctionFacts,
  type NamedSpan,
} from './code-facts.ts'
import { collectAssigned, readEnvironment } from './shell-environment.ts'
import { findShellRequest, type ShellValues } from './shell-requests.ts'

type Unbash = typeof import('unbash')
export type ShellNode<Type extends SyntaxNode['type']> = Extract<SyntaxNode, { type: Type }>

/** Parses a script of Bash or of a POSIX shell. */
export function parseShell({ parse, forEachChild }: Unbash, text: string): CodeFacts {
  const nodes = listShellNodes(parse(text), forEachChild)
  const problem = findProblem(nodes, text)
  if (problem) return { language: 'shell', ...NO_FACTS, problem }
  const values = collectValues(nodes)
  const commands = nodes.filter((node) => node.type === 'Command')
  const requests = commands.flatMap((command) => findShellRequest(command, values, text) ?? [])
  const definitions = nodes.filter((node) => node.type === 'Function').map(({ name }) => name.value)
  return {
    language: 'shell',
    ...NO_FACTS,
    imports: commands.flatMap((command) => findSourcedFile(command, values)).slice(0, MAX_FACTS),
    environment: readEnvironment(nodes, text).slice(0, MAX_FACTS),
    requests: requests.slice(0, MAX_FACTS),
    runtimeNames: commands
      .filter(({ name }) => /^(?:log|blob)_\w+$/.test(name?.value ?? ''))
      .map(({ name }) => ({
        module: 'shell',
        name: name?.value ?? '',
        span: { start: name?.pos ?? 0, end: name?.end ?? 0 },
      })),
    definitions: definitions.slice(0, MAX_FACTS),
    commands: commands
      .flatMap(({ name }) =>
        name ? [{ name: name.value, span: { start: name.pos, end: name.end } }] : [],
      )
      .slice(0, MAX_FACTS),
    undefinedNames: findUndefined(nodes, text).slice(0, MAX_FACTS),
    functions: new Map([['main', readMain(commands, nodes)]]),
    paths: listOpenedPaths(nodes, commands).slice(0, MAX_FACTS),
  }
}

/** Inputs that a script asks for by `arg`, and the text that its main function ends with. */
function readMain(
  commands: readonly ShellNode<'Command'>[],
  nodes: readonly SyntaxNode[],
): FunctionFacts {
  const keys = commands.flatMap(({ name, args: [first] }) =>
    name?.value === 'arg' && first?.type === 'Word' && /^(["']?)\w+\1$/.test(first.text)
      ? [{ name: first.value, span: { start: first.pos, end: first.end } }]
      : [],
  )
  const isOpen = commands.some(({ name }) => name?.value === 'args')
  const main = nodes.find((node) => node.type === 'Function' && node.name.value === 'main')
  return {
    keys: isOpen ? [...keys, { name: '*', span: { start: 0, end: 0 } }] : keys,
    exits: [],
    results: main ? findPlainOutput(main.end, commands) : [],
  }
}

/** The last command of a function, if it prints a text that no values make JSON. */
// eslint-disable-next-line complexity -- each condition rules out one kind of output
function findPlainOutput(end: number, commands: readonly ShellNode<'Command'>[]): NamedSpan[] {
  const last = commands.filter((command) => command.end < end).at(-1)
  const [word, ...more] = last?.args ?? []
  if (last?.name?.value !== 'echo' || word?.type !== 'Word' || more.length > 0) return []
  if (last.redirects.length > 0) return []
  const written = word.text.replace(/^"(.*)"$/s, '$1')
  if (/^['$]/.test(word.text) && !/\s/.test(word.text)) return []
  const fits = ['0', '"x"', '{}'].some((value) =>
    isJson(written.replaceAll(/\$(?:\w+|\{[^}]*\}|\([^)]*\))/g, value).replaceAll('\\"', '"')),
  )
  if (fits || /[{['`]/.test(written)) return []
  return [{ name: 'text', span: { start: last.pos, end: last.end } }]
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Functions and lower-case variables that the script does not define, but nearly. */
function findUndefined(nodes: readonly SyntaxNode[], text: string): NamedSpan[] {
  const assigned = collectAssigned(nodes)
  return nodes.flatMap((node) => {
    const isPlain = node.type === 'SimpleExpansion'
    const name = isPlain
      ? node.text.slice(1)
      : node.type === 'ParameterExpansion' && !node.operation
        ? node.parameter
        : ''
    if (!/^[a-z]\w{3,}$/.test(name) || assigned.has(name)) return []
    if (findNearest(name, [...assigned]) === undefined) return []
    const start = text.indexOf(name, node.pos)
    return [{ name, span: { start, end: start + name.length } }]
  })
}

const READERS = /^(?:cat|head|tail|source|\.|jq|grep|awk|sed|wc|sort|python3?|node|bash)$/

/** Relative paths in arguments of commands that read files, and in redirections. */
function listOpenedPaths(
  nodes: readonly SyntaxNode[],
  commands: readonly ShellNode<'Command'>[],
): NamedSpan[] {
  const words = commands.flatMap(({ name, args }) => (READERS.test(name?.value ?? '') ? args : []))
  const targets = [...commands, ...nodes].flatMap((node) =>
    'redirects' in node
      ? node.redirects.flatMap((each) => (each.operator === '<' ? (each.target ?? []) : []))
      : [],
  )
  return [...words, ...targets].flatMap((word) =>
    word.type === 'Word' &&
    /^["']?\.{0,2}[\w/.-]*\/[\w/.-]+["']?$/.test(word.text) &&
    !/^["']?\//.test(word.text)
      ? [{ name: word.text.replaceAll(/["']/g, ''), span: { start: word.pos, end: word.end } }]
      : [],
  )
}

/** Nodes of a script and of its substitutions, parents first. */
export function listShellNodes(
  script: ParsedScript,
  forEachChild: Unbash['forEachChild'],
): SyntaxNode[] {
  const nodes: SyntaxNode[] = []
  const pending: SyntaxNode[] = [script]
  for (let node = pending.pop(); node; node = pending.pop()) {
    nodes.push(node)
    const children: SyntaxNode[] = []
    forEachChild(node, (child) => {
      children.push(child)
    })
    for (const child of children.toReversed()) pending.push(child)
  }
  return nodes
}

/** Types of nodes by the keyword that begins them, for errors about a missing end. */
const OPENED_BY: Readonly<Record<string, readonly string[]>> = {
  if: ['If'],
  for: ['For', 'ArithmeticFor'],
  while: ['While'],
  until: ['While'],
  select: ['Select'],
  case: ['Case'],
  'brace group': ['BraceGroup'],
  subshell: ['Subshell'],
}

function findProblem(nodes: readonly SyntaxNode[], text: string): CodeProblem | undefined {
  const errors = nodes.flatMap((node) => (node.type === 'Script' ? (node.errors ?? []) : []))
  const error = errors.toSorted((a, b) => a.pos - b.pos)[0]
  if (!error) return undefined
  const message = toSentence(error.message)
  const closed = /^expected '.+' to close '?([^']+?)'?$/.exec(error.message)?.[1]
  const opener = closed === undefined ? undefined : findOpener(nodes, closed, error.pos)
  // The place at which the end is missed says less than the keyword that is not closed.
  if (opener) return { message, span: opener.span, opener }
  const start = text.slice(error.pos).trim() === '' ? text.trimEnd().length : error.pos
  const word = /^(?:[\w-]+|[^\w\s]{1,2}|\s?)/.exec(text.slice(start, start + 80))?.[0] ?? ''
  return { message, span: { start, end: start + word.length } }
}

function toSentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}`.replaceAll("'", '"')
}

/** The innermost construct of a keyword that is open at the place of the error. */
function findOpener(
  nodes: readonly SyntaxNode[],
  keyword: string,
  pos: number,
): CodeProblem['opener'] {
  const types = OPENED_BY[keyword] ?? []
  // The parser gives a construct without its end no length.
  const found = nodes.findLast(
    (node) =>
      types.includes(node.type) && node.pos < pos && (node.end <= node.pos || node.end >= pos - 1),
  )
  if (!found) return undefined
  const text = /^[a-z]+$/.test(keyword) ? keyword : keyword === 'subshell' ? '(' : '{'
  return { text, span: { start: found.pos, end: found.pos + text.length } }
}

/** Values of variables that are assigned once. */
function collectValues(nodes: readonly SyntaxNode[]): ShellValues {
  const values = new Map<string, Word | undefined>()
  for (const node of nodes) {
    if (node.type !== 'Assignment') continue
    const isFirst = node.append !== true && !values.has(node.name)
    values.set(node.name, isFirst && node.value.type === 'Word' ? node.value : undefined)
  }
  return values
}

/** A file that is sourced from the folder of the script. */
// eslint-disable-next-line complexity -- each condition rules out one form
function findSourcedFile(
  { name, args }: ShellNode<'Command'>,
  values: ShellValues,
): CodeFacts['imports'][number][] {
  const [file] = args
  if (!/^(?:source|\.)$/.test(name?.value ?? '') || file?.type !== 'Word') return []
  const own =
    /^"?(?:\$\{BASH_SOURCE(?:\[0\])?%\/\*\}|\$\(dirname "?\$(?:0|\{?BASH_SOURCE(?:\[0\]\})?)"?\))\/([\w./-]+)"?$/
  const [, variable = '', rest] = /^"?\$\{?(\w+)\}?\/([\w./-]+)"?$/.exec(file.text) ?? []
  // The variable is the folder of the script, and no folder above it.
  const folder = values.get(variable)?.text ?? '..'
  const isOwn = /BASH_SOURCE|\$0/.test(folder) && !folder.includes('..')
  const path = isOwn ? rest : own.exec(file.text)?.[1]
  if (path === undefined) return []
  const span = { start: file.pos, end: file.end }
  return [{ specifier: `./${path}`, by: 'source', isOptional: false, span }]
}
