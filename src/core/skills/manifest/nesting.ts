/**
 * Levels that a manifest may have. Recursive parsers do not throw where a text nests too deeply for
 * them, they can take the process down; so depth is judged before they see a text.
 */
const MAX_NESTING = 200

/** The offset at which brackets nest too deeply; those inside texts count as well. */
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

/** The same for YAML, where a line can also open many lists: `- - - x`. */
export function findDeepYaml(text: string): number | undefined {
  const deep = findDeepNesting(text)
  if (deep !== undefined) return deep
  for (const line of text.matchAll(MARKERS)) {
    const markers = line[0].match(/[-?:](?=[ \t]|$)/g)?.length ?? 0
    if (markers > MAX_NESTING) return line.index + line[0].length - 1
  }
  return undefined
}

/** Whether a line has so many markers that a forgiving parser could read them as nested. */
export function mayNestInLine(yaml: string): boolean {
  return yaml.split('\n').some((line) => (line.match(/[-?:][ \t]/g)?.length ?? 0) > MAX_NESTING)
}

/** List and key markers with nothing but blanks and properties such as `&a` between them. */
const MARKERS = /(?<![^\s])(?:[-?:][ \t]+|[&!*][^\s]*[ \t]+){100,}/g

/** The same for TOML, where a dotted key opens a table for each of its parts. */
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

/** Texts and comments as a whole, and the characters that matter outside of them. */
const TOKENS =
  /"""(?:[^\\"]|\\[\s\S]|"(?!""))*"{0,5}|'''(?:[^']|'(?!''))*'{0,5}|"(?:[^\\"\n]|\\.)*"?|'[^'\n]*'?|#[^\n]*|[[\]{}.,\n]/g
