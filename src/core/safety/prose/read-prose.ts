import { classifyHosts, type HostKind } from '../hosts.ts'
import type { SafetySource } from '../safety-finding.ts'
import type { Half, Signal } from '../signal.ts'
import type { Passage } from '../texts/passage.ts'
import { INTENTS, SUBJECTS, type Intent } from './intents.ts'
import { findMatches, findWordClasses, type TextClass, type WordMatch } from './lexicon.ts'
import { isQuotation } from './quotation.ts'

/** Things that a passage tells the agent to do. */
export function readProse(skill: SafetySource, passage: Passage): Signal[] {
  const signals: Signal[] = []
  for (const { start, end } of splitSentences(passage.text)) {
    const classes = findWordClasses(passage.text.slice(start, end))
    if (classes.size < MIN_CLASSES) continue
    const sentence = createSentence(skill, passage, { start, end, classes })
    for (const intent of [...INTENTS, ...HALVES]) {
      const signal = matchIntent(sentence, intent)
      if (signal) signals.push(signal)
    }
  }
  return signals
}

/** The classes that every sentence may have. */
const MIN_CLASSES = 5

interface Sentence {
  skill: SafetySource
  passage: Passage
  /** Offset in the passage. */
  start: number
  text: string
  classes: ReadonlySet<TextClass>
  matches(name: TextClass): readonly WordMatch[]
  hostKind(): HostKind | undefined
}

function createSentence(
  skill: SafetySource,
  passage: Passage,
  { start, end, classes }: { start: number; end: number; classes: ReadonlySet<TextClass> },
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
    matches(name) {
      const known = found.get(name) ?? findMatches(name, text)
      found.set(name, known)
      return known
    },
    hostKind: () => (host ??= { kind: classifyNamedHost(skill, text) }).kind,
  }
}

const BARE_HOST =
  /\b(?:\d{1,3}\.){3}\d{1,3}\b|[\w.+-]+@((?:[\w-]+\.)+[a-z]{2,12})\b|\b((?:[a-z0-9-]+\.)+(?:example|test|invalid|com|net|org|io|dev|site|xyz|app|cloud|me|ai|sh|co|info|onion|ru|cn|de))\b(?![\w/]*\()/gi

/** The kind of the host that a sentence names, also without a scheme. */
function classifyNamedHost(skill: SafetySource, text: string): HostKind | undefined {
  const found = classifyHosts(skill, text)
  if (found) return found
  const bare = [...text.matchAll(BARE_HOST)].map((match) => `https://${match[1] ?? match[2] ?? match[0]}/`)
  return bare.length > 0 ? classifyHosts(skill, bare.join(' ')) : undefined
}

/** Intents that need another one near them. */
const HALVES: readonly (Intent & { half: Half })[] = [
  {
    ...createHalf('secret'),
    words: [
      ['read', 'credentialPlace'],
      ['read', 'agentPlace'],
      ['read', 'credential'],
      ['read', 'talk'],
      ['credentialPlace', 'read'],
      ['send', 'credentialPlace'],
      ['credential', 'read'],
    ],
    unless: /\.env\.example|\bpublic key|\.pub\b|gitignore|\bexclud|redact|placeholder/i,
  },
  {
    ...createHalf('send'),
    words: [
      ['send', 'host'],
      ['host', 'send'],
    ],
    hosts: ['odd', 'unknown'],
  },
  {
    ...createHalf('fetch'),
    words: [['fetch', 'host']],
    hosts: ['odd', 'unknown'],
  },
  {
    ...createHalf('obey'),
    words: [['obey', 'orders'], ['obey', 'blindly']],
    only: /\b(?:it (?:says|contains|returns|gives)|the (?:response|page|returned|fetched|downloaded|document|content)|found there|you (?:find|get|receive)|from (?:it|there)|therein|inside|whatever|in it|returned|received|its (?:instructions|contents))\b|anweisungen (?:darin|von dort)|que (?:contenga|indique)|其中|返回/i,
  },
]

function createHalf(half: Half): Omit<Intent, 'words'> & { half: Half } {
  return {
    half,
    class: half === 'fetch' || half === 'obey' ? 'remote-instructions' : 'data-upload',
    severity: 'info',
    gap: 90,
    message: '',
    help: '',
  }
}

function matchIntent(sentence: Sentence, intent: Intent & { half?: Half }): Signal | undefined {
  const found = findWords(sentence, intent)
  if (!found) return undefined
  const { skill, passage, text, start } = sentence
  if (intent.only && !intent.only.test(text)) return undefined
  if (intent.unless?.test(text)) return undefined
  const host = intent.hosts && sentence.hostKind()
  if (intent.hosts && (host === undefined || !intent.hosts.includes(host))) return undefined
  const isNegative = intent.isNegative === true
  if (isQuotation(skill, passage, { sentence: text, ...found, isNegative })) return undefined
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

/** True if the description or the name of the skill is about a subject. */
export function describes(skill: SafetySource, subject: RegExp): boolean {
  const { name, description, frontMatter } = skill.manifest
  return subject.test(`${name} ${String(frontMatter['name'] ?? '')} ${description}`)
}

function findWords(sentence: Sentence, { words, gap }: Intent): WordMatch | undefined {
  for (const list of words) {
    if (!list.every((name) => sentence.classes.has(name))) continue
    const found = findSequence(sentence, list, { gap, from: 0, at: 0 })
    if (found) return found
  }
  return undefined
}

/** Finds matches of the classes in order, each near the one before. */
function findSequence(
  sentence: Sentence,
  list: readonly TextClass[],
  { gap, from, at }: { gap: number; from: number; at: number },
): WordMatch | undefined {
  for (const match of sentence.matches(list[at] as TextClass)) {
    if (match.start < from) continue
    if (at > 0 && match.start - from > gap) return undefined
    if (at === list.length - 1) return match
    const rest = findSequence(sentence, list, { gap, from: match.end, at: at + 1 })
    if (rest) return { start: match.start, end: rest.end }
  }
  return undefined
}

const MAX_SENTENCE = 700
const SENTENCE_END = /[.!?](?=["'”’)\]*_]{0,3}(?:\s|$))|[。！？；]|\n(?=\s*[-*+|#>]|\s*\d{1,3}[.)])|\n\s*\n/g

/** Splits a passage into sentences; a long one is cut. */
function splitSentences(text: string): { start: number; end: number }[] {
  const sentences: { start: number; end: number }[] = []
  let start = 0
  const add = (end: number) => {
    for (let at = start; at < end; at += MAX_SENTENCE - 100) {
      sentences.push({ start: at, end: Math.min(end, at + MAX_SENTENCE) })
      if (at + MAX_SENTENCE >= end) break
    }
    start = end
  }
  for (const match of text.matchAll(SENTENCE_END)) add(match.index + match[0].length)
  if (start < text.length) add(text.length)
  return sentences
}
