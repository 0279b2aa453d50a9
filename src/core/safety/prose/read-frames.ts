import { memoize } from '../../../util/memoize.ts'
import type { Span } from '../../skills/manifest/source.ts'
import { classifyHosts } from '../hosts.ts'
import type { SafetySource } from '../safety-finding.ts'
import type { Signal } from '../signal.ts'
import type { Passage } from '../texts/passage.ts'
import { DATA_FRAMES } from './data-frames.ts'
import { EFFECT_FRAMES } from './effect-frames.ts'
import { FAMILIES, type FamilyName } from './families.ts'
import { findFamilies, holds, meets, toMask, type Mask } from './family-mask.ts'
import type { HarmFrame, Slot } from './frame.ts'
import { isShown } from './quotation.ts'
import { splitSentences } from './sentences.ts'
import { NETWORK_WORDS } from './subjects.ts'

/** Frames with the families that their sentence needs. */
const MASKED = [...DATA_FRAMES, ...EFFECT_FRAMES].map((frame) => ({
  frame,
  masks: frame.sentence.map(toMask),
}))

/** Kinds of harm that sentences describe together with what stands around them. */
export function readFrames(skill: SafetySource, passages: readonly Passage[]): Signal[] {
  const paragraphs = passages
    .filter(isRead)
    .map((passage) =>
      splitSentences(passage).map((span) => new FramedSentence(skill, passage, span)),
    )
  return paragraphs.flatMap((paragraph, at) =>
    paragraph.flatMap((sentence) => {
      if (!sentence.isOrder) return []
      const meant = MASKED.filter(({ masks }) => masks.every((mask) => meets(mask, sentence.open)))
      return meant.flatMap(({ frame }) => {
        if (!frame.sentence.every((slot) => sentence.fills(slot))) return []
        const scope = frame.isWide
          ? paragraphs.slice(Math.max(0, at - 1), at + 2).flat()
          : paragraph.filter((each) => Math.abs(each.start - sentence.start) <= REACH)
        return matchFrame(scope, sentence, frame) ?? []
      })
    }),
  )
}

/** Distance within a paragraph at which sentences belong together. */
const REACH = 600

/** Least letters of a sentence, and of a passage. */
const SHORTEST = 40
/** Encoded and invisible texts are short. */
const SOME_WORDS = /(?:[\w'’]{1,30}[^\w'’]{1,20}){4}/
const SEVEN_WORDS = /(?:[\w'’]{1,30}[^\w'’]{1,20}){7}/

const TEXT_FILE = /\.(?:md|mdx|mdc|markdown|txt|rst|jsonc?|ya?ml|csv|html?)$|^[A-Z]+$/i
const LICENCE = /(?:^|\/)(?:LICEN[CS]E|COPYING|NOTICE|EULA)/i

