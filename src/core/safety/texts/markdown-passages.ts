import type { Hiding, Passage } from './passage.ts'
import { toPlainText } from './plain-text.ts'

type AddPassage = (part: PassagePart) => void

interface PassagePart {
  start: number
  end: number
  kind?: Passage['kind']
  language?: string
  hiding?: Hiding
  isQuote?: boolean
}

/** Cuts a Markdown document into blocks, each with its headings and the text before it. */
export function cutMarkdown(file: string, source: string): Passage[] {
  const passages: Passage[] = []
  const reader: BlockReader = {
    source,
    titles: [],
    intro: '',
    lead: '',
    hidden: findHiddenElements(source),
  }
  const add: AddPassage = (part) => {
    const { start, end, kind = 'prose', language = '', hiding, isQuote = false } = part
    const plain = toPlainText(source.slice(start, end))
    if (plain.text.trim() === '') return
    passages.push({
      file,
      text: plain.text,
      kind,
      language,
      headings: reader.titles.filter(Boolean).join(' / '),
      intro: reader.intro,
      hiding,
      isQuote,
      toSpan: (from, to) => shiftSpan(plain.toSpan(from, to), start),
    })
  }
  readBlocks(reader, add)
  return passages
}

function shiftSpan({ start, end }: { start: number; end: number }, by: number) {
  return { start: start + by, end: end + by }
}

interface BlockReader {
  source: string
  titles: string[]
  /** The paragraph before a list or a code block. */
  intro: string
  /** Text of the last block. */
  lead: string
  /** Elements that a style sheet hides. */
  hidden: RegExp | undefined
}

const FENCE = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])?[ \t]*(`{3,}|~{3,})[ \t]*([^\s`]*)/
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/
const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+/
const ROW = /^[ \t]*\|/
/** Limit on the distance to the end of a comment. */
const MAX_COMMENT = 50_000

interface OpenPassage {
  start: number
  end: number
  isItem: boolean
}

function readBlocks(reader: BlockReader, add: AddPassage): void {
  const { source } = reader
  let block: OpenPassage | undefined
  for (let at = 0; at < source.length;) {
    const line = readLine(source, at)
    const end = at + line.length
    const next = readSpecial(reader, { line, at, end, block }, add)
    if (next !== undefined) {
      block = undefined
      at = next
      continue
    }
    const isBlank = line.trim() === ''
    const isItem = ITEM.test(line)
    if (block && (isBlank || isItem || ROW.test(line))) {
      addBlock(reader, block, add)
      block = undefined
    }
    if (!isBlank) block = block ? { ...block, end } : { start: at, end, isItem }
    at = end + 1
  }
  if (block) addBlock(reader, block, add)
}

/** Reads a fence, a comment or a heading, which end the block before; returns the next offset. */
function readSpecial(
  reader: BlockReader,
  {
    line,
    at,
    end,
    block,
  }: { line: string; at: number; end: number; block: OpenPassage | undefined },
  add: AddPassage,
): number | undefined {
  const fence = FENCE.exec(line)
  const comment = line.indexOf('<!--')
  const heading = HEADING.exec(line)
  if (!fence && comment === -1 && !heading) return undefined
  if (block) addBlock(reader, block, add)
  if (fence) {
    const [, mark = '', language = ''] = fence
    return addFence(reader, { from: end + 1, fence: mark, language }, add)
  }
  if (comment !== -1) return addComment(reader, { at, end, comment: at + comment }, add)
  const [, marks = '#', title = ''] = heading ?? []
  setTitle(reader, marks.length, title)
  add({ start: at, end })
  return end + 1
}

function readLine(source: string, at: number): string {
  const end = source.indexOf('\n', at)
  return source.slice(at, end === -1 ? source.length : end)
}

function setTitle(reader: BlockReader, level: number, title: string): void {
  reader.titles = reader.titles.slice(0, level - 1)
  for (let at = reader.titles.length; at < level - 1; at++) reader.titles[at] = ''
  reader.titles[level - 1] = title
  reader.intro = ''
  reader.lead = ''
}

/** Blanks before text that is far to the right: a reader does not scroll there. */
const PADDING = /[ \t\u00A0\u2000-\u200A\u3000]{120,}(?=\S)/

