import type { ExecuteParams } from '../methods/runtime-execute/definition.ts'
import { findUnclosedQuote } from './unclosed-quote.ts'

type QuotingParams = Pick<ExecuteParams, 'runtime' | 'code' | 'args'>

/** Finds signs that text was changed to pass through shell quoting, and suggests alternatives. */
export function findQuotingWarnings(params: QuotingParams): string[] {
  return [
    warnAboutLongArgument(params),
    warnAboutBase64(params),
    warnAboutOpenQuote(params),
    warnAboutHereString(params),
  ].filter((warning) => warning !== undefined)
}

function warnAboutLongArgument(params: QuotingParams): string | undefined {
  if (findInlineProgram(params)?.includes('\n') !== true) return undefined
  return 'A program of several lines is passed as an argument: pass it as "code"'
}

const INLINE_OPTION = /^(?:-e|-p|-c|-r|-pe|--eval|--print)(?:=([^]*))?$/

/** Returns the program that is passed in an option such as `-e`. */
function findInlineProgram({ code, args = [] }: QuotingParams): string | undefined {
  if (code !== undefined) return undefined
  const at = args.findIndex((each) => INLINE_OPTION.test(each))
  if (at === -1) return undefined
  return INLINE_OPTION.exec(args[at] as string)?.[1] ?? args[at + 1]
}

function warnAboutBase64({ runtime, code = '', args = [] }: QuotingParams): string | undefined {
  const start = args.map((each) => each.slice(0, MAX_SCANNED_CHARS))
  const texts = [...start, ...(runtime === 'shell' ? [code] : [])]
  if (!texts.some((text) => BASE64_DECODERS.some((each) => each.test(text)))) return undefined
  const advice = 'give text as "stdin", and programs as "code", as they are'
  return `Base64 is decoded to get around quoting: ${advice}`
}

/** Characters of an argument that are scanned: all arguments together can have megabytes. */
const MAX_SCANNED_CHARS = 16 * 1024

/** All quantifiers are bounded, because code may have a megabyte. */
const BASE64_DECODERS = [
  /\bbase64\b[^\n|;&]{0,80}\s(?:-d|-D|--decode)\b/,
  /\bcertutil\b[^\n]{0,80}-decode\b/i,
  /\batob\s{0,9}\(\s{0,9}['"`]/,
  /\bb64decode\s{0,9}\(\s{0,9}b?['"]/,
  /['"`]\s{0,9},\s{0,9}['"`]base64['"`]/,
  /\bFromBase64String\s{0,9}\(\s{0,9}['"]/i,
]

function warnAboutOpenQuote({ runtime, code = '' }: QuotingParams): string | undefined {
  const quote = runtime === 'shell' ? findUnclosedQuote(code) : undefined
  if (!quote) return undefined
  const { character, line } = quote
  return `Unbalanced quotes: the ${character} of line ${line} of the code is never closed`
}

/** The quotes of a here-string are not where PowerShell expects them. */
function warnAboutHereString({ runtime, code = '' }: QuotingParams): string | undefined {
  if (runtime !== 'powershell') return undefined
  const lines = code.split('\n')
  const begins = lines.some((line) => /@["'][^\s"'@]/.test(line) && !/["']@["']/.test(line))
  const ends = lines.some((line) => /^\s+["']@(?:\s|$|\))/.test(line))
  if (!begins && !ends) return undefined
  return 'A here-string begins at the end of a line, and ends at the beginning of one'
}
