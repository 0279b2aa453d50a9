import type { Span } from '../../skills/manifest/source.ts'
import { readTomlLayout, type TomlBlock, type TomlPair } from './toml-layout.ts'

/** A value in its notation, and its path. */
export interface TomlEntry {
  path: readonly string[]
  value: string
}

/**
 * Texts with one value set, best first; everything else in the text is unchanged. A text may be
 * invalid, since TOML allows a table only one notation: the caller uses the first valid one.
 */
export function* listTextsWithValue(text: string, { path, value }: TomlEntry): Generator<string> {
  const blocks = readTomlLayout(text)
  const parent = path.slice(0, -1)
  const pairs = blocks.flatMap((block) => block.pairs)
  const existing = pairs.find((pair) => isSamePath(pair.path, path))
  if (existing) return yield replaceText(text, existing.value, value)
  const byDepth = blocks.toSorted((a, b) => b.path.length - a.path.length)
  const above = byDepth.filter((block) => isSamePath(block.path, path.slice(0, block.path.length)))
  const addTo = (block: TomlBlock, after?: TomlPair) =>
    addLine(text, { block, after }, `${formatTomlKey(path.slice(block.path.length))} = ${value}`)
  for (const block of above.filter(({ kind }) => kind === 'inline')) {
    yield addInline(text, block, `${formatTomlKey(path.slice(block.path.length))} = ${value}`)
  }
  for (const block of above) {
    if (block.kind !== 'inline' && isSamePath(block.path, parent)) yield addTo(block)
  }
  for (const pair of pairs) {
    if (pair.owner.kind !== 'inline' && isSamePath(pair.path.slice(0, -1), parent)) {
      yield addTo(pair.owner, pair)
    }
  }
  if (parent.length > 0)
    yield appendTable(text, parent, `${formatTomlKey(path.slice(-1))} = ${value}`)
  for (const block of above) if (block.kind !== 'inline') yield addTo(block)
}

export function isSamePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, at) => name === b[at])
}

export function replaceText(text: string, { start, end }: Span, by: string): string {
  return text.slice(0, start) + by + text.slice(end)
}

function formatTomlKey(path: readonly string[]): string {
  return path.map((name) => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name))).join('.')
}

function findLineFeed(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

function addInline(text: string, { span, pairs }: TomlBlock, line: string): string {
  const last = pairs.at(-1)
  if (!last) return replaceText(text, span, `{ ${line} }`)
  return replaceText(text, { start: last.span.end, end: last.span.end }, `, ${line}`)
}

/** Adds a line after a pair, which defaults to the last one, or below the header. */
function addLine(
  text: string,
  { block, after = block.pairs.at(-1) }: { block: TomlBlock; after?: TomlPair | undefined },
  line: string,
): string {
  if (!after && block.kind === 'top') return addFirstLine(text, line)
  const indent = after ? (/[ \t]*$/.exec(text.slice(0, after.span.start))?.[0] ?? '') : ''
  const end = findValueLineEnd(text, (after ?? block).span.end)
  return replaceText(text, { start: end, end }, `${findLineFeed(text)}${indent}${line}`)
}

/** Adds a line above the first table and its comment, but below a comment that begins the file. */
function addFirstLine(text: string, line: string): string {
  const feed = findLineFeed(text)
  const header = /^[ \t]*\[/m.exec(text)
  if (!header) {
    const gap = text === '' || text.endsWith('\n') ? '' : feed
    return `${text}${gap}${line}${feed}`
  }
  const comment = /(?<=^|\n)(?:[ \t]*#[^\n]*\n)*$/.exec(text.slice(0, header.index))
  const above = header.index - (comment?.[0].length ?? 0)
  const start = above <= (text.startsWith('\uFEFF') ? 1 : 0) ? header.index : above
  return replaceText(text, { start, end: start }, `${line}${feed}${feed}`)
}

function appendTable(text: string, path: readonly string[], line: string): string {
  const feed = findLineFeed(text)
  const gap = text.trim() === '' ? '' : text.endsWith('\n') ? feed : feed + feed
  return `${text}${gap}[${formatTomlKey(path)}]${feed}${line}${feed}`
}

function findValueLineEnd(text: string, from: number): number {
  const feed = text.indexOf('\n', from)
  if (feed === -1) return text.length
  return text[feed - 1] === '\r' ? feed - 1 : feed
}