/** A remark that speaks to the agent. */
const ADDRESSED =
  /\b(?:assistants?|agents?|AI|models?|LLMs?|to the \w+)\s?:|\byou(?:['’]re| are) now\b|\bdear \w+,/i

function isRead({ file, hiding, isRemark, kind, text }: Passage): boolean {
  if (hiding !== undefined) return text.length >= SHORTEST / 2
  if (text.length < SHORTEST) return false
  if (isRemark && !ADDRESSED.test(text)) return false
  if (kind === 'code' || (!isRemark && !TEXT_FILE.test(file)) || LICENCE.test(file)) return false
  return !/^\s*#/.test(text) && !/^---\n\w+:/.test(text)
}

class FramedSentence {
  readonly skill: SafetySource
  readonly passage: Passage
  readonly start: number
  readonly text: string
  /** Families that it may have. */
  readonly open: Mask
  readonly #held: Mask
  /** True if it is long enough to say what is done with what. */
  readonly isOrder: boolean
  #known: Map<FamilyName, boolean> | undefined

  constructor(skill: SafetySource, passage: Passage, { start, end }: Span) {
    this.skill = skill
    this.passage = passage
    this.start = start
    this.text = passage.text.slice(start, end).replace(/[\n\r\t]/g, ' ')
    const { held, open } = findFamilies(this.text.toLowerCase())
    this.#held = held
    this.open = open
    this.isOrder =
      passage.hiding === 'encoded' || passage.hiding === 'invisible'
        ? SOME_WORDS.test(this.text)
        : this.text.length >= SHORTEST && SEVEN_WORDS.test(this.text)
  }

  has(name: FamilyName): boolean {
    if (holds(this.#held, name)) return true
    if (!holds(this.open, name)) return false
    this.#known ??= new Map()
    const known = this.#known.get(name) ?? this.#matches(name)
    this.#known.set(name, known)
    return known
  }

  #matches(name: FamilyName): boolean {
    if (name === 'host') return namesForeignHost(this.skill, this.text)
    return (FAMILIES.get(name)?.phrase?.exec(this.text) ?? null) !== null
  }

  fills(slot: Slot): boolean {
    return typeof slot === 'string' ? this.has(slot) : slot.some((name) => this.has(name))
  }
}

/** The words by which a sentence fills a slot. */
function findSlot(text: string, slot: Slot): { start: number; end: number } {
  for (const name of typeof slot === 'string' ? [slot] : slot) {
    const family = FAMILIES.get(name)
    for (const { 0: word, index } of text.toLowerCase().matchAll(/[a-z\d-]+/g)) {
      if (family?.words.includes(word)) return { start: index, end: index + word.length }
    }
    const found = family?.phrase?.exec(text)
    if (found) return { start: found.index, end: found.index + found[0].length }
  }
  return { start: 0, end: text.length }
}

const HOST_SIGN =
  /:\/\/|@|\d\.\d{1,3}\.\d|\\\\\w|\.(?:example|test|invalid|com|net|org|io|dev|app|xyz|site|me|cloud|ai|co)\b/
/** A dot of a host that is written out. */
const SPELT_DOT = /(?<=\w)(?: dot |\[\.\]|\(\.\)| \[dot\] | \(dot\) )(?=\w)/gi
const BARE_HOST =
  /[\w.+-]+@((?:[\w-]+\.)+[a-z]{2,12})\b|\b((?:\d{1,3}\.){3}\d{1,3})\b|(?<![\w/.-])((?:[a-z0-9-]+\.)+(?:example|test|invalid|com|net|org|io|dev|site|xyz|app|cloud|me|ai|co|info|onion|ru|cn|de))\b/gi

function namesForeignHost(skill: SafetySource, text: string): boolean {
  if (!HOST_SIGN.test(text) && !SPELT_DOT.test(text)) return false
  const spelt = text.replace(SPELT_DOT, '.')
  const bare = [...spelt.matchAll(BARE_HOST)].map(
    (match) => `https://${match.slice(1).find(Boolean) ?? ''}/`,
  )
  const kind = classifyHosts(skill, `${spelt} ${bare.join(' ')}`)
  return kind === 'odd' || kind === 'unknown' || kind === 'named'
}

function matchFrame(
  scope: readonly FramedSentence[],
  sentence: FramedSentence,
  frame: HarmFrame,
): Signal | undefined {
  if (!isMeant(scope, sentence, frame)) return undefined
  const { skill, passage, text, start } = sentence
  const found = findSlot(text, frame.sentence[0] as Slot)
  if (isNegated(text, found)) return undefined
  const match = { sentence: text, at: start, ...found, isNegative: false, countsQuotes: false }
  if (isShown(skill, { ...passage, text: passage.text.replaceAll('`', ' ') }, match))
    return undefined
  const isDescribed = frame.describedBy?.test(skill.manifest.description) === true
  return {
    class: frame.class,
    severity: isDescribed ? 'info' : weigh(frame, passage),
    certainty: 'likely',
    file: passage.file,
    ...passage.toSpan(start + found.start, start + found.end),
    message: frame.message,
    help: frame.help,
    hiding: passage.hiding,
    isDescribed,
    // The surroundings have been weighed already.
    ...(frame.near && { isFixed: true }),
  }
}

/** True if the surroundings of a sentence complete the frame, and no one is asked. */
function isMeant(
  scope: readonly FramedSentence[],
  { skill, text, passage }: FramedSentence,
  { isHidden, isLocal, near = [], unless }: HarmFrame,
): boolean {
  if (isHidden && passage.hiding === undefined && !DATA.test(passage.language)) return false
  if (isLocal && passage.hiding === undefined && NETWORK_WORDS.test(skill.manifest.description))
    return false
  if (!near.every((slot) => scope.some((each) => each.fills(slot)))) return false
  return unless?.test(text) !== true && !scope.some(asksUser)
}

/** Data, which people seldom read. */
const DATA = /^(?:jsonc?|ya?ml|toml|csv)$/

/** The severity of a frame; what readers do not see is no oversight. */
function weigh({ severity, near }: HarmFrame, { hiding }: Passage): HarmFrame['severity'] {
  const isSeen = hiding === undefined || hiding === 'alt text'
  return isSeen || !near ? severity : 'error'
}

/** True if the user decides. */
const asksUser = memoize(({ text }: FramedSentence): boolean => CONSENTED.test(text))

const CONSENTED =
  /\b(?:ask (?:the )?(?:user|owner|person|them|first)(?! (?:for|to (?:type|enter)))|wait for|confirm (?:with|that)|explicit(?:ly)? (?:\w+ ){0,2}(?:confirm|consent|approv|yes|agree|ask|request)\w*|(?:after|with|until|unless|once|if|when|only) (?:the )?(?:\w+ )?(?:user|owner|approval|confirmation|consent|permission)[’']?s?\b[^.]{0,40}\b(?:confirm|agree|approv|consent|ask|want|request|say|choose|decide|allow|permission)\w*|user (?:decides|chooses|agrees|confirms|approves)|leave[^.]{0,40}to the user|never (?:send|share|store|type|read|put|run|write|do|change|act|approve|pay|post|delete)s?\b|never (?:sent|shared|typed|stored|read|written|asked)\b|never asks? for (?:it|them|the|a|your|any)\b|the user who decides)\b/i

/** True if a negation stands right before or after the word. */
function isNegated(text: string, { start, end }: { start: number; end: number }): boolean {
  const lead = text.slice(Math.max(0, start - 40), start)
  return (
    NEGATED.test(lead) ||
    BARRED.test(text) ||
    /^ (?:no|never|nothing|not)\b/i.test(text.slice(end, end + 10))
  )
}

const NEGATED =
  /\b(?:never|not|cannot|can['’]t|[a-z]+n['’]t|avoid|refuses? to|without|no|nor|rather than|instead of|forbid\w*|prohibit\w*) (?:[\w-]+ ){0,2}$/i

/** A rule of what not to do. */
const BARRED = /^\W*(?:✗|✘|❌|🚫|(?:don['’]t|do not|never|avoid)\b)/iu
