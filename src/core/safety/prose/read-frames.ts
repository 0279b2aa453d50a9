import { classifyHosts } from '../hosts.ts'
import type { SafetySource } from '../safety-finding.ts'
import type { Signal } from '../signal.ts'
import type { Passage } from '../texts/passage.ts'
import { FAMILIES, type FamilyName } from './families.ts'
import { FRAMES, type Frame, type Slot } from './frames.ts'
import { isShown } from './quotation.ts'
import { splitSentences } from './sentences.ts'

/** Kinds of harm that sentences describe together with what stands around them. */
export function readFrames(skill: SafetySource, passages: readonly Passage[]): Signal[] {
  const paragraphs = passages.filter(isRead).map((passage) => createParagraph(skill, passage))
  return paragraphs.flatMap((paragraph, at) => {
    const scope = new Scope([paragraph])
    const wide = new Scope(paragraphs.slice(Math.max(0, at - 1), at + 2))
    return paragraph.sentences.flatMap((sentence) =>
      FRAMES.flatMap((frame) => matchFrame(frame.isWide ? wide : scope, sentence, frame) ?? []),
    )
  })
}

const TEXT_FILE = /\.(?:md|mdx|mdc|markdown|txt|rst|jsonc?|ya?ml|csv|html?)$|^[A-Z]+$/i

const LICENCE = /(?:^|\/)(?:LICEN[CS]E|COPYING|NOTICE|EULA)/i

