import { SKILL_LANGUAGES } from '../../core/skills/manifest/skill-languages.ts'

/** A fenced block of code in a model's answer. */
export interface ExtractedCode {
  /** Name that `run_code` accepts, for a language that it runs; otherwise as written, in lower case. */
  language: string
  code: string
  /** Text after the opening fence. */
  info: string
  /** Offsets of the block in the answer, fences included. */
  start: number
  end: number
  /** False if the answer ends inside the block, as a cut answer does. */
  isClosed: boolean
}

const OPENING = /^([ \t]*)(`{3,}|~{3,})[ \t]*([^\n]*?)[ \t]*\r?$/

/**
 * Finds the fenced blocks of an answer, in their order. A block ends with a fence of the same
 * characters that is at least as long. Blocks in lists lose their indentation.
 */
export function extractCode(
  answer: string,
  languages?: string | readonly string[],
): ExtractedCode[] {
  const wanted =
    languages === undefined ? undefined : new Set([languages].flat().map(normalizeLanguage))
  const blocks = findBlocks(answer)
  return wanted ? blocks.filter(({ language }) => wanted.has(language)) : blocks
}

function findBlocks(answer: string): ExtractedCode[] {
  const blocks: ExtractedCode[] = []
  let open:
    | { indent: string; fence: string; info: string; start: number; lines: string[] }
    | undefined
  let at = 0
  for (const line of answer.split('\n')) {
    const start = at
    at += line.length + 1
    if (open && isClosing(line, open.fence)) {
      blocks.push(toBlock(open, { end: start + line.length, isClosed: true }))
      open = undefined
    } else if (open) open.lines.push(removeIndent(line.replace(/\r$/, ''), open.indent))
    else open = readOpening(line, start)
  }
  if (open) blocks.push(toBlock(open, { end: answer.length, isClosed: false }))
  return blocks
}

function readOpening(line: string, start: number) {
  const [, indent = '', fence = '', info = ''] = OPENING.exec(line) ?? []
  // A line with further backticks is code in a sentence.
  if (fence === '' || (fence.startsWith('`') && info.includes('`'))) return undefined
  return { indent, fence, info, start, lines: [] as string[] }
}

function isClosing(line: string, fence: string): boolean {
  const text = line.trim()
  return text.length >= fence.length && text === (fence[0] as string).repeat(text.length)
}

function removeIndent(line: string, indent: string): string {
  let length = 0
  while (length < indent.length && /[ \t]/.test(line[length] ?? '')) length++
  return line.slice(length)
}

function toBlock(
  { info, start, lines }: { info: string; start: number; lines: readonly string[] },
  ending: { end: number; isClosed: boolean },
): ExtractedCode {
  const code = lines.length === 0 ? '' : `${lines.join('\n')}\n`
  return { language: normalizeLanguage(info), code, info, start, ...ending }
}

/** The first word of an info string, such as `python` of `python {title="a.py"}`. */
function normalizeLanguage(info: string): string {
  const word = /^[{.]*([\w+#.-]*)/.exec(info.trim())?.[1]?.toLowerCase() ?? ''
  const known = SKILL_LANGUAGES.find(({ name, aliases }) => name === word || aliases.includes(word))
  return known?.name ?? word
}
