// Counts words and names that CONTRIBUTING.md rules out, and fails where a limit is exceeded. --list prints
// every place. Limits are lowered when a count falls, never raised.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { countComments, readDeclarations } from './words/read-source.ts'

const SRC = fileURLToPath(new URL('../src/', import.meta.url))
const DIALECT = /\b(?:who|whoever|whom|nobody|somebody|anybody|told|said|anew)\b/i
const VAGUE_OPENING = /^(?:What|Where|Of|Who|Whoever|That which)\b/

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(?:ts|mjs|js|py|sh)$/.test(file))
  .sort()
  .map((file) => ({ file, text: readFileSync(`${SRC}${file}`, 'utf8') }))

const comments = files.flatMap(({ file, text }) =>
  countComments(file, text).map((comment) => ({ ...comment, file })),
)
const declarations = files.flatMap(({ file, text }) =>
  readDeclarations(file, text).map((declaration) => ({ ...declaration, file })),
)

/** Names that are declared in several files, with the files. */
function findRepeated(kind, atLeast) {
  const byName = new Map()
  for (const { name, file } of declarations.filter((each) => each.kind === kind))
    byName.set(name, new Set([...(byName.get(name) ?? []), file]))
  return [...byName]
    .filter(([, places]) => places.size >= atLeast)
    .map(([name, places]) => `${name}: ${[...places].join(', ')}`)
}

const place = ({ file, line, text }) => `src/${file}:${line} ${text}`
const checks = [
  {
    what: 'comment lines with words such as "who" or "told"',
    found: comments.filter(({ text }) => DIALECT.test(text)).map(place),
    limit: 10,
  },
  {
    what: 'comments that begin with "What", "Where", "Of" or "Who"',
    found: comments.filter(({ text, isFirst }) => isFirst && VAGUE_OPENING.test(text)).map(place),
    limit: 0,
  },
  {
    what: 'functions named xOf',
    found: declarations
      .filter(({ kind, name }) => kind !== 'type' && /[a-z]Of$/.test(name))
      .map(({ file, name }) => `src/${file} ${name}`),
    limit: 0,
  },
  { what: 'type names declared in several files', found: findRepeated('type', 2), limit: 0 },
  {
    what: 'private functions named alike in three or more files',
    found: findRepeated('private function', 3),
    limit: 0,
  },
]

for (const { what, found, limit } of checks) {
  const isExceeded = found.length > limit
  console.log(`${isExceeded ? 'too many' : 'ok'}: ${found.length} ${what}, at most ${limit}`)
  if (isExceeded || process.argv.includes('--list'))
    for (const each of found) console.log(`  ${each}`)
  if (isExceeded) process.exitCode = 1
}
