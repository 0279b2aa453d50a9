/** Begin a block that ends with an empty line. */
const BLOCK =
  /^(?:(?:async\s+)?(?:def|class|for|while|if|try|with)\b|match\s+[^=\s].*:\s*(?:#.*)?$|@)/
/** Continue the block before them. */
const CONTINUATION = /^(?:else|elif|except|finally|case)\b|^[)\]}]/
/** A header with its statement on the same line. */
const WHOLE_HEADER = /:\s*[^\s#]/
const TOKEN = /"""|'''|["']|#|\\\r?\n|\\|[()[\]{}]|\n/

/** True if a bracket, a string or a line is continued on the next line. */
export function isPythonOpen(text: string): boolean {
  const token = new RegExp(TOKEN, 'g')
  let depth = 0
  let at = 0
  while (at < text.length) {
    token.lastIndex = at
    const found = token.exec(text)
    if (!found) break
    const [mark] = found
    at = found.index + mark.length
    if (mark === '#') at = skipComment(text, at)
    else if (/^["']/.test(mark)) {
      const end = findStringEnd(text, at, mark)
      if (end === undefined) return mark.length === 3
      at = end
    } else if (mark === '\\') return at === text.length
    else if ('([{'.includes(mark)) depth += 1
    else if (')]}'.includes(mark)) depth -= 1
  }
  return depth > 0
}

/** True if the statement has a block, which can have more lines. */
export function beginsPythonBlock(text: string): boolean {
  return BLOCK.test(text.split('\n', 1)[0] ?? '')
}

/** True if this line, after a block in a pipe, is the next statement. */
export function endsPythonBlock(block: string, line: string): boolean {
  if (line.trim() === '' || /^\s/.test(line) || CONTINUATION.test(line)) return false
  const last = block.split('\n').findLast((each) => each.trim() !== '') ?? ''
  return /^\s/.test(last) || (!last.startsWith('@') && WHOLE_HEADER.test(last))
}

function skipComment(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

/** Undefined if the string does not end. One of a single quote ends with its line at the latest. */
function findStringEnd(text: string, from: number, quote: string): number | undefined {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at += 1
    else if (text.startsWith(quote, at)) return at + quote.length
    else if (quote.length === 1 && text[at] === '\n') return at
  }
  return quote.length === 1 && !text.endsWith('\\') ? text.length : undefined
}
