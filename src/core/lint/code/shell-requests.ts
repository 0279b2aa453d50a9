import type { Assignment, Command, Word, WordPart } from 'unbash'
import type { NetworkRequest } from './code-facts.ts'
import { findOrigin, type TextPrefix } from './url-origin.ts'

/** Values by variable; undefined for one that is assigned more than once. */
export type ShellValues = ReadonlyMap<string, Word | undefined>

/** The request of `curl` or `wget`; undefined for other commands. */
export function findShellRequest(
  { name, args }: Command,
  values: ShellValues,
  text: string,
): NetworkRequest | undefined {
  const call = name?.value ?? ''
  if (!name || !/^(?:curl|wget)$/.test(call)) return undefined
  const words = args.filter(isWord)
  if (words.every(({ value }) => /^(?:-V|--version|-h|--help)$/.test(value))) return undefined
  const addresses = words.filter(
    (_, index) => !OPTIONS_WITH_OTHER_URL.test(words[index - 1]?.value ?? ''),
  )
  for (const word of addresses) {
    const prefix = findWordPrefix(word, values)
    const found = prefix && findOrigin(prefix, text)
    if (found) return { call, ...found }
  }
  return { call, origin: undefined, span: { start: name.pos, end: name.end } }
}

/** Options whose value may be an address that is not requested. */
const OPTIONS_WITH_OTHER_URL =
  /^(?:-H|--header|-d|--data(?:-\w+)?|--json|-e|--referer|-A|--user-agent|-F|--form|-o|--output|-O|-b|--cookie|-x|--proxy)$/

function isWord(argument: Word | Assignment): argument is Word {
  return argument.type === 'Word'
}

/** Limit on variables that are followed to a literal. */
const MAX_STEPS = 8

function findWordPrefix(word: Word, values: ShellValues, steps = 0): TextPrefix | undefined {
  const parts = word.parts
  if (!parts)
    return { text: word.value, isComplete: true, span: { start: word.pos, end: word.end } }
  const flat = parts.flatMap((part): readonly WordPart[] =>
    part.type === 'DoubleQuoted' ? part.parts : [part],
  )
  const [first, second] = flat
  if (!first) return undefined
  const literal = getLiteral(first)
  const span = { start: first.pos, end: first.end }
  if (literal !== undefined) return { text: literal, isComplete: flat.length === 1, span }
  const value = findValue(first, values)
  const prefix = value && steps < MAX_STEPS ? findWordPrefix(value, values, steps + 1) : undefined
  if (!prefix?.isComplete || !second) return prefix
  return { ...prefix, isComplete: /^[/?#]/.test(getLiteral(second) ?? '') }
}

function getLiteral(part: WordPart): string | undefined {
  return part.type === 'Literal' || part.type === 'SingleQuoted' ? part.value : undefined
}

function findValue(part: WordPart, values: ShellValues): Word | undefined {
  if (part.type === 'SimpleExpansion') return values.get(part.text.slice(1))
  const isPlain =
    part.type === 'ParameterExpansion' && !part.operation && !part.prefix && !part.index
  if (isPlain) return values.get(part.parameter)
  return undefined
}
