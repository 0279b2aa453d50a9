import { classifyHosts, type HostKind } from '../hosts.ts'
import type { SafetySource } from '../safety-finding.ts'
import type { Half, Signal } from '../signal.ts'
import type { Passage } from '../texts/passage.ts'
import { INTENTS } from './intents.ts'
import type { Intent } from './intent.ts'
import { NETWORK_WORDS, SUBJECTS } from './subjects.ts'
import {
  createMask,
  findClasses,
  findMatches,
  type ClassMask,
  type TextClass,
  type WordMatch,
} from './lexicon.ts'
import { isQuotation, type SentenceMatch } from './quotation.ts'
import { splitSentences } from './sentences.ts'

/** Things that a passage tells the agent to do. */
export function readProse(skill: SafetySource, passage: Passage): Signal[] {
  const signals: Signal[] = []
  const lower = passage.text.toLowerCase()
  for (const { start, end } of splitSentences(passage)) {
    const classes = findClasses(lower, start, end)
    if (hasOneClass(classes)) continue
    const meant = MASKED.filter(({ masks }) => masks.some((mask) => isWithin(mask, classes)))
    if (meant.length === 0) continue
    const sentence = createSentence(skill, passage, { start, end, classes })
    for (const intent of meant) {
      const signal = matchIntent(sentence, intent)
      if (signal) signals.push(signal)
    }
  }
  return signals
}

/** True for fewer than two classes, which no intent needs. */
function hasOneClass({ low, high }: ClassMask): boolean {
  const lowIsOne = (low & (low - 1)) === 0
  const highIsOne = (high & (high - 1)) === 0
  return lowIsOne && highIsOne && (low === 0 || high === 0)
}

function isWithin(part: ClassMask, { low, high }: ClassMask): boolean {
  return (part.low & ~low) === 0 && (part.high & ~high) === 0
}

interface Sentence {
  skill: SafetySource
  passage: Passage
  /** Offset in the passage. */
  start: number
  text: string
  classes: ClassMask
  /** Part of the distance in letters that the same words have in signs. */
  density: number
  matches(name: TextClass): readonly WordMatch[]
  hostKind(): HostKind | undefined
}

function createSentence(
  skill: SafetySource,
  passage: Passage,
  { start, end, classes }: { start: number; end: number; classes: ClassMask },
): Sentence {
  const text = passage.text.slice(start, end).replace(/[\n\r\t]/g, ' ')
  const found = new Map<TextClass, readonly WordMatch[]>()
  let host: { kind: HostKind | undefined } | undefined
  return {
    skill,
    passage,
    start,
    text,
    classes,
    density: /[\u3400-\u9FFF]{4}/.test(text) ? 0.4 : 1,
    matches(name) {
      const known = found.get(name) ?? findMatches(name, text)
      found.set(name, known)
      return known
    },
    hostKind: () => (host ??= { kind: classifyNamedHost(skill, text) }).kind,
  }
}

const BARE_HOST =
  /[\w.+-]+@((?:[\w-]+\.)+[a-z]{2,12})\b|\bftps?:\/\/([\w.-]+)|(?<=(?:\b(?:to|at|via|from|an|a|auf|von|to the host|host|server)\s{1,3}|[到从至向]\s{0,2})[`"'(]?)(?:\b(?:\d{1,3}\.){3}\d{1,3}\b|[\w.+-]+@((?:[\w-]+\.)+[a-z]{2,12})\b|\b((?:[a-z0-9-]+\.)+(?:example|test|invalid|com|net|org|io|dev|site|xyz|app|cloud|me|ai|sh|co|info|onion|ru|cn|de))\b(?![\w/]*\())/gi

/** The kind of the host that a sentence names, also without a scheme. */
function classifyNamedHost(skill: SafetySource, text: string): HostKind | undefined {
  const found = classifyHosts(skill, text)
  if (found) return found
  const bare = [...text.matchAll(BARE_HOST)].map(
    (match) => `https://${match.slice(1).find(Boolean) ?? match[0]}/`,
  )
  return bare.length > 0 ? classifyHosts(skill, bare.join(' ')) : undefined
}

