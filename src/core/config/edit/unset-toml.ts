import { isSamePath, replaceText } from './set-toml.ts'
import { readTomlLayout, type TomlBlock, type TomlPair } from './toml-layout.ts'

/** Text without one value, and without its table if nothing else is in it. */
export function removeTomlValue(text: string, path: readonly string[]): string | undefined {
  const blocks = readTomlLayout(text)
  const pair = blocks.flatMap(({ pairs }) => pairs).find((each) => isSamePath(each.path, path))
  if (!pair) return undefined
  if (pair.owner.kind === 'inline') return removeInline(text, pair)
  const start = text.lastIndexOf('\n', pair.span.start - 1) + 1
  const without = replaceText(text, { start, end: findNextLine(text, pair.span.end) }, '')
  return pair.owner.kind === 'header' && pair.owner.pairs.length === 1
    ? removeEmptyTable(without, pair.owner)
    : without
}

function removeInline(text: string, pair: TomlPair): string {
  const { pairs } = pair.owner
  const at = pairs.indexOf(pair)
  const [before, after] = [pairs[at - 1], pairs[at + 1]]
  if (after) return replaceText(text, { start: pair.span.start, end: after.span.start }, '')
  if (before) return replaceText(text, { start: before.span.end, end: pair.span.end }, '')
  return replaceText(text, pair.owner.span, '{}')
}

/** Removes a header and the blank line above it, unless comments stand below it. */
function removeEmptyTable(text: string, { span }: TomlBlock): string {
  const start = text.lastIndexOf('\n', span.start) + 1
  const end = findNextLine(text, span.end)
  const isCommented = text.slice(span.end, end).includes('#')
  const nextLine = /^\s*(.?)/.exec(text.slice(end))?.[1] ?? ''
  if (isCommented || (nextLine !== '' && nextLine !== '[')) return text
  const blank = /(?:^|\n)(\r?\n)$/.exec(text.slice(0, start))?.[1] ?? ''
  return replaceText(text, { start: start - blank.length, end }, '')
}

function findNextLine(text: string, from: number): number {
  const feed = text.indexOf('\n', from)
  return feed === -1 ? text.length : feed + 1
}
