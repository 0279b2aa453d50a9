import type { Passage } from '../texts/passage.ts'

const MAX_SENTENCE = 700
const SENTENCE_END =
  /[.!?](?=["'”’)\]*_]{0,3}(?:\s|$))|[。！？；]|(?<!\\)\n(?=\s*[-*+|#>]|\s*\d{1,3}[.)])|\n\s*\n/g

/** Splits a passage into sentences; a long one is cut. */
export function splitSentences({ text, language }: Passage): { start: number; end: number }[] {
  const sentences: { start: number; end: number }[] = []
  let start = 0
  const add = (end: number) => {
    for (let at = start; at < end; at += MAX_SENTENCE - 100) {
      sentences.push({ start: at, end: Math.min(end, at + MAX_SENTENCE) })
      if (at + MAX_SENTENCE >= end) break
    }
    start = end
  }
  const ending = /^(?:jsonc?|ya?ml|toml|csv|tsv|env|ini)$/.test(language) ? /\n/g : SENTENCE_END
  for (const match of text.matchAll(ending)) add(match.index + match[0].length)
  if (start < text.length) add(text.length)
  return sentences
}
