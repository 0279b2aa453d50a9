import { memoize } from '../../../util/memoize.ts'
import { classifyHosts } from '../hosts.ts'
import type { SafetySource } from '../safety-finding.ts'
import type { Signal } from '../signal.ts'
import type { Passage } from '../texts/passage.ts'
import { PARAGRAPH_DATA_INTENTS } from './paragraph-data-intents.ts'
import { PARAGRAPH_EFFECT_INTENTS } from './paragraph-effect-intents.ts'
import type { ParagraphIntent } from './paragraph-intent.ts'
import { isQuotation, isSecuritySkill } from './quotation.ts'
import { NETWORK_WORDS, SUBJECTS } from './subjects.ts'

const TEXT_FILE = /\.(?:md|mdx|markdown|txt|rst|jsonc?|ya?ml|csv|html?)$|^[A-Z]+$/i

/** Longest part of a paragraph that is read as one. */
const MAX_PART = 900

/** Things that paragraphs ask for in several sentences; `known` are signals of the same file. */
export function readParagraphs(
  skill: SafetySource,
  passages: readonly Passage[],
  known: readonly Signal[],
): Signal[] {
  const parts = passages.flatMap((passage) => createParts(skill, passage))
  const signals = parts.flatMap((part) => matchAll(part, MEANT))
  const others = [...known, ...signals].map(({ start }) => start)
  if (others.length === 0) return signals
  // Concealment alone harms no one: it counts near something that it conceals.
  const near = parts.filter(({ passage, start, text }) => {
    const span = passage.toSpan(start, start + text.length)
    return others.some((at) => at > span.start - NEAR && at < span.end + NEAR)
  })
  return [...signals, ...near.flatMap((part) => matchAll(part, CONCEALING))]
}

/** Distance of a paragraph from the signals that it may conceal. */
const NEAR = 800

const PARAGRAPH_INTENTS = [...PARAGRAPH_DATA_INTENTS, ...PARAGRAPH_EFFECT_INTENTS]
const MEANT = PARAGRAPH_INTENTS.filter(({ class: name }) => name !== 'concealment')
const CONCEALING = PARAGRAPH_INTENTS.filter(({ class: name }) => name === 'concealment')

function createParts(skill: SafetySource, passage: Passage): ParagraphPart[] {
  if (passage.isRemark || passage.text.length < 25) return []
  return splitParts(passage).map(({ start, text }) => createPart(skill, passage, { start, text }))
}

function matchAll(part: ParagraphPart, intents: readonly ParagraphIntent[]): Signal[] {
  return intents.flatMap((intent) => matchPart(part, intent) ?? [])
}

interface ParagraphPart {
  skill: SafetySource
  passage: Passage
  /** Offset in the passage. */
  start: number
  text: string
  hasForeignHost(): boolean
  /** True for a file of text, or for hidden text. */
  isText: boolean
  isData: boolean
  isOrder(): boolean
}

const HOST_SIGN = /:\/\/|@|\d\.\d{1,3}\.\d|\\\\\w|\.(?:example|test|com|net|org|io|dev|app|xyz)\b/
const BARE_HOST =
  /[\w.+-]+@((?:[\w-]+\.)+[a-z]{2,12})\b|\b((?:\d{1,3}\.){3}\d{1,3})\b|(?<=\b(?:to|at|via|from|host|server)\s{1,3}[`"'(]?)((?:[a-z0-9-]+\.)+(?:example|test|invalid|com|net|org|io|dev|site|xyz|app|cloud|me|ai|co|info|onion|ru|cn|de))\b/gi

function createPart(
  skill: SafetySource,
  passage: Passage,
  { start, text }: { start: number; text: string },
): ParagraphPart {
  let isForeign: boolean | undefined
  let isSentence: boolean | undefined
  return {
    skill,
    passage,
    start,
    text,
    isText: passage.hiding !== undefined || TEXT_FILE.test(passage.file),
    isData: isData(passage),
    isOrder: () => (isSentence ??= isOrder(passage, text)),
    hasForeignHost: () => (isForeign ??= HOST_SIGN.test(text) && namesForeignHost(skill, text)),
  }
}

function namesForeignHost(skill: SafetySource, text: string): boolean {
  const bare = [...text.matchAll(BARE_HOST)].map(
    (match) => `https://${match.slice(1).find(Boolean) ?? ''}/`,
  )
  const kind = classifyHosts(skill, `${text} ${bare.join(' ')}`)
  return kind === 'odd' || kind === 'unknown' || kind === 'named'
}

