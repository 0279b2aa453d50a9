import type { SkillSummary } from '../core/skill-context/prompt/skill-summary.ts'

/** Stop words: they carry no intent. */
const STOP_WORDS = new Set(
  'about after all and any are but can for from get give has have help here how into its like make more need not now one our out please show some tell than that the their them then there these this use using was what when where which will with would you your'.split(
    ' ',
  ),
)
/** Weight of a match in the name; a match in the description weighs 1. */
const NAME_WEIGHT = 3
/** Minimum score of a recommendation, and the factor by which it must exceed the next skill. */
const MIN_SCORE = 4
const MIN_LEAD = 2

/**
 * Recommends the skill that clearly matches a user message. The result depends on this message
 * alone and is appended to it, late in the prompt, so it never changes text that was already sent.
 */
export class Recommender {
  #skillWords: readonly { name: string; inName: WordCounts; inDescription: WordCounts }[]
  #cached = new Map<string, string | undefined>()

  constructor(skills: readonly SkillSummary[]) {
    this.#skillWords = skills.map(({ name, description }) => ({
      name,
      inName: countWords(name),
      inDescription: countWords(description),
    }))
  }

  /**
   * Returns a line for the message; undefined if no skill matches clearly better than the others.
   */
  recommend(message: string): string | undefined {
    if (this.#cached.has(message)) return this.#cached.get(message)
    const name = this.#findBest(message)
    const line = name === undefined ? undefined : `(A skill that fits: ${name}. Load it first.)`
    if (this.#cached.size >= MAX_CACHED_MESSAGES) this.#cached.clear()
    this.#cached.set(message, line)
    return line
  }

  #findBest(message: string): string | undefined {
    const queryWords = countWords(message).keys()
    const query = [...queryWords]
    let first = { name: '', score: 0 }
    let second = 0
    for (const { name, inName, inDescription } of this.#skillWords) {
      const score = query.reduce((sum, word) => {
        const named = inName.get(word)
        return sum + (named === undefined ? (inDescription.get(word) ?? 0) : named * NAME_WEIGHT)
      }, 0)
      if (score > first.score) {
        second = first.score
        first = { name, score }
      } else if (score > second) second = score
    }
    return first.score >= MIN_SCORE && first.score >= MIN_LEAD * second ? first.name : undefined
  }
}

/** Limit of the message cache; a conversation has fewer messages. */
const MAX_CACHED_MESSAGES = 1000
/** Only this many leading characters of a message are scored. */
const MAX_MESSAGE_CHARACTERS = 20_000

type WordCounts = ReadonlyMap<string, number>

function countWords(text: string): WordCounts {
  const counts = new Map<string, number>()
  for (const word of text
    .slice(0, MAX_MESSAGE_CHARACTERS)
    .toLowerCase()
    .match(/[\p{L}\p{N}]{3,}/gu) ?? []) {
    if (!STOP_WORDS.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}
