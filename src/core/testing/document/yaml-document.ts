import { createRequire } from 'node:module'
import type { Document, Node, Pair } from 'yaml'
import { findDeepYaml, mayNestInLine } from '../../skills/manifest/nesting.ts'
import type { Plain, PlainObject, Span, SyntaxProblem } from '../../skills/manifest/source.ts'
import type { DocumentPath, SuiteDocument } from './suite-document.ts'

const require = createRequire(import.meta.url)

/** Values that aliases may expand to. */
const MAX_VALUES = 100_000

/** Parses YAML 1.2: `yes` and `no` are texts, and a repeated key is an error. */
export function readYamlDocument(text: string): SuiteDocument {
  const deep = findDeepYaml(text)
  if (deep !== undefined || mayNestInLine(text)) {
    const start = deep ?? 0
    return refuse(text, {
      message: 'The file is nested too deeply',
      span: { start, end: start + 1 },
    })
  }
  const yaml = require('yaml') as typeof import('yaml')
  const document = yaml.parseDocument(text, { prettyErrors: false, version: '1.2' })
  const [error] = document.errors
  if (error) {
    const [start, end] = error.pos
    const [message = ''] = error.message.split('\n')
    return refuse(text, { message, span: { start, end: Math.max(end, start + 1) } })
  }
  let data: Plain
  try {
    data = copyPlain(document.toJS({ maxAliasCount: 100 }) as unknown)
  } catch (thrown) {
    return refuse(text, { message: (thrown as Error).message, span: { start: 0, end: 1 } })
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    const message = 'Expected a mapping of keys to values'
    return refuse(text, { message, span: { start: 0, end: 1 } })
  }
  return {
    text,
    data,
    problem: undefined,
    locate: (path, what) => locateNode(document, path, what ?? 'value'),
  }
}

function refuse(text: string, problem: SyntaxProblem): SuiteDocument {
  return { text, data: {}, problem, locate: () => problem.span }
}

/** Copies parsed values into objects without a prototype; dates become texts. */
function copyPlain(value: unknown): Plain {
  let rest = MAX_VALUES
  const copy = (part: unknown): Plain => {
    rest -= 1
    if (rest < 0) throw new Error('The file expands to too many values')
    if (Array.isArray(part)) return part.map(copy)
    if (typeof part === 'bigint') return Number(part)
    if (typeof part !== 'object' || part === null) return (part ?? null) as Plain
    const result = Object.create(null) as PlainObject
    for (const [key, each] of Object.entries(part)) result[key] = copy(each)
    return result
  }
  return copy(value)
}

function locateNode(document: Document, path: DocumentPath, what: 'key' | 'value'): Span {
  for (let length = path.length; length > 0; length--) {
    const steps = path.slice(0, length)
    // The value of an ancestor may span half the file, so its key is used.
    const found = findSpan(document, steps, length === path.length ? what : 'key')
    if (found) return found
  }
  return { start: 0, end: 0 }
}

function findSpan(document: Document, path: DocumentPath, what: 'key' | 'value'): Span | undefined {
  const last = path.at(-1)
  const parent = (
    path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  ) as { items?: readonly (Pair | Node)[] } | undefined
  const { items } = parent ?? {}
  if (!items) return undefined
  if (typeof last === 'number') return readNodeRange(items[last] as Node | undefined)
  const pair = (items as readonly Pair[]).find(
    ({ key }) => String((key as { value?: unknown } | null)?.value) === last,
  )
  if (!pair) return undefined
  return readNodeRange(pair[what] as Node | null) ?? readNodeRange(pair.key as Node | null)
}

function readNodeRange(node: Node | null | undefined): Span | undefined {
  const range = node?.range
  return range ? { start: range[0], end: Math.max(range[1], range[0] + 1) } : undefined
}
