/**
 * Maximum nesting of a manifest. Recursive parsers crash the process on deeper nesting instead of
 * throwing, so depth is checked before parsing.
 */
const MAX_NESTING = 200

/** Offset at which brackets exceed the maximum nesting; brackets inside strings count as well. */
export function findDeepNesting(text: string): number | undefined {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth = Math.max(0, depth - 1)
    if (depth > MAX_NESTING) return at
  }
  return undefined
}

/** Same for YAML, in which one line can open many lists: `- - - x`. */
export function findDeepYaml(text: string): number | undefined {
  const deep = findDeepNesting(text)
  if (deep !== undefined) return deep
  for (const line of text.matchAll(MARKERS)) {
    const markers = line[0].match(/[-?:](?=[ \t]|$)/g)?.length ?? 0
    if (markers > MAX_NESTING) return line.index + line[0].length - 1
  }
  return undefined
}

/** True if one line has so many markers that a lenient parser could treat them as nested. */
export function mayNestInLine(yaml: string): boolean {
  return yaml.split('\n').some((line) => (line.match(/[-?:][ \t]/g)?.length ?? 0) > MAX_NESTING)
}

/** List and key markers, separated only by blanks and properties such as `&a`. */
const MARKERS = /(?<![^\s])(?:[-?:][ \t]+|[&!*][^\s]*[ \t]+){100,}/g

/** Same for TOML, in which a dotted key opens a table for each of its parts. */
export function findDeepToml(text: string): number | undefined {
  const open: number[] = []
  let depth = 0
  let dots = 0
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (token === '.') dots += 1
    else if (token === '[' || token === '{') {
      open.push(dots + 1)
      depth += dots + 1
      dots = 0
    } else if (token === ']' || token === '}') {
      depth -= open.pop() ?? 0
      dots = 0
    } else if (token === ',' || (token === '\n' && open.length === 0)) dots = 0
    if (depth + dots > MAX_NESTING) return index
  }
  return undefined
}

/** Matches strings and comments as a whole, and significant characters outside of them. */
const TOKENS =
  /"""(?:[^\\"]|\\[\s\S]|"(?!""))*"{0,5}|'''(?:[^']|'(?!''))*'{0,5}|"(?:[^\\"\n]|\\.)*"?|'[^'\n]*'?|#[^\n]*|[[\]{}.,\n]/g