function matchPart(part: ParagraphPart, intent: ParagraphIntent): Signal | undefined {
  const { skill, passage, text, start } = part
  if (!concerns(part, intent)) return undefined
  const found = intent.key.exec(text)
  if (!found || !isMeant(part, intent)) return undefined
  if (isNamedOnly(part, intent, found)) return undefined
  const { description } = skill.manifest
  const isDescribed = (intent.describedBy ?? SUBJECTS.keys).test(description)
  return {
    class: intent.class,
    severity: intent.describedBy && isDescribed ? 'info' : intent.severity,
    certainty: 'likely',
    file: passage.file,
    ...passage.toSpan(start + found.index, start + found.index + found[0].length),
    message: intent.message,
    help: intent.help,
    hiding: passage.hiding,
    isDescribed,
    ...(intent.half && { half: intent.half }),
  }
}

/** True for a text of sentences, not of keys and values. */
function isOrder({ kind, file, isQuote }: Passage, text: string): boolean {
  if (kind === 'code' || isQuote || !/\.(?:md|mdx|markdown|txt)$/i.test(file)) return false
  return text.split(/\s+/).length >= 8 && !/^\s*---\n/.test(text)
}

function isData({ file, hiding }: Passage): boolean {
  return hiding !== undefined || /\.(?:jsonc?|ya?ml|toml|csv|tsv|txt|html?|xml|svg)$/i.test(file)
}

/** True if the paragraph quotes or forbids the words; backticks are no quotation marks here. */
function isNamedOnly(
  { skill, passage, text, start }: ParagraphPart,
  intent: ParagraphIntent,
  found: RegExpExecArray,
): boolean {
  if (intent.isData && !isSecuritySkill(skill)) return false
  const { sentence, at } = findSentence(text, found.index)
  const from = found.index - at
  return isQuotation(
    skill,
    { ...passage, text: passage.text.replaceAll('`', ' ') },
    {
      sentence,
      at: start + at,
      start: from,
      end: Math.min(from + found[0].length, sentence.length),
      isNegative: intent.isNegative === true,
      countsQuotes: intent.class === 'instruction-override',
    },
  )
}

/** True if an intent can hold for a place such as this. */
function concerns(part: ParagraphPart, intent: ParagraphIntent): boolean {
  if (intent.isLocal && needsNetwork(part.skill)) return false
  if (intent.needsHost && !part.hasForeignHost()) return false
  if (intent.isText && !part.isText) return false
  if (intent.isData && !part.isData) return false
  if (intent.isOrder && !part.isOrder()) return false
  return true
}

function isMeant({ text }: ParagraphPart, { needs = [], unless }: ParagraphIntent): boolean {
  if (!needs.every((pattern) => pattern.test(text))) return false
  return unless?.test(text.replace(ADDRESS, '$1$2')) !== true
}

/** Addresses, whose words say nothing about the text. */
const ADDRESS = /(https?:\/\/)[^\s`"')>]+|[\w.+-]+(@)[\w.-]+/gi

const needsNetwork = memoize((skill: SafetySource): boolean =>
  NETWORK_WORDS.test(skill.manifest.description),
)

/** The sentence around an offset. */
function findSentence(text: string, index: number): { sentence: string; at: number } {
  const before = Math.max(
    ...['. ', '! ', '? ', '。', '\n\n'].map((mark) => {
      const found = text.lastIndexOf(mark, Math.max(0, index - 1))
      return found === -1 ? 0 : found + mark.length
    }),
  )
  const at = Math.min(before, index)
  const after = /[.!?](?=\s|$)|[。！？]|\n\n/.exec(text.slice(index))
  const end = after ? index + after.index + after[0].length : text.length
  return { sentence: text.slice(at, end).replace(/[\n\r\t]/g, ' '), at }
}

/** Cuts a long passage at its lines; rows of data stand on their own. */
function splitParts({ text, language }: Passage): { start: number; text: string }[] {
  const isRows = /^(?:jsonc?|ya?ml|toml|csv|tsv|env|ini)$/.test(language)
  if (text.length <= MAX_PART && !isRows) return [{ start: 0, text }]
  const parts: { start: number; text: string }[] = []
  let start = 0
  while (start < text.length) {
    const limit = isRows ? text.indexOf('\n', start) + 1 || text.length : start + MAX_PART
    const cut = limit >= text.length ? text.length : text.lastIndexOf('\n', limit)
    const end = isRows || cut > start ? (isRows ? limit : cut + Number(cut < text.length)) : limit
    const stop = Math.min(Math.max(end, start + 1), text.length, start + 4 * MAX_PART)
    if (stop - start >= 25) parts.push({ start, text: text.slice(start, stop) })
    start = stop
  }
  return parts
}