function isRead({ file, hiding, isRemark, kind, text }: Passage): boolean {
  if (hiding !== undefined) return text.length >= 25
  if (isRemark || kind === 'code' || !TEXT_FILE.test(file) || LICENCE.test(file)) return false
  return text.length >= 40 && !/^\s*(?:#|---\n)/.test(text)
}

/** Families with a bit each, in two numbers of 30 bits. */
const NAMES = [...FAMILIES.keys()]
const WIDTH = 30

interface Mask {
  low: number
  high: number
}

const BIT: ReadonlyMap<FamilyName, Mask> = new Map(
  NAMES.map((name, at) => [
    name,
    at < WIDTH ? { low: 1 << at, high: 0 } : { low: 0, high: 1 << (at - WIDTH) },
  ]),
)
const BY_WORD: ReadonlyMap<string, Mask> = indexWords()

function indexWords(): Map<string, Mask> {
  const index = new Map<string, Mask>()
  for (const [name, { words }] of FAMILIES) {
    const { low, high } = BIT.get(name) as Mask
    for (const word of words) {
      const known = index.get(word) ?? { low: 0, high: 0 }
      index.set(word, { low: known.low | low, high: known.high | high })
    }
  }
  return index
}

class Sentence {
  readonly text: string
  readonly #mask: Mask = { low: 0, high: 0 }
  readonly #known = new Map<FamilyName, boolean>()
  readonly skill: SafetySource
  readonly passage: Passage
  readonly start: number

  constructor(skill: SafetySource, passage: Passage, start: number, end: number) {
    this.skill = skill
    this.passage = passage
    this.start = start
    this.text = passage.text.slice(start, end).replace(/[\n\r\t]/g, ' ')
    for (const [word] of this.text.toLowerCase().matchAll(/[a-z][a-z-]*[a-z]/g)) {
      const mask = BY_WORD.get(word)
      if (!mask) continue
      this.#mask.low |= mask.low
      this.#mask.high |= mask.high
    }
  }

  has(name: FamilyName): boolean {
    const bit = BIT.get(name)
    if (bit && ((bit.low & this.#mask.low) !== 0 || (bit.high & this.#mask.high) !== 0)) return true
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const found =
      name === 'host'
        ? namesForeignHost(this.skill, this.text)
        : (FAMILIES.get(name)?.phrase?.test(this.text) ?? false)
    this.#known.set(name, found)
    return found
  }

  fills(slot: Slot): boolean {
    return typeof slot === 'string' ? this.has(slot) : slot.some((name) => this.has(name))
  }

  find(slot: Slot): { start: number; end: number } {
    const names = typeof slot === 'string' ? [slot] : slot
    for (const name of names) {
      const family = FAMILIES.get(name)
      const words = new Set(family?.words)
      for (const match of this.text.toLowerCase().matchAll(/[a-z][a-z-]*[a-z]/g)) {
        if (words.has(match[0])) return { start: match.index, end: match.index + match[0].length }
      }
      const found = family?.phrase?.exec(this.text)
      if (found) return { start: found.index, end: found.index + found[0].length }
    }
    return { start: 0, end: this.text.length }
  }
}

interface Paragraph {
  sentences: readonly Sentence[]
}

function createParagraph(skill: SafetySource, passage: Passage): Paragraph {
  return {
    sentences: splitSentences(passage).map(
      ({ start, end }) => new Sentence(skill, passage, start, end),
    ),
  }
}

/** A paragraph with its neighbours. */
class Scope {
  readonly #sentences: readonly Sentence[]
  #asks: boolean | undefined

  constructor(paragraphs: readonly Paragraph[]) {
    this.#sentences = paragraphs.flatMap(({ sentences }) => sentences)
  }

  fills(slot: Slot): boolean {
    return this.#sentences.some((sentence) => sentence.fills(slot))
  }

  /** True if the user decides. */
  asksUser(): boolean {
    return (this.#asks ??= this.#sentences.some(({ text }) => CONSENTED.test(text)))
  }
}

const CONSENTED =
  /\b(?:ask (?:the )?(?:user|owner|person|them|first)|wait for|confirm (?:with|that)|explicit(?:ly)? (?:\w+ ){0,2}(?:confirm|consent|approv|yes|agree|ask|request)\w*|(?:after|with|until|unless|once|if|when|only) (?:the )?(?:\w+ )?(?:user|owner|approval|confirmation|consent|permission)[’']?s?\b[^.]{0,40}\b(?:confirm|agree|approv|consent|ask|want|request|say|choose|decide|allow|permission)\w*|user (?:decides|chooses|agrees|confirms|approves)|leave[^.]{0,40}to the user|never (?:send|share|store|type|read|put|run|write|do|change|act|approve|pay|post|delete)\w*|the user who decides)\b/i

const HOST_SIGN = /:\/\/|@|\d\.\d{1,3}\.\d|\\\\\w|\.(?:example|test|com|net|org|io|dev|app|xyz|invalid)\b/
const BARE_HOST =
  /[\w.+-]+@((?:[\w-]+\.)+[a-z]{2,12})\b|\b((?:\d{1,3}\.){3}\d{1,3})\b|(?<![\w/.-])((?:[a-z0-9-]+\.)+(?:example|test|invalid|com|net|org|io|dev|site|xyz|app|cloud|me|ai|co|info|onion|ru|cn|de))\b/gi

function namesForeignHost(skill: SafetySource, text: string): boolean {
  if (!HOST_SIGN.test(text)) return false
  const bare = [...text.matchAll(BARE_HOST)].map(
    (match) => `https://${match.slice(1).find(Boolean) ?? ''}/`,
  )
  const kind = classifyHosts(skill, `${text} ${bare.join(' ')}`)
  return kind === 'odd' || kind === 'unknown' || kind === 'named'
}

function matchFrame(scope: Scope, sentence: Sentence, frame: Frame): Signal | undefined {
  if (process.env['DBG'] && frame.sentence.every((slot) => sentence.fills(slot))) { // DBG
    const { skill, passage, text, start } = sentence // DBG
    console.log(frame.class, frame.sentence.join('+'), 'NEAR', (frame.near ?? []).map((s) => [s.toString(), scope.fills(s)]).join(' '), 'consent', scope.asksUser(), 'neg', isNegated(text, sentence.find(frame.sentence[0] as Slot)), 'quote', isShown(skill, passage, { sentence: text, at: start, ...sentence.find(frame.sentence[0] as Slot), isNegative: false, countsQuotes: false }), '|', text.slice(0, 90)) // DBG
  } // DBG
  if (!frame.sentence.every((slot) => sentence.fills(slot))) return undefined
  if (frame.near?.every((slot) => scope.fills(slot)) === false) return undefined
  const { skill, passage, text, start } = sentence
  if (scope.asksUser() || frame.unless?.test(text)) return undefined
  const found = sentence.find(frame.sentence[0] as Slot)
  if (isNegated(text, found)) return undefined
  const match = { sentence: text, at: start, ...found, isNegative: false, countsQuotes: false }
  if (isShown(skill, { ...passage, text: passage.text.replaceAll('`', ' ') }, match)) return undefined
  const isDescribed = frame.describedBy?.test(skill.manifest.description) === true
  return {
    class: frame.class,
    severity: isDescribed ? 'info' : frame.severity,
    certainty: 'likely',
    file: passage.file,
    ...passage.toSpan(start + found.start, start + found.end),
    message: frame.message,
    help: frame.help,
    hiding: passage.hiding,
    isDescribed,
  }
}

/** True if a negation stands right before or after the word. */
function isNegated(text: string, { start, end }: { start: number; end: number }): boolean {
  const lead = text.slice(Math.max(0, start - 40), start)
  return NEGATED.test(lead) || /^ (?:no|never|nothing|not)\b/i.test(text.slice(end, end + 10))
}

const NEGATED =
  /\b(?:never|not|cannot|can['’]t|[a-z]+n['’]t|avoid|refuses? to|without|no|nor|rather than|instead of|forbid\w*|prohibit\w*) (?:[\w-]+ ){0,2}$/i
