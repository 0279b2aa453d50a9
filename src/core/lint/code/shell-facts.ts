import type { ParsedScript, SyntaxNode, Word } from 'unbash'
import { MAX_FACTS, NO_FACTS, type CodeFacts, type CodeProblem } from './code-facts.ts'
import { readEnvironment } from './shell-environment.ts'
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
    imports: commands.flatMap(findSourcedFile).slice(0, MAX_FACTS),
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
  }
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
function findSourcedFile({ name, args }: ShellNode<'Command'>): CodeFacts['imports'][number][] {
  const [file] = args
  if (!/^(?:source|\.)$/.test(name?.value ?? '') || file?.type !== 'Word') return []
  const own =
    /^"?(?:\$\{BASH_SOURCE(?:\[0\])?%\/\*\}|\$\(dirname "?\$(?:0|\{?BASH_SOURCE(?:\[0\]\})?)"?\))\/([\w./-]+)"?$/
  const path = own.exec(file.text)?.[1]
  if (path === undefined) return []
  const span = { start: file.pos, end: file.end }
  return [{ specifier: `./${path}`, by: 'source', isOptional: false, span }]
}