/** Elements that a page does not show. */
const UNSEEN =
  'display:\\s*none|visibility:\\s*hidden|font-size:\\s*(?:0|1px)|opacity:\\s*0(?![.\\d])|color:\\s*(?:white|#fff\\b|#ffffff|transparent)|(?:left|top|text-indent):\\s*-\\d{3,}|max-height:\\s*0'
const STYLED = new RegExp(
  `<[a-z]\\w*\\s[^>]{0,300}(?<!background-)(?:${UNSEEN})|<(?:div|span|p)\\s[^>]{0,200}\\shidden\\b`,
  'i',
)
const HIDING_RULE = new RegExp(
  `[.#]([\\w-]+)[^{}<]{0,80}\\{[^{}]{0,300}(?<!background-)(?:${UNSEEN})`,
  'gi',
)

/** Elements whose class or name a style sheet of the document hides. */
function findHiddenElements(source: string): RegExp | undefined {
  if (!/<style/i.test(source)) return undefined
  const names = [...source.matchAll(HIDING_RULE)].map(([, name = '']) => name)
  if (names.length === 0) return undefined
  return new RegExp(
    `<[a-z]\\w*\\s[^>]{0,300}(?:class|id)=["']?[^"'>]{0,100}(?<![\\w-])(?:${names.join('|')})(?![\\w-])`,
    'i',
  )
}
/** A definition of a link that nothing uses, as a comment. */
const REMARK = /^ {0,3}\[(?:\/\/|comment|_|#)?[^\]\n]{0,20}\]:\s*(?:#|<>|\/\/)\s/i

/** Texts of pictures, links and elements that a page shows on demand, if at all. */
const SPOKEN =
  /!\[([^\]\n]{12,600})\]\(|\b(?:alt|title|aria-label|aria-description|data-[\w-]{1,30}|content)=(?:"([^"\n]{12,600})"|'([^'\n]{12,600})')|\]\([^()\s]{1,200} "([^"\n]{12,600})"\)/g

function addBlock(reader: BlockReader, { start, end, isItem }: OpenPassage, add: AddPassage): void {
  const text = reader.source.slice(start, end)
  const isPart = isItem || text.trimStart().startsWith('|')
  if (!isPart) reader.intro = reader.lead
  addText(reader, { text, start }, add)
  for (const alt of text.matchAll(SPOKEN)) {
    const words = alt.slice(1).find(Boolean) ?? ''
    const from = start + alt.index + alt[0].indexOf(words)
    add({ start: from, end: from + words.length, hiding: 'alt text' })
  }
  if (!isPart) reader.intro = text.slice(-400)
  reader.lead = text.slice(-400)
}

/** Adds the text of a block, with what stands far to the right as a part of its own. */
function addText(
  { hidden }: BlockReader,
  { text, start }: { text: string; start: number },
  add: AddPassage,
): void {
  const isQuote = /^[ \t]*>/.test(text)
  const isStyled = STYLED.test(text) || hidden?.test(text) === true
  const hiding = isStyled ? 'style' : REMARK.test(text) ? 'comment' : undefined
  const padded = PADDING.exec(text)
  const cut = padded ? padded.index : text.length
  add({ start, end: start + cut, isQuote, ...(hiding && { hiding }) })
  if (!padded) return
  const from = start + cut + padded[0].length
  add({ start: from, end: start + text.length, hiding: 'far to the right' })
}

function addFence(
  reader: BlockReader,
  { from, fence, language }: { from: number; fence: string; language: string },
  add: AddPassage,
): number {
  const { source } = reader
  const closing = new RegExp(`^[ \\t>]*${fence[0]}{${fence.length},}[ \\t]*$`, 'm')
  const rest = source.slice(from)
  const found = closing.exec(rest)
  const end = found ? from + found.index : source.length
  const before = reader.intro
  reader.intro = reader.lead || before
  add({ start: from, end, kind: 'code', language: language.toLowerCase() })
  reader.intro = before
  return found ? from + found.index + found[0].length + 1 : source.length
}

function addComment(
  reader: BlockReader,
  { at, end, comment }: { at: number; end: number; comment: number },
  add: AddPassage,
): number {
  const { source } = reader
  if (comment > at) addBlock(reader, { start: at, end: comment, isItem: false }, add)
  const limit = Math.min(source.length, comment + MAX_COMMENT)
  const found = source.slice(comment, limit).indexOf('-->')
  const close = found === -1 ? end : comment + found
  add({ start: comment + 4, end: close, hiding: 'comment' })
  return found === -1 ? end + 1 : close + 3
}
