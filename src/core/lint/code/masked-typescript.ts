import type { Span } from '../../skills/manifest/source.ts'

/** Length of `private readonly ` before a parameter; the reported span begins at its name. */
function measureModifiers(text: string, { start }: Span): number {
  const before = text.slice(Math.max(0, start - 200), start)
  return /(?:\b(?:public|private|protected|readonly|override)\s+)*$/.exec(before)?.[0].length ?? 0
}

/** The text without a construct that is more than a type. An enum keeps its name, which the file may export. */
export function maskConstruct(text: string, span: Span): string {
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

/** The span of the decorator at an offset, with its arguments in brackets. */
export function findDecorator(code: string, start: number): Span | undefined {
  const name = /^@\s*[A-Za-z_$][\w$.]*/.exec(code.slice(start, start + 500))
  if (!name) return undefined
  const from = start + name[0].length
  return { start, end: code[from] === '(' ? findClosingBracket(code, from) : from }
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
