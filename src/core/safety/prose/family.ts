/** A regular expression, or several as one. */
export interface Phrase {
  exec(text: string): RegExpExecArray | null
}

/** The first of some phrases that a text has. */
export function joinPhrases(...phrases: readonly Phrase[]): Phrase {
  return {
    exec(text) {
      for (const phrase of phrases) {
        const found = phrase.exec(text)
        if (found) return found
      }
      return null
    },
  }
}

/** A long phrase behind a short pattern, without which it has no match. */
export function gatePhrase(gate: RegExp, phrase: Phrase): Phrase {
  return { exec: (text) => (gate.test(text) ? phrase.exec(text) : null) }
}

/** Words that mean the same in a frame: verbs in all forms, other words, and phrases. */
export interface Family {
  verbs?: string
  words?: string
  phrase?: Phrase
  /** Words without which the phrase has no match. */
  signs?: string
}
