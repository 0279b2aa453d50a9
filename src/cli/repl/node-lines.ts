import type { Options } from 'acorn'

type JavaScriptParser = typeof import('acorn')

const OPTIONS = { ecmaVersion: 'latest', allowAwaitOutsideFunction: true } as const
const UNTERMINATED = /^Unterminated (?:template|comment)/

/** True if the code can be continued on the next line. Nothing is executed. */
export function isNodeOpen(acorn: JavaScriptParser, text: string): boolean {
  const problems = (['module', 'script'] as const).map((sourceType) =>
    parseWith(acorn, text, { ...OPTIONS, sourceType }),
  )
  return problems.every((problem) => problem !== undefined && isAtEnd(problem, text))
}

function isAtEnd({ message, pos }: ParseProblem, text: string): boolean {
  return UNTERMINATED.test(message) || pos >= text.trimEnd().length
}

interface ParseProblem {
  message: string
  pos: number
}

function parseWith(
  acorn: JavaScriptParser,
  text: string,
  options: Options,
): ParseProblem | undefined {
  try {
    acorn.parse(text, options)
    return undefined
  } catch (error) {
    const { message, pos = 0 } = error as Partial<ParseProblem> & Error
    return { message, pos }
  }
}
