import type { SkillFile } from '../../skills/manifest/source.ts'
import type { CodeFacts, ParsedLanguage } from './code-facts.ts'
import { ParserLimit, parseJavaScript } from './javascript-parser.ts'
import { parseShell } from './shell-facts.ts'
import { openTypeStripper, parseTypeScript, type TypeStripper } from './typescript-parser.ts'

/** Parsers of the languages other than Python. Each package is loaded with its first file. */
export interface CodeParsers {
  /** Loads the packages that the languages need; parsing is synchronous afterwards. */
  load(languages: ReadonlySet<ParsedLanguage>): Promise<void>
  /** Facts about a file; a text if the parser gave up. */
  parse(language: ParsedLanguage, path: string, text: string): CodeFacts | { failure: string }
}

export function openCodeParsers(): CodeParsers {
  let acorn: typeof import('acorn') | undefined
  let unbash: typeof import('unbash') | undefined
  let stripper: TypeStripper | undefined
  return {
    async load(languages) {
      if (languages.has('shell')) unbash ??= await import('unbash')
      if (languages.has('typescript')) stripper ??= openTypeStripper()
      if (languages.has('typescript') || languages.has('javascript'))
        acorn ??= await import('acorn')
    },
    parse(language, path, text) {
      try {
        if (language === 'shell' && unbash) return parseShell(unbash, text)
        if (language === 'javascript' && acorn) return parseJavaScript(acorn, path, text)
        if (acorn && stripper) return parseTypeScript(acorn, stripper, { path, text })
        return { failure: 'it is not loaded' }
      } catch (thrown) {
        if (thrown instanceof ParserLimit || thrown instanceof RangeError) {
          return { failure: thrown.message }
        }
        throw thrown
      }
    },
  }
}

/** Language of a file by its extension; undefined for other files. */
export function findParsedLanguage({ path, type, size }: SkillFile): ParsedLanguage | undefined {
  if (type !== 'file' || size > MAX_PARSED_BYTES) return undefined
  const extension = /\.(?:([cm]?js)|([cm]?ts)|sh|bash)$/.exec(path)
  if (!extension || path.endsWith('.d.ts') || /\.d\.[cm]ts$/.test(path)) return undefined
  return extension[1] ? 'javascript' : extension[2] ? 'typescript' : 'shell'
}

const MAX_PARSED_BYTES = 512 * 1024
