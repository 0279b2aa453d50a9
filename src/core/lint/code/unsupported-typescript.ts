import type { Span } from '../../skills/manifest/source.ts'
import type { UnsupportedSyntax } from './code-facts.ts'

interface Construct {
  /** In the message of the package that strips types. */
  pattern: RegExp
  name: string
  instead: (declared: string) => string
}

const CONSTRUCTS: readonly Construct[] = [
  {
    pattern: /TypeScript enum /,
    name: 'enum',
    instead: (name) => `Write: const ${name} = { … } as const`,
  },
  {
    pattern: /namespace declaration|module declaration/,
    name: 'namespace',
    instead: (name) => `Write: const ${name} = { … }, or move its content to another file`,
  },
  {
    pattern: /parameter property/,
    name: 'parameter property',
    instead: (name) =>
      `Declare the field in the class, and assign it in the constructor: this.${name} = ${name}`,
  },
  {
    pattern: /import equals/,
    name: 'import … = require(…)',
    instead: (name) => `Write: import ${name} from '…'`,
  },
  {
    pattern: /export assignment/,
    name: 'export =',
    instead: () => 'Write: export default …',
  },
  {
    pattern: /angle-bracket/,
    name: '<T> assertion',
    instead: () => 'Write: value as T',
  },
]

/** A refused construct by the message of the package that strips types; undefined if unknown. */
export function describeUnsupported(
  message: string,
  text: string,
  span: Span,
): UnsupportedSyntax | undefined {
  const found = CONSTRUCTS.find(({ pattern }) => pattern.test(message))
  if (!found) return undefined
  const start = span.start - measureModifiers(text, span)
  const written = text.slice(start, span.end)
  const name = NAME.exec(written)?.[1] ?? 'name'
  // A declaration is shown by its first words, not by its whole body.
  const head = /^[^{\n]*[^{\s]/.exec(written)?.[0] ?? written
  return {
    construct: found.name,
    instead: found.instead(name),
    span: { start, end: start + head.length },
  }
}

const NAME =
  /^(?:(?:export|declare|const|public|private|protected|readonly|override)\s+)*(?:(?:enum|namespace|module|import)\s+)?([A-Za-z_$][\w$]*)/

/** Length of `private readonly ` before a parameter; the reported span begins at its name. */
function measureModifiers(text: string, { start }: Span): number {
  const before = text.slice(Math.max(0, start - 200), start)
  return /(?:\b(?:public|private|protected|readonly|override)\s+)*$/.exec(before)?.[0].length ?? 0
}

/** The text without the construct. An enum keeps its name, which the file may export. */
export function maskUnsupported(text: string, span: Span): string {
  const modifiers = measureModifiers(text, span)
  if (modifiers > 0) return blankText(text, { start: span.start - modifiers, end: span.start })
  const written = text.slice(span.start, span.end)
  const assertion = /^<[^<>]*(?:<[^<>]*>[^<>]*)*>/.exec(written)
  if (assertion) return blankText(text, { ...span, end: span.start + assertion[0].length })
  const named = /^((?:export\s+)?)(?:const\s+)?(?:enum|import)\s+([A-Za-z_$][\w$]*)\s*[{=]/.exec(
    written,
  )
  if (!named) return blankText(text, includeExport(text, span))
  const [, exported = '', name = ''] = named
  const declaration = `${exported}var ${name};`
  const rest = { start: span.start + declaration.length, end: span.end }
  return blankText(text.slice(0, span.start) + declaration + text.slice(rest.start), rest)
}

/** Adds `export` before a declaration that is removed as a whole. */
function includeExport(text: string, { start, end }: Span): Span {
  const before = /\bexport\s+$/.exec(text.slice(Math.max(0, start - 100), start))
  return { start: start - (before?.[0].length ?? 0), end }
}

/** Replaces a span by blanks; line feeds are kept. */
export function blankText(text: string, { start, end }: Span): string {
  return text.slice(0, start) + text.slice(start, end).replace(/[^\n]/g, ' ') + text.slice(end)
}

/** The decorator at an offset: its name, and its arguments in brackets. */
export function findDecorator(
  code: string,
  start: number,
): { name: string; span: Span } | undefined {
  const name = /^@\s*([A-Za-z_$][\w$.]*)/.exec(code.slice(start, start + 500))
  if (!name) return undefined
  const from = start + name[0].length
  const end = code[from] === '(' ? findClosingBracket(code, from) : from
  return { name: name[1] as string, span: { start, end } }
}

function findClosingBracket(code: string, from: number): number {
  const tokens = /[()]|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g
  tokens.lastIndex = from
  let depth = 0
  for (let match = tokens.exec(code); match; match = tokens.exec(code)) {
    if (match[0] === '(') depth += 1
    else if (match[0] === ')') depth -= 1
    if (depth === 0) return tokens.lastIndex
  }
  return from
}

export function describeDecorator({ name, span }: { name: string; span: Span }): UnsupportedSyntax {
  const head = { start: span.start, end: Math.min(span.end, span.start + name.length + 1) }
  return {
    construct: 'decorator',
    instead: `Remove it, and call ${name} on the class or function`,
    span: head,
  }
}
