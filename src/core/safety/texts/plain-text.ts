import type { Span } from '../../skills/manifest/source.ts'

/** A text as a model reads it: without invisible characters, with lookalikes as ASCII. */
export interface PlainText {
  text: string
  toSpan(start: number, end: number): Span
}

const INVISIBLE =
  /[\u00AD\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]|[\uFE00-\uFE0F]|[\u{E0000}-\u{E01EF}]/gu
const MAY_DIFFER =
  /[\u00AD\u0370-\u04FF\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\uFF01-\uFF5E]|[\uFE00-\uFE0F]|\uDB40/

const LOOKALIKE = 'асеіјорѕхуАВЕКМНОРСТХІЈЅαονρτΑΒΕΗΙΚΜΝΟΡΤΧ'
const LETTER = 'aceijopsxyABEKMHOPCTXIJSaovptABEHIKMNOPTX'

/** Removes invisible characters and replaces lookalikes in words that also have Latin letters. */
export function toPlainText(source: string): PlainText {
  if (!MAY_DIFFER.test(source)) {
    return { text: source, toSpan: (start, end) => ({ start, end }) }
  }
  const latin = source
    .replace(/[A-Za-z\u0370-\u04FF]+/g, (word) =>
      /[A-Za-z]/.test(word) && /[\u0370-\u04FF]/.test(word)
        ? word.replace(/[\u0370-\u04FF]/g, (letter) => LETTER[LOOKALIKE.indexOf(letter)] ?? letter)
        : word,
    )
    .replace(/[\uFF01-\uFF5E]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
  const removed: { at: number; length: number }[] = []
  let text = ''
  let from = 0
  for (const { 0: mark, index } of latin.matchAll(INVISIBLE)) {
    text += latin.slice(from, index)
    from = index + mark.length
    removed.push({ at: text.length, length: mark.length })
  }
  return { text: text + latin.slice(from), toSpan: createMapping(removed) }
}

function createMapping(removed: readonly { at: number; length: number }[]): PlainText['toSpan'] {
  if (removed.length === 0) return (start, end) => ({ start, end })
  const shift = (offset: number) => {
    let sum = 0
    for (const { at, length } of removed) {
      if (at > offset) break
      sum += length
    }
    return offset + sum
  }
  return (start, end) => ({ start: shift(start), end: Math.max(shift(end), shift(start)) })
}
