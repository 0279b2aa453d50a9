import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { countComments, readDeclarations, type Declaration } from './read-source.ts'

const DIALECT = /\b(?:who|whoever|whom|nobody|somebody|anybody|told|said|anew)\b/i
const VAGUE_OPENING = /^(?:What|Where|Of|Who|Whoever|That which)\b/

export interface WordCheck {
  what: string
  /** Every place that counts, with its file. */
  found: string[]
  /** Lowered when the count falls, never raised. */
  limit: number
}

/** Counts the words and names that CONTRIBUTING.md rules out, in all source files of a folder. */
export function checkWords(folder: string): WordCheck[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:tsx?|mjs|js|py|sh)$/.test(file))
    .toSorted()
    .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }))
  const comments = files.flatMap(({ file, text }) =>
    countComments(file, text).map((comment) => ({ ...comment, place: `${file}:${comment.line}` })),
  )
  const declarations = files.flatMap(({ file, text }) =>
    readDeclarations(file, text).map((declaration) => ({ ...declaration, file })),
  )
  return [
    {
      what: 'comment lines with words such as "who" or "told"',
      found: comments
        .filter(({ text }) => DIALECT.test(text))
        .map(({ place, text }) => `${place} ${text}`),
      limit: 10,
    },
    {
      what: 'comments that begin with "What", "Where", "Of" or "Who"',
      found: comments
        .filter(({ text, isFirst }) => isFirst && VAGUE_OPENING.test(text))
        .map(({ place, text }) => `${place} ${text}`),
      limit: 0,
    },
    {
      what: 'functions named xOf',
      found: declarations
        .filter(({ kind, name }) => kind !== 'type' && /[a-z]Of$/.test(name))
        .map(({ file, name }) => `${file} ${name}`),
      limit: 0,
    },
    {
      what: 'type names declared in several files',
      found: findRepeated(declarations, { kind: 'type', atLeast: 2 }),
      limit: 0,
    },
    {
      what: 'private functions named alike in three or more files',
      found: findRepeated(declarations, { kind: 'private function', atLeast: 3 }),
      limit: 0,
    },
  ]
}

/** Names of a kind that several files declare, with the files. */
function findRepeated(
  declarations: readonly (Declaration & { file: string })[],
  { kind, atLeast }: { kind: Declaration['kind']; atLeast: number },
): string[] {
  const byName = new Map<string, Set<string>>()
  for (const { name, file } of declarations.filter((each) => each.kind === kind))
    byName.set(name, (byName.get(name) ?? new Set()).add(file))
  return [...byName]
    .filter(([, files]) => files.size >= atLeast)
    .map(([name, files]) => `${name}: ${[...files].join(', ')}`)
}
