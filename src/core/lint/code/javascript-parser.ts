import type { Options, Program, Token } from 'acorn'
import { NO_FACTS, type CodeFacts, type CodeProblem } from './code-facts.ts'
import { readTree } from './javascript-facts.ts'

type Acorn = typeof import('acorn')

/** Thrown where a parser gives up: the file may be valid. */
export class ParserLimit extends Error {}

/** Parses JavaScript as Node does: a file that may be either is a module or CommonJS. */
export function parseJavaScript(acorn: Acorn, path: string, text: string): CodeFacts {
  const parsed = parseAs(acorn, text, listSourceTypes(path))
  if ('message' in parsed) return { language: 'javascript', ...NO_FACTS, problem: parsed }
  return { language: 'javascript', ...NO_FACTS, ...readTree(parsed, text) }
}

type SourceType = 'module' | 'script'

export function listSourceTypes(path: string): SourceType[] {
  if (/\.[cm][jt]s$/.test(path)) return [/\.m[jt]s$/.test(path) ? 'module' : 'script']
  return ['module', 'script']
}

/** The tree of a text; of all source types, the problem of the one that reads furthest. */
export function parseAs(
  acorn: Acorn,
  text: string,
  types: readonly SourceType[],
): Program | CodeProblem {
  let furthest: { raised: number; options: Options; error: ParseError } | undefined
  for (const type of types) {
    const options: Options = {
      ecmaVersion: 'latest',
      sourceType: type,
      allowHashBang: true,
      // CommonJS is the body of a function.
      allowReturnOutsideFunction: type === 'script',
    }
    try {
      return acorn.parse(text, options)
    } catch (thrown) {
      const error = thrown as ParseError
      if (!(thrown instanceof SyntaxError) || /stack space/.test(error.message)) {
        throw new ParserLimit(error.message)
      }
      const raised = error.raisedAt ?? error.pos
      // Node reports the error of CommonJS only for a file without import and export.
      if (!furthest || raised > furthest.raised) furthest = { raised, options, error }
    }
  }
  if (!furthest) throw new ParserLimit('no source type applies')
  return describeError(acorn, text, furthest)
}

interface ParseError extends SyntaxError {
  pos: number
  raisedAt?: number
}

function describeError(
  acorn: Acorn,
  text: string,
  { options, error, raised }: { options: Options; error: ParseError; raised: number },
): CodeProblem {
  const { pos } = error
  const message = error.message.replace(/ \(\d+:\d+\)$/, '')
  const word = /^(?:[\w$]+|\s|[^\w\s]{1,3})/.exec(text.slice(pos, pos + 40))?.[0].trim() ?? ''
  const end = Math.max(raised, pos + Math.max(word.length, 1))
  const span = { start: pos, end: Math.min(end, findLineEnd(text, pos)) }
  if (text.slice(pos).trim() === '') {
    const opener = findOpener(acorn, text, options)
    const start = text.trimEnd().length
    return { message: 'Unexpected end of the file', span: { start, end: start }, opener }
  }
  if (message === 'Unexpected token')
    return { message: `Unexpected "${text.slice(span.start, span.end)}"`, span }
  return { message, span }
}

function findLineEnd(text: string, from: number): number {
  const newline = text.indexOf('\n', from)
  return newline === -1 ? text.length : newline
}

const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']', '${': '}' }

/** The last bracket that is not closed at the end of the file. */
function findOpener(acorn: Acorn, text: string, options: Options): CodeProblem['opener'] {
  const open: { text: string; span: { start: number; end: number } }[] = []
  const onToken = ({ start, end }: Token) => {
    const token = text.slice(start, end)
    if (token in CLOSERS) open.push({ text: token, span: { start, end } })
    else if (CLOSERS[open.at(-1)?.text ?? ''] === token) open.pop()
  }
  try {
    acorn.parse(text, { ...options, onToken })
  } catch {
    return open.at(-1)
  }
  return undefined
}
