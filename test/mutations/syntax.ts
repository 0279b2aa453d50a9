import { parseAst } from 'rolldown/parseAst'

/** A node of ESTree with the positions of its text, in UTF-16 code units. */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

export function parseSource(text: string, file: string): SyntaxNode {
  return parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }) as unknown as SyntaxNode
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof (value as SyntaxNode | null)?.type === 'string'
}

/** Returns true if both texts are valid and differ in more than comments, layout and quotes. */
export function isOtherProgram(file: string, before: string, after: string): boolean {
  try {
    return printSyntax(before, file) !== printSyntax(after, file)
  } catch {
    return false
  }
}

function printSyntax(text: string, file: string): string {
  const withoutLayout = (name: string, value: unknown) => {
    if (name === 'start' || name === 'end' || name === 'raw') return undefined
    return typeof value === 'bigint' ? `${value}n` : value
  }
  return JSON.stringify(parseSource(text, file), withoutLayout)
}
