import { createRequire } from 'node:module'
import stringWidth from 'fast-string-width'
import type { Span } from '../../skills/manifest/source.ts'
import { NO_FACTS, type CodeFacts, type CodeProblem } from './code-facts.ts'
import { readTree } from './javascript-facts.ts'
import { listSourceTypes, parseAs, ParserLimit } from './javascript-parser.ts'
import { blankText, findDecorator, maskConstruct } from './masked-typescript.ts'

type Stripper = typeof import('@swc/wasm-typescript')

/** Removes types by the package that the runtime uses. */
export interface TypeStripper {
  strip(text: string, path: string): { code: string } | StripProblem
}

interface StripProblem {
  code: 'UnsupportedSyntax' | 'InvalidSyntax'
  message: string
  startLine: number
  startColumn: number
  endLine: number
  endColumn: number
}

export function openTypeStripper(): TypeStripper {
  const require = createRequire(import.meta.url)
  const main = require.resolve('@swc/wasm-typescript')
  let loaded: Stripper | undefined
  return {
    strip(text, path) {
      loaded ??= require(main) as Stripper
      const isCommonJs = path.endsWith('.cts')
      const options = { mode: 'strip-only', filename: path, ...(isCommonJs && { module: false }) }
      try {
        return loaded.transformSync(text, options as Parameters<Stripper['transformSync']>[1])
      } catch (thrown) {
        if (isStripProblem(thrown)) return thrown
        // The module's memory is not usable after a crash.
        loaded = undefined
        delete require.cache[main]
        throw new ParserLimit(thrown instanceof Error ? thrown.message : String(thrown))
      }
    },
  }
}

function isStripProblem(thrown: unknown): thrown is StripProblem {
  const { code, startLine } = (thrown ?? {}) as Partial<StripProblem>
  return (code === 'UnsupportedSyntax' || code === 'InvalidSyntax') && startLine !== undefined
}

/**
 * Parses TypeScript: types become blanks of the same length, so the spans of the rest are those of
 * the file. A construct that is more than a type, which a run compiles, is blanked too.
 */
export function parseTypeScript(
  acorn: typeof import('acorn'),
  stripper: TypeStripper,
  { path, text }: { path: string; text: string },
): CodeFacts {
  const facts = { language: 'typescript', ...NO_FACTS } as const
  const stripped = stripUntilClean(stripper, { path, text })
  if ('message' in stripped) return { ...facts, problem: stripped }
  let { code, masked } = stripped
  for (;;) {
    const tree = parseAs(acorn, code, listSourceTypes(path))
    if (!('message' in tree)) {
      const read = { ...facts, ...readTree(tree, text) }
      // A construct that is not read, such as an enum, may define names.
      const isWhole = masked === 0 && !/^\s*declare\b/m.test(text)
      return isWhole ? read : { ...read, undefinedNames: [], exports: undefined }
    }
    const decorator = findDecorator(code, tree.span.start)
    if (!decorator) return { ...facts, problem: tree }
    masked = countMasked(masked)
    code = blankText(code, decorator)
  }
}

/** Limit on constructs per file: after each, the file is parsed again. */
const MAX_MASKED = 200

function countMasked(masked: number): number {
  if (masked < MAX_MASKED) return masked + 1
  throw new ParserLimit(`more than ${MAX_MASKED} enums, decorators and the like`)
}

/** Replaces types by blanks, and constructs that are more than types, which are counted. */
export function stripUntilClean(
  stripper: TypeStripper,
  { path, text }: { path: string; text: string },
): { code: string; masked: number } | CodeProblem {
  let rest = text
  for (let masked = 0; ; masked = countMasked(masked)) {
    const stripped = stripper.strip(rest, path)
    if (!('message' in stripped)) return { ...stripped, masked }
    const span = locateProblem(rest, stripped)
    const next = maskConstruct(rest, span)
    if (stripped.code === 'InvalidSyntax' || next === rest) {
      return { message: shortenMessage(stripped.message), span }
    }
    rest = next
  }
}

/** Removes the list of all tokens that would be valid. */
function shortenMessage(message: string): string {
  const [first = ''] = message.split('\n')
  const short = first.replace(/\. Expected .{80,}$/s, '')
  return short.replaceAll('`', '"').replace('"<eof>"', 'end of the file').replace(/\.$/, '')
}

/** Converts lines and columns; columns are those of a terminal in which a tab has four. */
function locateProblem(text: string, problem: StripProblem): Span {
  const start = locateColumn(text, problem.startLine, problem.startColumn)
  return { start, end: Math.max(start, locateColumn(text, problem.endLine, problem.endColumn)) }
}

function locateColumn(text: string, line: number, column: number): number {
  let at = line === 1 && text.startsWith('\uFEFF') ? 1 : 0
  for (let current = 1; current < line; current++) {
    const newline = text.indexOf('\n', at)
    if (newline === -1) return text.length
    at = newline + 1
  }
  for (let width = 0; width < column && at < text.length && text[at] !== '\n';) {
    const character = String.fromCodePoint(text.codePointAt(at) as number)
    width += character === '\t' ? 4 : stringWidth(character)
    at += character.length
  }
  return at
}
