/** A part of a request, or a signature, into which code visibly writes a secret. */
export type SecretSink =
  /** As in `in` of a secret: `header:Authorization`, `query:key`. */
  | { kind: 'place'; place: string; line: number }
  | { kind: 'signature'; scheme: 'sigv4' | 'hmac' | 'jwt'; line: number }

const MAX_LINES = 20_000
/** Longer lines are generated. */
const MAX_LINE = 500
const MAX_VARIABLES = 20

/**
 * Finds where a text sends a secret, by its variables and line by line. The list is not complete: code
 * that passes the value on by other ways has no sink.
 */
export function findSecretSinks(text: string, name: string): SecretSink[] {
  if (!text.includes(name)) return []
  const lines = text.split('\n', MAX_LINES).map((line) => (line.length > MAX_LINE ? '' : line))
  const value = `(?:${findVariables(lines, name).map(escapeRegExp).join('|')})(?![\\w$])`
  const patterns = createPatterns(value)
  const found = new Map<string, SecretSink>()
  for (const [index, line] of lines.entries()) {
    if (/^\s*(?:#|\/\/|\*)/.test(line)) continue
    for (const sink of findInLine(line, patterns)) {
      const key = sink.kind === 'place' ? sink.place.toLowerCase() : sink.scheme
      if (!found.has(key)) found.set(key, { ...sink, line: index + 1 })
    }
  }
  return [...found.values()]
}

/** Places of a secret; undefined if there are none, or if code signs with it. */
export function findSecretPlaces(texts: readonly string[], name: string): string[] | undefined {
  const sinks = texts.flatMap((text) => findSecretSinks(text, name))
  if (sinks.some(({ kind }) => kind === 'signature')) return undefined
  const places = sinks.flatMap((each) => (each.kind === 'place' ? [each.place] : []))
  return places.length === 0 ? undefined : [...new Set(places)]
}

/** The name itself, and variables that get its value from the environment. */
function findVariables(lines: readonly string[], name: string): string[] {
  const read = new RegExp(
    `^\\s*(?:const |let |var |export )?([A-Za-z_$][\\w$]*)\\s*(?::[^=]{1,40})?=\\s*(?:await )?["']?(?:os\\.|process\\.env|\\$\\{?|getenv)[^;#]*\\b${name}\\b`,
  )
  const variables = lines.flatMap((line) => read.exec(line)?.[1] ?? [])
  return [...new Set([name, ...variables])].slice(0, MAX_VARIABLES)
}

function createPatterns(value: string) {
  const before = `[^\\n,;]{0,120}?(?<!\\w)`
  return {
    header: new RegExp(
      `(?<![\\w-])(authorization|[a-z][\\w-]{0,40}(?<=-)(?:key|token|secret|auth|signature))["'\`]?\\]?\\s*(?:=>|[:=,])${before}${value}`,
      'gi',
    ),
    query: new RegExp(`[?&]([\\w.-]{1,60})=(?:\\$?\\{?|["'\`]\\s*\\+\\s*)${value}`, 'g'),
    hmac: new RegExp(`(?:\\bhmac\\.(?:new|digest)|\\bcreateHmac)\\s*\\(.{0,80}(?<!\\w)${value}`),
    jwt: new RegExp(`\\b(?:jwt\\.(?:encode|sign)|SignJWT)\\s*\\(.{0,120}(?<!\\w)${value}`),
    sigv4: new RegExp(
      `\\b(?:aws_secret_access_key|secretAccessKey)["'\`]?\\s*[:=].{0,80}(?<!\\w)${value}`,
    ),
  }
}

type SinkKind =
  | { kind: 'place'; place: string }
  | { kind: 'signature'; scheme: 'sigv4' | 'hmac' | 'jwt' }

function findInLine(line: string, patterns: ReturnType<typeof createPatterns>): SinkKind[] {
  const schemes = (['sigv4', 'hmac', 'jwt'] as const).filter((each) => patterns[each].test(line))
  if (schemes.length > 0) return schemes.map((scheme) => ({ kind: 'signature', scheme }))
  return (['header', 'query'] as const).flatMap((kind) =>
    [...line.matchAll(patterns[kind])].map((match): SinkKind => {
      const name = match[1] ?? ''
      return {
        kind: 'place',
        place: `${kind}:${/^authorization$/i.test(name) ? 'Authorization' : name}`,
      }
    }),
  )
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}
