/** Comments, strings and statements of code, found without a parser: also in pieces of code. */
export interface CutCode {
  /** The code with comments as blanks; offsets are those of the source. */
  code: string
  comments: readonly { start: number; end: number }[]
  strings: readonly { start: number; end: number }[]
}

type CommentStyle = 'hash' | 'slash' | 'both'

const TOKENS: Readonly<Record<CommentStyle, RegExp>> = {
  hash: /"""|'''|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|(?<![\w$&{\\])#[^\n]*/g,
  slash:
    /\/\*|(?<![:\w"'\\])\/\/[^\n]*|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|`(?:[^`\\]|\\[^])*`?/g,
  both: /"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|(?<![\w$&{\\:])(?:#|\/\/)[^\n]*/g,
}

const SLASH_LANGUAGES =
  /^(?:[cm]?[jt]sx?|javascript|typescript|java|go|rs|rust|c|cpp|cs|csharp|swift|kotlin|kt|php|dart|scala|jsonc?|json5)$/
const HASH_LANGUAGES =
  /^(?:py|python3?|sh|bash|zsh|fish|shell|console|rb|ruby|pl|perl|ya?ml|toml|r|ps1|powershell|makefile|dockerfile|env|ini|cfg|conf)$/

/** Cuts code of a language by the name of its fence or its file extension. */
export function cutCode(source: string, language: string): CutCode {
  const style: CommentStyle = SLASH_LANGUAGES.test(language)
    ? 'slash'
    : HASH_LANGUAGES.test(language)
      ? 'hash'
      : 'both'
  const comments: { start: number; end: number }[] = []
  const strings: { start: number; end: number }[] = []
  const token = new RegExp(TOKENS[style])
  for (let match = token.exec(source); match; match = token.exec(source)) {
    const [mark] = match
    const start = match.index
    const closer = mark === '/*' ? '*/' : mark === '"""' || mark === "'''" ? mark : undefined
    let end = start + mark.length
    if (closer !== undefined) {
      const found = source.indexOf(closer, end)
      end = found === -1 ? source.length : found + closer.length
      token.lastIndex = end
    }
    const isComment = mark === '/*' || /^(?:#|\/\/)/.test(mark)
    ;(isComment ? comments : strings).push({ start, end })
  }
  let code = ''
  let from = 0
  for (const { start, end } of comments) {
    code += source.slice(from, start) + source.slice(start, end).replace(/[^\n]/g, ' ')
    from = end
  }
  return { code: code + source.slice(from), comments, strings }
}

/** A statement: a line, with the lines after it while a bracket is open or a backslash ends it. */
export interface Statement {
  text: string
  start: number
}

const MAX_LINES = 60
const MAX_STATEMENT = 6000

/** Splits code into statements. */
export function splitStatements(code: string): Statement[] {
  const statements: Statement[] = []
  let open: Statement | undefined
  let depth = 0
  let lines = 0
  let at = 0
  for (const line of code.split('\n')) {
    const start = at
    at += line.length + 1
    if (line.trim() === '' && !open) continue
    if (open) open.text += `\n${line}`
    else open = { text: line, start }
    lines += 1
    depth += countBrackets(line)
    const continues = (depth > 0 || /(?:\\|\|)\s*$/.test(line)) && lines < MAX_LINES
    if (continues && open.text.length < MAX_STATEMENT) continue
    statements.push(...cutLong(open))
    open = undefined
    depth = 0
    lines = 0
  }
  if (open) statements.push(...cutLong(open))
  return statements
}

function countBrackets(line: string): number {
  let depth = 0
  const bare = line.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '')
  for (const mark of bare) {
    if (mark === '(' || mark === '[') depth += 1
    else if (mark === ')' || mark === ']') depth -= 1
  }
  return depth
}

/** Cuts a minified line into pieces that overlap. */
function cutLong({ text, start }: Statement): Statement[] {
  if (text.length <= MAX_STATEMENT) return [{ text, start }]
  const pieces: Statement[] = []
  for (let at = 0; at < text.length && pieces.length < 100; at += MAX_STATEMENT - 500) {
    pieces.push({ text: text.slice(at, at + MAX_STATEMENT), start: start + at })
  }
  return pieces
}
