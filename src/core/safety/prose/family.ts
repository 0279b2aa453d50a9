/** Words that mean the same in a frame: verbs in all forms, other words, and phrases. */
export interface Family {
  verbs?: string
  words?: string
  phrase?: RegExp
  /** Words without which the phrase has no match. */
  signs?: string
}