/** Intents that need another one near them. */
const HALVES: readonly (Intent & { half: Half })[] = [
  {
    ...createHalf('fetch'),
    words: [
      ['fetch', 'host'],
      ['host', 'orders'],
      ['orders', 'host'],
    ],
    hosts: ['odd', 'unknown', 'named'],
  },
  {
    ...createHalf('obey'),
    words: [
      ['obey', 'orders'],
      ['obey', 'blindly'],
      ['obey', 'obey'],
    ],
    only: /\b(?:it (?:says|contains|returns|gives)|the (?:response|page|returned|fetched|downloaded|document|content)|found there|written there|what is written|contradicts|you (?:find|get|receive)|from (?:it|there)|therein|inside|whatever|in it|returned|received|its (?:instructions|contents?|text)|as (?:instructions|orders|if))\b|anweisungen (?:darin|von dort)|que (?:contenga|indique)|其中|返回/i,
    unless:
      /\bdo not follow|\bdon['’]t follow|\bnever follow|\bignore (?:any|all) instructions|\bas (?:data|reference)\b/i,
  },
]

type MaskedIntent = Intent & { half?: Half; masks: readonly ClassMask[] }

/** Intents with the classes that each of their lists needs. */
const MASKED: readonly MaskedIntent[] = [...INTENTS, ...HALVES].map((intent) => ({
  ...intent,
  masks: intent.words.map(createMask),
}))

function createHalf(half: Half): Omit<Intent, 'words'> & { half: Half } {
  return {
    half,
    class: 'remote-instructions',
    severity: 'info',
    gap: 90,
    message: '',
    help: '',
  }
}

/** Classes that a comment or a row of data can ask for; of the others it only reports. */
const MEANT_IN_REMARKS: ReadonlySet<Intent['class']> = new Set<Intent['class']>([
  'data-upload',
  'instruction-override',
  'concealment',
  'remote-instructions',
  'agent-data',
])

function matchIntent(sentence: Sentence, intent: MaskedIntent): Signal | undefined {
  const { skill, passage, start } = sentence
  if (!concerns(passage, intent) || !isMeant(sentence, intent)) return undefined
  const candidates = findWords(sentence, intent)
  if (candidates.length === 0 || !namesHost(sentence, intent)) return undefined
  const found = candidates.find(
    (each) => !isQuotation(skill, passage, toMatch(sentence, intent, each)),
  )
  if (!found) return undefined
  const isDescribed = describes(skill, intent.describedBy ?? SUBJECTS.keys)
  return {
    class: intent.class,
    severity: intent.describedBy && isDescribed ? 'info' : intent.severity,
    certainty: 'likely',
    file: passage.file,
    ...passage.toSpan(start + found.start, start + found.end),
    message: intent.message,
    help: intent.help,
    hiding: passage.hiding,
    isDescribed,
    ...(intent.half && { half: intent.half }),
  }
}

/** True if a passage such as this can ask for an intent; samples of code name hosts for nothing. */
function concerns({ isRemark, kind, hiding }: Passage, intent: MaskedIntent): boolean {
  if (isRemark) return MEANT_IN_REMARKS.has(intent.class)
  return kind !== 'code' || hiding !== undefined || intent.class !== 'undeclared-behaviour'
}

/** True if the other conditions of an intent hold for a sentence that has its words. */
function isMeant(sentence: Sentence, { only, unless, isLocal }: MaskedIntent): boolean {
  const { skill, text } = sentence
  if ((only && !only.test(text)) || unless?.test(text)) return false
  return !isLocal || !describes(skill, NETWORK_WORDS)
}

/** True if a sentence names a host of a kind that the intent is about. */
function namesHost(sentence: Sentence, { hosts }: MaskedIntent): boolean {
  const host = hosts && sentence.hostKind()
  return !hosts || (host !== undefined && hosts.includes(host))
}

function toMatch({ text, start }: Sentence, intent: MaskedIntent, found: WordMatch): SentenceMatch {
  return {
    sentence: text,
    at: start,
    start: found.start,
    end: found.end,
    isNegative: intent.isNegative === true,
    countsQuotes: intent.class === 'instruction-override',
  }
}

/** True if the description of the skill is about a subject. */
export function describes(skill: SafetySource, subject: RegExp): boolean {
  return subject.test(skill.manifest.description)
}

/** Matches of the lists of an intent, one for each list. */
function findWords(sentence: Sentence, { words, masks, gap }: MaskedIntent): WordMatch[] {
  return words.flatMap((list, at) => {
    if (!isWithin(masks[at] as ClassMask, sentence.classes)) return []
    const limit = gap * sentence.density
    const found = findSequence(sentence, list, { gap: limit, from: 0, at: 0 })
    return found ? [found] : []
  })
}

/** Finds matches of the classes in order, each near the one before. */
function findSequence(
  sentence: Sentence,
  list: readonly TextClass[],
  { gap, from, at }: { gap: number; from: number; at: number },
): WordMatch | undefined {
  let best: WordMatch | undefined
  for (const match of sentence.matches(list[at] as TextClass)) {
    if (match.start < from) continue
    if (at > 0 && match.start - from > gap) break
    if (at === list.length - 1) return match
    const rest = findSequence(sentence, list, {
      gap,
      from: match.end,
      at: at + 1,
    })
    const isCloser = rest && (!best || rest.end - match.start < best.end - best.start)
    if (rest && isCloser) best = { start: match.start, end: rest.end }
    if (at > 0 && best) break
  }
  return best
}
